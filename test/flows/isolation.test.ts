import { describe, expect, it, onTestFinished } from "vitest";
import { PROVIDER_RETRIES } from "../../src/clients/retry-policy.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { featureEngines } from "../harness/engines.ts";
import { ok } from "../harness/operations.ts";
import type { Organisation } from "../harness/organisation.ts";
import { startHarness, useHarness } from "../harness/platform.ts";

const SHIFTS = 5;

/** The fault of each other provider, and the number of its waiting events. */
const NEIGHBOURS: readonly { fault: FaultName; events: number }[] = [
  // More than the limit of simultaneous calls to one provider.
  { fault: "slow", events: 60 },
  { fault: "garbage", events: 20 },
  { fault: "rate-limited", events: 20 },
];

/** `npm run bench` measures the delay of a job beside the work of others. */
describe.each(featureEngines)("an integration beside others whose providers fail, on %s", (engine) => {
  it("gets its jobs while the others get none", async () => {
    // Attempts are as far apart as in production, so no work is given up meanwhile.
    const harness = await startHarness(engine, { retries: PROVIDER_RETRIES });
    onTestFinished(harness.close);
    const healthy = await harness.onboard();
    // Onboarding waits until the platform is idle, which it never is beside a provider that fails.
    const failing = await Promise.all(NEIGHBOURS.map(() => harness.onboard()));
    await Promise.all(NEIGHBOURS.map((neighbour, nth) => fail(failing[nth], neighbour)));
    for (let nth = 0; nth < SHIFTS; nth += 1) {
      const { shiftId } = healthy.provider.createShift();
      await expect.poll(() => healthy.findJob(shiftId)).toMatchObject({ status: "open" });
    }
    for (const { jobs } of failing) expect(await jobs()).toEqual([]);
  });
});

/** Waits until all of its events are stored. */
async function fail(
  organisation: Organisation | undefined,
  { fault, events }: (typeof NEIGHBOURS)[number],
): Promise<void> {
  if (!organisation) throw new Error("each neighbour has an organisation");
  const { provider } = organisation;
  provider.setFault(fault);
  for (let nth = 0; nth < events; nth += 1) provider.createShift();
  await provider.settled();
}

describe.each(featureEngines)("a traceId of another organisation, on %s", (engine) => {
  const harness = useHarness(engine);

  it("begins a trace of its own", async () => {
    const [one, other] = [await harness().onboard(), await harness().onboard()];
    const { traceId = "", shiftId } = await one.open();
    const { shiftId: theirs } = other.provider.createShift();
    await other.send("shift.create", theirs, traceId);
    await other.idle();
    const shiftsOf = async (query: { providerId?: string }) => {
      const { steps } = ok(await one.operations.getTrace({ params: { path: { traceId }, query } }));
      return [...new Set(steps.map((step) => step.shiftId))];
    };
    expect(await shiftsOf({ providerId: one.providerId })).toEqual([shiftId]);
    expect(await shiftsOf({ providerId: other.providerId })).toEqual([theirs]);
    expect(await shiftsOf({})).toEqual([shiftId]);
  });
});

describe.each(featureEngines)("a shift's id may be any text (contract 2.2), on %s", (engine) => {
  const harness = useHarness(engine);

  it.each(["100001", "SH-2027/11 a", "50%?#&å"])("for example %s, in all four flows", async (id) => {
    const { accept, withdraw, open, idle, events, job, ...organisation } = await harness().onboard({
      dialect: { variant: "b" },
    });
    const { provider, providerId } = organisation;
    const stored = () => provider.shift(id);
    const opened = await open({ id, positions: 2 });
    expect([opened.shiftId, opened.status]).toEqual([id, "open"]);
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    expect(await accept(opened, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await accept(opened, other)).toEqual({ status: 201, code: "confirmed" });
    expect(await job(id)).toMatchObject({ status: "filled" });
    expect(await withdraw(opened, other)).toEqual({ status: 204 });
    expect(stored()?.assigned.size).toBe(1);

    const endTime = new Date(Date.parse(stored()?.endTime ?? "") + HOUR_MS).toISOString();
    provider.updateShift(id, { endTime });
    await idle();
    expect(await job(id)).toMatchObject({ jobId: opened.jobId, endTime });

    const path = { jobId: opened.jobId };
    ok(await harness().operations.changeJob({ params: { path }, body: { positions: 4 } }));
    expect(stored()?.positions).toBe(4);
    const query = { providerId, shiftId: id };
    expect(ok(await harness().operations.listJobs({ params: { query } })).items).toHaveLength(1);

    provider.deleteShift(id);
    await idle();
    expect(await job(id)).toMatchObject({ status: "cancelled" });
    const all = await events({ shiftId: id });
    expect(all.map(({ shiftId }) => shiftId)).toEqual(all.map(() => id));
    expect(all.at(-1)).toMatchObject({ event: "shift.delete", status: "processed" });
  });

  it("also when the platform cancels the shift at the provider", async () => {
    const id = "SH-2027/11 a";
    const { cancel, open, idle, events, job, provider } = await harness().onboard();
    expect(await cancel(await open({ id }))).toEqual({ status: 202 });
    await idle();
    expect(provider.shift(id)?.cancelled).toBe(true);
    expect(await job(id)).toMatchObject({ status: "cancelled" });
    expect((await events({ shiftId: id })).at(-1)).toMatchObject({
      event: "shift.delete",
      status: "skipped_echo",
    });
  });
});
