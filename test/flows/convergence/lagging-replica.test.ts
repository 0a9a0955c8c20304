import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import { type Flow, isShift, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

/** The provider's staff edit the shift, or a candidate accepts it. Numbers are hours by which the times move. */
type Edit = number | "accept" | { positions: number };

/** The edits, and how far apart they are, at a tenth of the speed of production. Milliseconds. */
const BURSTS: readonly [title: string, gapMs: number, edits: readonly Edit[]][] = [
  ["a single edit", 0, [1]],
  ["two edits, seven seconds apart", 700, [1, 1]],
  ["an edit, an accept, and an edit, a second apart", 100, [1, "accept", 1]],
  ["times moved there and back, four seconds apart", 400, [1, -1]],
  ["positions, times, and positions, three seconds apart", 300, [{ positions: 3 }, 1, { positions: 2 }]],
  ["four edits, two seconds apart", 200, [1, 1, 1, 1]],
];

const WEBHOOKS = 30;

describe.each(engines)("two replicas that disagree while webhooks come, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("are one notification of the person booked, once it is settled what the shift is", async () => {
    let frozen: unknown;
    let reads = 0;
    const { provider, ...platform } = await onboard({
      rewrite: (body) => {
        if (frozen === undefined || !isShift(body)) return body;
        reads += 1;
        return reads % 2 === 0 ? frozen : body;
      },
    });
    const job = await platform.open();
    await platform.book(job, await platform.addPerson());
    const [startTime, endTime] = [job.startTime, job.endTime].map((time) =>
      new Date(Date.parse(time) + HOUR_MS).toISOString(),
    ) as [string, string];
    frozen = await readShift(provider, job.shiftId);
    provider.updateShift(job.shiftId, { startTime, endTime });
    for (let nth = 0; nth < WEBHOOKS; nth += 1) await platform.send("shift.update", job.shiftId);
    await expect.poll(() => reads).toBeGreaterThan(1);
    frozen = undefined;
    await expect.poll(() => platform.notifications(job, "shift_changed")).toHaveLength(1);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.job(job.shiftId)).toMatchObject({ startTime, endTime });
    expect(await platform.notifications(job, "shift_changed")).toHaveLength(1);
  });
});

describe.each(engines)("edits at a provider whose reads lag, on %s", (engine) => {
  /** A tenth of 1 s and of 5 s; a reading that waits for the next one comes too late for the test. */
  const onboard = useFlows(engine, { timing: { ladderMs: [100, 500, HOUR_MS, 2 * HOUR_MS] } });

  it.each([50, 300].flatMap((lagMs) => BURSTS.map((burst) => [lagMs, ...burst] as const)))(
    "by %d ms: the job shows the last of %s, within the first two delays",
    async (lagMs, _, gapMs, edits) => {
      const states: { since: number; body: unknown }[] = [];
      const organisation = await onboard({
        rewrite: (body) => {
          const shown = states.findLast(({ since }) => since <= performance.now() - lagMs);
          return shown && isShift(body) ? shown.body : body;
        },
      });
      const { provider, job: jobOf, open } = organisation;
      const { shiftId } = await open();
      const note = async (since = performance.now()) =>
        void states.push({ since, body: await readShift(provider, shiftId) });
      await note(0);
      for (const [nth, edit] of edits.entries()) {
        // The time between the edits is what is tested.
        if (nth > 0) await sleep(gapMs);
        await carryOut(organisation, shiftId, edit, note);
      }
      const shift = provider.shift(shiftId);
      const { startTime, endTime, positions } = shift ?? {};
      await expect.poll(() => jobOf(shiftId)).toMatchObject({ startTime, endTime, positions });
    },
  );
});

/** @param note Called once the shift has changed, before its webhook is sent. */
async function carryOut(organisation: Flow, shiftId: string, edit: Edit, note: () => Promise<void>) {
  const { provider, job, addPerson, accept, send } = organisation;
  if (edit === "accept") {
    await accept(await job(shiftId), await addPerson());
    return note();
  }
  const { startTime = "", endTime = "" } = provider.shift(shiftId) ?? {};
  const moved = (time: string) => new Date(Date.parse(time) + Number(edit) * HOUR_MS).toISOString();
  const values = typeof edit === "number" ? { startTime: moved(startTime), endTime: moved(endTime) } : edit;
  provider.updateShift(shiftId, values);
  await note();
  await send("shift.update", shiftId);
}

/** Reads the shift as the platform does, without the replica. */
async function readShift({ url, providerId, token }: Flow["provider"], shiftId: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`${url}/providers/${providerId}/shifts/${shiftId}`, { headers })).json();
}
