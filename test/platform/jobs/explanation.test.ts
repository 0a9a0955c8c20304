import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

const NO_SUCH = "0190c7a4-0000-7000-8000-00000000dead";

describe.each(featureEngines)("why a job is not staffed, on %s", (engine) => {
  const harness = useHarness(engine, { calls: { perSecond: 1_000, perMinute: 60_000 } });

  const explanation = async (jobId: string) =>
    ok(await harness().operations.explainJob({ params: { path: { jobId } } }));
  const codes = async (jobId: string) => (await explanation(jobId)).reasons.map(({ code }) => code);

  const open = async () => {
    const registered = await harness().onboard({ connect: false });
    const { provider, trySend, findJob } = registered;
    const openJob = async (positions = 1) => {
      const { shiftId } = provider.createShift({ positions });
      await trySend(shiftId);
      await harness().platform.idle();
      const { jobId = "" } = (await findJob(shiftId)) ?? {};
      return { jobId, shiftId };
    };
    const accept = async (jobId: string, candidateId: string) => {
      const answer = await harness().operations.acceptJob({
        params: { path: { jobId } },
        body: { candidateId },
      });
      await harness().platform.idle();
      return answer;
    };
    return { ...registered, openJob, accept };
  };

  it("counts candidates by competence, bookings elsewhere, offers and accepts", async () => {
    const { openJob, accept, addPerson } = await open();
    const [first, second] = [(await addPerson()).candidateId, (await addPerson()).candidateId];
    const [here, there] = [await openJob(2), await openJob(1)];
    expect(await explanation(here.jobId)).toMatchObject({
      verdict: "open",
      params: { positions: 2, booked: 0, offered: 2 },
      reasons: [{ code: "not_accepted_yet", params: { offered: 2 } }],
    });
    await accept(there.jobId, second);
    expect(await codes(there.jobId)).toEqual(["filled"]);
    expect(await explanation(here.jobId)).toMatchObject({
      reasons: [{ code: "not_accepted_yet" }, { code: "some_not_free", params: { busy: 1 } }],
    });
    await accept(here.jobId, first);
    expect(await explanation(here.jobId)).toMatchObject({
      verdict: "open",
      params: { positions: 2, booked: 1, free: 0, busy: 1 },
      reasons: [{ code: "nobody_free" }],
    });
    await addPerson();
    await harness().platform.idle();
    expect(await codes(here.jobId)).toContain("not_accepted_yet");
  });

  it("counts candidates who have become free since the offer, and are offered the job by now", async () => {
    const { openJob, accept, addPerson } = await open();
    const { candidateId } = await addPerson();
    const { jobId } = await openJob();
    await accept(jobId, candidateId);
    const here = await openJob();
    expect(await codes(here.jobId)).toEqual(["nobody_free"]);
    await harness().operations.withdrawBooking({ params: { path: { jobId, candidateId } } });
    await harness().platform.idle();
    await expect.poll(() => codes(here.jobId)).toEqual(["not_accepted_yet"]);
  });

  it("names the provider's refusal, but not the candidate", async () => {
    const { openJob, accept, addPerson, provider } = await open();
    const { candidateId, personalNumber } = await addPerson();
    const { jobId } = await openJob();
    provider.setFault("assign-conflict", { times: 1 });
    await accept(jobId, candidateId);
    const explained = await explanation(jobId);
    expect(explained.reasons).toContainEqual({
      code: "booking_released",
      params: { count: 1, reason: "shift_full" },
    });
    expect(JSON.stringify(explained)).not.toMatch(new RegExp(`${personalNumber}|robin|Robin|${candidateId}`));
  });

  it("names unprocessed events and a suspension", async () => {
    const { openJob, provider, trySend, params } = await open();
    const { jobId, shiftId } = await openJob();
    provider.setFault("end-before-start", { times: 1 });
    await trySend(shiftId, undefined, "shift.update");
    await harness().platform.idle();
    expect(await codes(jobId)).toEqual(["nobody_has_competence", "event_failed"]);
    await harness().operations.suspendIntegration({ params });
    await trySend(shiftId, undefined, "shift.update");
    expect(await codes(jobId)).toEqual([
      "integration_suspended",
      "nobody_has_competence",
      "event_waiting",
      "event_failed",
    ]);
  });

  it("returns 404 for an unknown job", async () => {
    const { operations } = harness();
    const ask = async (jobId: string) => {
      const { error, response } = await operations.explainJob({ params: { path: { jobId } } });
      return [response.status, error?.code];
    };
    expect(await ask(NO_SUCH)).toEqual([404, "job_not_found"]);
    expect(await ask("nonsense")).toEqual([400, "validation_failed"]);
  });

  it("lets an operator close an issue, and opens a new one when the cause returns", async () => {
    const { operations, platform } = harness();
    const { openJob, provider, trySend } = await open();
    const { shiftId } = await openJob();
    const { providerId } = provider;
    const fail = async () => {
      provider.setFault("end-before-start", { times: 1 });
      await trySend(shiftId, undefined, "shift.update");
      await platform.idle();
    };
    const issues = async () => ok(await operations.listIssues({ params: { query: { providerId } } })).items;
    const close = async (issueId: string) =>
      (await operations.resolveIssue({ params: { path: { issueId } } })).response.status;
    await fail();
    const [issue] = await issues();
    expect(issue).toMatchObject({ code: "shift_unusable", count: 1 });
    expect([await close(issue?.issueId ?? ""), await close(issue?.issueId ?? "")]).toEqual([204, 204]);
    expect(await issues()).toEqual([]);
    await fail();
    const [again] = await issues();
    expect(again).toMatchObject({ code: "shift_unusable", count: 1 });
    expect(again?.issueId).not.toBe(issue?.issueId);
    expect([await close(NO_SUCH), await close("nonsense")]).toEqual([404, 400]);
  });
});
