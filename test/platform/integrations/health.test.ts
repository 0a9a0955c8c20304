import { describe, expect, it } from "vitest";
import { featureEngines } from "../../engines.ts";
import { ok, type Registered, useRunning } from "./running.ts";

describe.each(featureEngines)("the health of an integration, on %s", (engine) => {
  const running = useRunning(engine, {
    timing: { probeMs: 50, onboardingRetriesMs: [] },
    calls: { perMinute: 0 },
  });
  const healthOf = async ({ params }: Registered) =>
    ok(await running().operations.getIntegration({ params })).health;
  const issues = async ({ params }: Registered) => {
    const query = { providerId: params.path.providerId };
    return ok(await running().operations.listIssues({ params: { query } })).items;
  };

  it("is good at first, and nothing waits", async () => {
    const since = expect.any(String);
    const health = { code: "reachable", since, paused: "nothing", resumes: "automatically", waiting: 0 };
    const registered = await running().register({ activate: false });
    // The provider is checked first.
    await running().platform.idle();
    expect(await healthOf(registered)).toEqual(health);
  });

  it.each([
    ["token-rejected", 401],
    ["token-forbidden", 403],
  ] as const)(
    "pauses all calls after %s: one issue, nothing fails, and a good response resumes it",
    async (fault, status) => {
      const of = await running().register();
      const { provider, tell, job, settled } = of;
      provider.setFault(fault);
      const shiftIds = [1, 2, 3].map(() => provider.createShift().shiftId);
      for (const shiftId of shiftIds) expect(await tell(shiftId)).toBe(200);
      const paused = { code: "token_rejected", paused: "all_calls", resumes: "with_good_response" };
      await expect.poll(() => healthOf(of), { timeout: 10_000 }).toMatchObject({ ...paused, waiting: 3 });
      const issue = {
        code: "token_rejected",
        subject: { kind: "integration" },
        params: { status },
        count: 1,
      };
      expect(await issues(of)).toMatchObject([issue]);
      provider.clearFaults();
      await settled();
      for (const shiftId of shiftIds) expect(await job(shiftId)).toMatchObject({ status: "open" });
      const reachable = { code: "reachable", paused: "nothing", waiting: 0 };
      await expect.poll(() => healthOf(of), { timeout: 10_000 }).toMatchObject(reachable);
      expect(await issues(of)).toEqual([]);
    },
  );

  describe("after 404 for everything", () => {
    const implausible = async () => {
      const of = await running().register();
      const shiftId = of.provider.createShift().shiftId;
      await of.tell(shiftId);
      await of.settled();
      of.provider.setFault("gateway-not-found");
      await of.tell(shiftId, of.platformToken, "shift.update");
      await expect.poll(() => healthOf(of)).toMatchObject({ code: "implausible" });
      return { ...of, shiftId };
    };

    it("is good once the provider says of one shift that it is gone", async () => {
      const of = await implausible();
      of.provider.deleteShift(of.shiftId);
      of.provider.clearFaults();
      await of.settled();
      await expect.poll(() => of.job(of.shiftId)).toMatchObject({ status: "cancelled" });
      expect(await healthOf(of)).toMatchObject({ code: "reachable" });
      expect(await issues(of)).toEqual([]);
    });

    it("is good when the provider was down meanwhile and has recovered", async () => {
      const of = await implausible();
      of.provider.clearFaults();
      of.provider.setFault("unavailable", { retryAfter: "0" });
      await expect.poll(() => healthOf(of), { timeout: 10_000 }).toMatchObject({ code: "unreachable" });
      of.provider.clearFaults();
      await of.settled();
      await expect.poll(() => healthOf(of), { timeout: 10_000 }).toMatchObject({ code: "reachable" });
      expect(await issues(of)).toEqual([]);
    });
  });
});
