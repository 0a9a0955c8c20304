import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import { agree } from "./agree.ts";
import { type Organisation, useIndependent } from "./organisation.ts";

/** More attempts than the limit after which other failures need an operator. */
const PROBES = 14;

/** Accepts a job and creates three shifts while the platform must not call the provider. */
async function work({ provider, accept, open, addPerson }: Organisation) {
  const job = await open();
  const person = await addPerson();
  return {
    job,
    person,
    begin: async () => {
      expect(await accept(job, person)).toEqual({ status: 202, code: "pending" });
      const shifts = [provider.createShift(), provider.createShift(), provider.createShift()];
      return Promise.all(shifts.map(({ id }) => provider.announce("shift.create", id)));
    },
  };
}

async function expectPaused(platform: Organisation, traceIds: readonly string[]): Promise<void> {
  const { provider, integration, issueCodes, events, jobs } = platform;
  const rejects = { code: "token_rejected", paused: "all_calls", resumes: "with_good_response" };
  await expect.poll(async () => (await integration()).health).toMatchObject(rejects);
  const calls = provider.calls.length;
  await expect.poll(() => provider.calls.length).toBeGreaterThan(calls + PROBES);
  expect(await issueCodes()).toEqual(["token_rejected"]);
  const [job] = await jobs();
  expect(job?.bookings).toMatchObject([{ status: "pending" }]);
  for (const traceId of traceIds) expect(await events({ traceId })).toMatchObject([{ status: "queued" }]);
}

async function expectResumed(platform: Organisation, traceIds: readonly string[]): Promise<void> {
  const { provider, integration, issueCodes, events } = platform;
  await expect.poll(() => agree(platform, provider)).toEqual([]);
  expect(provider.effects.filter(({ kind }) => kind === "assign")).toHaveLength(1);
  for (const traceId of traceIds)
    await expect.poll(() => events({ traceId })).toMatchObject([{ status: "processed" }]);
  await expect.poll(issueCodes).toEqual([]);
  expect((await integration()).health).toMatchObject({ code: "reachable", paused: "nothing" });
}

describe.each(engines)("an integration whose provider refuses every call, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it("waits for the new token when the provider has exchanged it", async () => {
    const platform = await onboard();
    const { provider, providerId, operations } = platform;
    const { begin } = await work(platform);
    const providerToken = provider.rotateToken();
    const traceIds = await begin();
    await expectPaused(platform, traceIds);
    const body = { direction: "provider", providerToken } as const;
    ok(await operations.rotateToken({ params: { path: { providerId } }, body }));
    await expectResumed(platform, traceIds);
  });

  it("continues after a period of 403, when a probe succeeds", async () => {
    const platform = await onboard();
    const { begin } = await work(platform);
    const refusal = platform.provider.fault({ kind: "status", status: 403, code: "forbidden" });
    const traceIds = await begin();
    await expectPaused(platform, traceIds);
    refusal.stop();
    await expectResumed(platform, traceIds);
  });

  it("keeps every job and booking while a gateway responds with 404 to everything", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { jobs, person } = await staffedJobs(platform);
    const gateway = provider.fault({ kind: "gateway-404" });
    const [first, second] = jobs;
    if (!first || !second) throw new Error("the test needs two jobs");
    await platform.withdraw(first, person);
    await platform.accept(second, await platform.addPerson());
    for (const { shiftId } of jobs) {
      provider.updateShift(shiftId, { positions: 3 });
      await provider.announce("shift.update", shiftId);
    }
    const health = async () => (await platform.integration()).health.code;
    await expect.poll(health).toMatch(/^(implausible|unreachable)$/);
    await expect.poll(() => gateway.hits).toBeGreaterThan(PROBES);
    expect((await platform.jobs()).map(({ status }) => status)).not.toContain("cancelled");
    expect((await platform.booking(first, person))?.status).toBe("confirmed");
    gateway.stop();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    await expect.poll(health).toBe("reachable");
    await expect.poll(platform.issueCodes).toEqual([]);
    expect((await platform.booking(first, person))?.status).toBe("released");
    for (const job of jobs) expect(await platform.notifications(job, "shift_cancelled")).toEqual([]);
  });
});

/** Checks that one candidate is booked on every job, and that each job has a free position. */
async function staffedJobs({ openAll, book, addPerson }: Organisation) {
  const person: Person = await addPerson();
  const jobs = await openAll(8, { positions: 2 });
  for (const job of jobs) await book(job, person);
  return { jobs, person };
}
