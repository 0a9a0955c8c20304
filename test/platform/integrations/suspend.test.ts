import { describe, expect, it } from "vitest";
import { featureEngines } from "../../engines.ts";
import { numberAt } from "./registry-provider.ts";
import { ok, useRunning } from "./running.ts";

const UNKNOWN = { path: { providerId: "00000000-0000-4000-8000-000000000000" } };

describe.each(featureEngines)("suspending an integration, on %s", (engine) => {
  const running = useRunning(engine);
  const statusOf = async (shiftId: string) => {
    const { items } = ok(await running().operations.listEvents({ params: { query: { shiftId } } }));
    return items.map(({ status }) => status);
  };

  it("keeps its events, and activating it again lets them go on", async () => {
    const { operations, platform, register } = running();
    const { provider, params, tell, job, settled } = await register();
    expect(ok(await operations.suspendIntegration({ params })).state).toBe("suspended");
    const { shiftId } = provider.createShift();
    expect(await tell(shiftId)).toBe(200);
    await platform.idle();
    expect(await statusOf(shiftId)).toEqual(["queued"]);
    expect(await job(shiftId)).toBeUndefined();
    expect(ok(await operations.activateIntegration({ params })).state).toBe("active");
    await settled();
    expect(await statusOf(shiftId)).toEqual(["processed"]);
    expect(await job(shiftId)).toMatchObject({ status: "open" });
  });

  it("keeps an event that is being retried, and does not call the provider meanwhile", async () => {
    const { operations, platform, register } = running();
    const { provider, params, tell, job, settled } = await register();
    provider.setFault("error-500", { operations: ["getShift"] });
    const { shiftId } = provider.createShift();
    await tell(shiftId);
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
    await settled();
    expect(await job(shiftId)).toMatchObject({ status: "open" });
  });

  it("takes no bookings and offers no jobs until it is active again, and then offers each to everyone available, once", async () => {
    const { operations, platform, register } = running();
    const { provider, params, tell, job, settled, addPerson } = await register();
    const [first, second] = [await addPerson(numberAt(0)), await addPerson(numberAt(1))];
    const { shiftId } = provider.createShift();
    await tell(shiftId);
    await settled();
    const jobId = (await job(shiftId))?.jobId ?? "";
    const accept = (candidateId: string) =>
      operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    const offered = async () => {
      const { items } = ok(await operations.listNotifications({ params: { query: { jobId } } }));
      return items.filter(({ kind, withdrawnAt }) => kind === "job_offered" && !withdrawnAt);
    };
    expect((await accept(first)).response.status).toBe(201);
    const third = await addPerson(numberAt(2));
    ok(await operations.suspendIntegration({ params }));
    const withdrawn = await operations.withdrawBooking({ params: { path: { jobId, candidateId: first } } });
    expect(withdrawn.response.status).toBe(204);
    expect(await job(shiftId)).toMatchObject({ status: "open" });
    expect(await offered()).toEqual([]);
    expect((await accept(second)).error).toMatchObject({ status: 409, code: "job_not_open" });
    for (const _ of "12") ok(await operations.activateIntegration({ params }));
    await platform.idle();
    expect((await offered()).map(({ candidateId }) => candidateId).sort()).toEqual([second, third].sort());
    expect((await accept(third)).response.status).toBe(201);
  });

  it("is no way around the mappings: a draft stays a draft", async () => {
    const { operations, register } = running();
    const { provider, params } = await register({ activate: false });
    provider.createShift({ roleId: "a-role-that-nobody-mapped" });
    expect(ok(await operations.suspendIntegration({ params })).state).toBe("draft");
  });

  it("may be asked for twice; of an unknown one it is 404", async () => {
    const { operations, register } = running();
    const { params } = await register();
    for (const _ of "12") expect(ok(await operations.suspendIntegration({ params })).state).toBe("suspended");
    expect((await operations.suspendIntegration({ params: UNKNOWN })).error).toMatchObject({
      code: "provider_not_found",
    });
  });
});
