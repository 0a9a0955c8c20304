import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

const UNKNOWN = { path: { providerId: "00000000-0000-4000-8000-000000000000" } };

describe.each(featureEngines)("suspending an integration, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { hourlyMs: 100 } });
  const statusOf = async (shiftId: string) => {
    const { items } = ok(await harness().operations.listEvents({ params: { query: { shiftId } } }));
    return items.map(({ status }) => status);
  };

  it("keeps its events, which are processed after the next activation", async () => {
    const { operations, platform, onboard } = harness();
    const { provider, params, trySend, findJob, processed } = await onboard({ connect: false });
    expect(ok(await operations.suspendIntegration({ params })).state).toBe("suspended");
    const { shiftId } = provider.createShift();
    expect(await trySend(shiftId)).toBe(200);
    await platform.idle();
    expect(await statusOf(shiftId)).toEqual(["queued"]);
    expect(await findJob(shiftId)).toBeUndefined();
    expect(ok(await operations.activateIntegration({ params })).state).toBe("active");
    await processed();
    expect(await statusOf(shiftId)).toEqual(["processed"]);
    expect(await findJob(shiftId)).toMatchObject({ status: "open" });
  });

  it("keeps an event that is being retried, and does not call the provider meanwhile", async () => {
    const { operations, platform, onboard } = harness();
    const { provider, params, trySend, findJob, processed } = await onboard({ connect: false });
    provider.setFault("error-500", { operations: ["getShift"] });
    const { shiftId } = provider.createShift();
    await trySend(shiftId);
    await expect
      .poll(
        async () => ok(await operations.listEvents({ params: { query: { shiftId } } })).items[0]?.attempts,
      )
      .toBeGreaterThan(0);
    ok(await operations.suspendIntegration({ params }));
    await platform.idle();
    expect(await statusOf(shiftId)).toEqual(["queued"]);
    provider.clearFaults();
    ok(await operations.activateIntegration({ params }));
    await processed();
    expect(await findJob(shiftId)).toMatchObject({ status: "open" });
  });

  it("allows no bookings and offers no jobs until it is active again, and then offers each to everyone available, once", async () => {
    const { operations, platform, onboard } = harness();
    const { provider, params, trySend, findJob, processed, addPerson } = await onboard({ connect: false });
    const [first, second] = [(await addPerson()).candidateId, (await addPerson()).candidateId];
    const { shiftId } = provider.createShift();
    await trySend(shiftId);
    await processed();
    const jobId = (await findJob(shiftId))?.jobId ?? "";
    const accept = (candidateId: string) =>
      operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    const offered = async () => {
      const { items } = ok(await operations.listNotifications({ params: { query: { jobId } } }));
      return items.filter(({ kind, withdrawnAt }) => kind === "job_offered" && !withdrawnAt);
    };
    expect((await accept(first)).response.status).toBe(201);
    const { candidateId: third } = await addPerson();
    ok(await operations.suspendIntegration({ params }));
    const withdrawn = await operations.withdrawBooking({ params: { path: { jobId, candidateId: first } } });
    expect(withdrawn.response.status).toBe(204);
    expect(await findJob(shiftId)).toMatchObject({ status: "open" });
    expect(await offered()).toEqual([]);
    expect((await accept(second)).error).toMatchObject({ status: 409, code: "job_not_open" });
    for (const _ of "12") ok(await operations.activateIntegration({ params }));
    await platform.idle();
    expect((await offered()).map(({ candidateId }) => candidateId).sort()).toEqual([second, third].sort());
    expect((await accept(third)).response.status).toBe(201);
  });

  it("does not bypass the mappings: a draft stays a draft", async () => {
    const { operations, onboard } = harness();
    const { provider, params } = await onboard({ connect: false, activate: false });
    provider.createShift({ roleId: "an-unmapped-role" });
    expect(ok(await operations.suspendIntegration({ params })).state).toBe("draft");
  });

  it("may be requested twice, and is a 404 for an unknown organisation", async () => {
    const { operations, onboard } = harness();
    const { params } = await onboard({ connect: false });
    for (const _ of "12") expect(ok(await operations.suspendIntegration({ params })).state).toBe("suspended");
    expect((await operations.suspendIntegration({ params: UNKNOWN })).error).toMatchObject({
      code: "provider_not_found",
    });
  });
});
