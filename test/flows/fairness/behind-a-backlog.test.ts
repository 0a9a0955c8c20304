import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import type { Harness } from "../../harness/platform.ts";
import { type Flow, onboardFlow, startFlows } from "../flow.ts";

const WEBHOOKS = 3_000;
const AT_ONCE = 50;
/** The most calls for the backlog that are made before something else has its turn. That takes a second or two here, and ten calls are made in each. */
const CALLS_BETWEEN = WEBHOOKS / 15;
/** The limits of production (decisions, "rate limits"). */
const CALLS_A_MINUTE = 500;

/** Sends webhooks about new shifts, as fast as the platform acknowledges them. */
async function publish({ provider, send }: Flow, count: number): Promise<void> {
  const [startTime = "", endTime = ""] = [30, 30.25].map((days) =>
    new Date(Date.now() + days * DAY_MS).toISOString(),
  );
  const shiftIds = Array.from({ length: count }, () => provider.createShift({ startTime, endTime }).shiftId);
  const announceAll = async () => {
    for (let id = shiftIds.pop(); id !== undefined; id = shiftIds.pop()) await send("shift.create", id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, announceAll));
}

describe.each(engines)(`an organisation with ${WEBHOOKS} waiting webhooks, on %s`, (engine) => {
  let platform: Harness;
  let busy: Flow;
  let neighbour: Flow;
  beforeAll(async () => {
    platform = await startFlows(engine, {
      calls: { perMinute: CALLS_A_MINUTE },
      timing: { answerWithinMs: 0 },
    });
    [busy, neighbour] = [await onboardFlow(platform), await onboardFlow(platform)];
  });
  afterAll(() => platform.close());

  const waiting = async () => {
    const query = { providerId: busy.providerId, status: "queued", limit: 200 } as const;
    const { data } = await busy.operations.listEvents({ params: { query } });
    return data?.items.length ?? 0;
  };

  const goesFirst = async (what: string, act: () => Promise<unknown>) => {
    const before = busy.calls.length;
    await act();
    expect(busy.calls.length - before, `calls made before ${what}`).toBeLessThan(CALLS_BETWEEN);
  };

  it("meanwhile confirms an accept, performs a cancellation, and does not delay the job of another organisation", async () => {
    const [accepted, cancelled] = (await busy.openAll(2)) as [Job, Job];
    const person = await busy.addPerson();
    await publish(busy, WEBHOOKS);
    expect(await waiting()).toBe(200);

    await goesFirst("a neighbour's job", () => neighbour.open());
    await goesFirst("an accept", () => busy.book(accepted, person));
    await goesFirst("a cancellation", async () => {
      await busy.cancel(cancelled);
      await expect.poll(async () => (await busy.job(cancelled.shiftId)).status).toBe("cancelled");
    });
    expect(await waiting(), "webhooks that still wait").toBe(200);
  });
});
