import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { startHarness, useHarness } from "../../harness/platform.ts";

describe.each(featureEngines)("the health of an integration, on %s", (engine) => {
  const harness = useHarness(engine, {
    timing: { probeMs: 50, onboardingRetriesMs: [], hourlyMs: 100 },
  });
  const healthOf = async ({ params }: Organisation) =>
    ok(await harness().operations.getIntegration({ params })).health;
  const issues = async ({ params }: Organisation) => {
    const query = { providerId: params.path.providerId };
    return ok(await harness().operations.listIssues({ params: { query } })).items;
  };

  it("is good at first, with an empty backlog", async () => {
    const since = expect.any(String);
    const health = { code: "reachable", since, paused: "nothing", resumes: "automatically", waiting: 0 };
    const registered = await harness().onboard({ connect: false, activate: false });
    // The provider is checked first.
    await harness().platform.idle();
    expect(await healthOf(registered)).toEqual(health);
  });

  it("pauses all calls after 401: one issue, nothing fails, and a good response resumes it", async () => {
    const of = await harness().onboard({ connect: false });
    const { provider, trySend, findJob, processed } = of;
    provider.setFault("token-rejected");
    const shiftIds = [1, 2, 3].map(() => provider.createShift().shiftId);
    for (const shiftId of shiftIds) expect(await trySend(shiftId)).toBe(200);
    const paused = { code: "token_rejected", paused: "all_calls", resumes: "with_good_response" };
    await expect.poll(() => healthOf(of)).toMatchObject({ ...paused, waiting: 3 });
    const issue = {
      code: "token_rejected",
      subject: { kind: "integration" },
      params: { status: 401 },
      count: 1,
    };
    expect(await issues(of)).toMatchObject([issue]);
    provider.clearFaults();
    await processed();
    for (const shiftId of shiftIds) expect(await findJob(shiftId)).toMatchObject({ status: "open" });
    const reachable = { code: "reachable", paused: "nothing", waiting: 0 };
    await expect.poll(() => healthOf(of)).toMatchObject(reachable);
    expect(await issues(of)).toEqual([]);
  });

  it("shows until when the provider asks for silence, and ends that with the first response afterwards", async () => {
    const of = await harness().onboard({ connect: false });
    const { shiftId } = of.provider.createShift();
    of.provider.setFault("rate-limited", { retryAfter: "1" });
    expect(await of.trySend(shiftId)).toBe(200);
    const silent = { code: "rate_limited", paused: "all_calls", until: expect.any(String) };
    await expect.poll(() => healthOf(of)).toMatchObject(silent);
    of.provider.clearFaults();
    await of.processed();
    expect(await of.findJob(shiftId)).toMatchObject({ status: "open" });
    await expect.poll(() => healthOf(of)).toMatchObject({ code: "reachable" });
    expect(await issues(of)).toEqual([]);
  });

  describe("after 404 for everything", () => {
    const implausible = async () => {
      const of = await harness().onboard({ connect: false });
      const shiftId = of.provider.createShift().shiftId;
      await of.trySend(shiftId);
      await of.processed();
      of.provider.setFault("gateway-not-found");
      await of.trySend(shiftId, of.platformToken, "shift.update");
      await expect.poll(() => healthOf(of)).toMatchObject({ code: "implausible" });
      return { ...of, shiftId };
    };

    it("is good once the provider reports one shift as deleted", async () => {
      const of = await implausible();
      of.provider.deleteShift(of.shiftId);
      of.provider.clearFaults();
      await of.processed();
      await expect.poll(() => of.findJob(of.shiftId)).toMatchObject({ status: "cancelled" });
      expect(await healthOf(of)).toMatchObject({ code: "reachable" });
      expect(await issues(of)).toEqual([]);
    });

    it("is good when the provider was down meanwhile and has recovered", async () => {
      const of = await implausible();
      of.provider.clearFaults();
      of.provider.setFault("unavailable", { retryAfter: "0" });
      await expect.poll(() => healthOf(of)).toMatchObject({ code: "unreachable" });
      of.provider.clearFaults();
      await of.processed();
      await expect.poll(() => healthOf(of)).toMatchObject({ code: "reachable" });
      expect(await issues(of)).toEqual([]);
    });
  });
});

describe.each(featureEngines)(
  "the health of an integration whose responses break the contract, on %s",
  (engine) => {
    const harness = useHarness(engine, { timing: { probeMs: 50, onboardingRetriesMs: [] } });

    it("is bad while every response breaks the contract, and the first good one resumes what has failed", async () => {
      const of = await harness().onboard({ connect: false });
      const shiftIds = [1, 2].map(() => of.provider.createShift().shiftId);
      of.provider.setFault("garbage");
      for (const shiftId of shiftIds) await of.trySend(shiftId);
      await expect.poll(async () => (await of.integration()).health).toMatchObject({ code: "implausible" });
      await expect
        .poll(async () => (await of.events({})).map(({ status }) => status))
        .toEqual(["dead", "dead"]);
      expect(await of.issueCodes()).toContain("provider_implausible");
      of.provider.clearFaults();
      for (const shiftId of shiftIds)
        await expect.poll(() => of.findJob(shiftId)).toMatchObject({ status: "open" });
      await expect.poll(async () => (await of.integration()).health).toMatchObject({ code: "reachable" });
      await expect.poll(of.issueCodes).toEqual([]);
    });

    it("is good while one shift alone breaks the contract", async () => {
      const of = await harness().onboard({ connect: false });
      const { shiftId } = of.provider.createShift();
      of.provider.setFault("garbage", { operations: ["getShift"] });
      await of.trySend(shiftId);
      await expect.poll(async () => (await of.events({})).map(({ status }) => status)).toEqual(["dead"]);
      expect((await of.integration()).health).toMatchObject({ code: "reachable" });
      expect(await of.issueCodes()).toEqual(["provider_gave_no_answer"]);
    });
  },
);

describe("the log of what a provider refuses (contract 7.1)", () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });

  it("names the call, its trace and the status, and never the person", async () => {
    const harness = await startHarness("pglite", { log });
    const organisation = await harness.onboard({ dialect: { notFound: "404" } });
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("assign-conflict");
    await organisation.accept(job, person);
    await harness.closeProviders();
    await harness.close();
    const refusals = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "the provider refused a call");
    expect(refusals).toMatchObject([
      {
        providerId: organisation.providerId,
        traceId: job.traceId,
        method: "PUT",
        path: expect.stringContaining(`/shifts/${job.shiftId}/assign/`),
        status: 409,
      },
    ]);
    expect(lines.some((line) => line.includes(person.personalNumber))).toBe(false);
    expect(lines.some((line) => /robin|example\.com|\+4670/i.test(line))).toBe(false);
  });
});

describe("a refusal to read a shift", () => {
  const harness = useHarness("pglite");

  it("is not repeated, and raises an issue until the shift can be read", async () => {
    const organisation = await harness().onboard();
    organisation.provider.setFault("valid-refused", { operations: ["getShift"] });
    const { shiftId, traceId } = organisation.provider.createShift();
    await organisation.idle();
    const verdict = { code: "provider_refused", params: { status: 400 } };
    expect(await organisation.event(traceId)).toMatchObject({ status: "failed", attempts: 1, verdict });
    expect(await organisation.issues()).toMatchObject([verdict]);
    organisation.provider.clearFaults();
    organisation.provider.updateShift(shiftId, {});
    await organisation.idle();
    expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.issues()).toEqual([]);
  });
});
