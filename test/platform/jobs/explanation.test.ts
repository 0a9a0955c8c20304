import { describe, expect, it } from "vitest";
import { featureEngines } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { ok, useRunning } from "../integrations/running.ts";

const NO_SUCH = "0190c7a4-0000-7000-8000-00000000dead";

describe.each(featureEngines)("the explanation of an unstaffed job on %s", (engine) => {
  const running = useRunning(engine, { calls: { perSecond: 1_000, perMinute: 60_000 } });
  let used = 0;
  const nextNumber = () => published.personnummer[used++] ?? "";

  const explanation = async (jobId: string) =>
    ok(await running().operations.explainJob({ params: { path: { jobId } } }));
  const codes = async (jobId: string) => (await explanation(jobId)).reasons.map(({ code }) => code);

  const open = async () => {
    const registered = await running().register();
    const { provider, tell, job } = registered;
    const openJob = async (positions = 1) => {
      const { shiftId } = provider.createShift({ positions });
      await tell(shiftId);
      await running().platform.idle();
      const { jobId = "" } = (await job(shiftId)) ?? {};
      return { jobId, shiftId };
    };
    const accept = async (jobId: string, candidateId: string) => {
      const answer = await running().operations.acceptJob({
        params: { path: { jobId } },
        body: { candidateId },
      });
      await running().platform.idle();
      return answer;
    };
    return { ...registered, openJob, accept };
  };

  it("counts candidates with the competence, with another job, with an offer, and with a booking", async () => {
    const { openJob, accept, addPerson } = await open();
    const [first, second] = [await addPerson(nextNumber()), await addPerson(nextNumber())];
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
    await addPerson(nextNumber());
    await running().platform.idle();
    expect(await codes(here.jobId)).toContain("not_accepted_yet");
  });

  it("includes candidates who became free after the offer", async () => {
    const { openJob, accept, addPerson } = await open();
    const candidateId = await addPerson(nextNumber());
    const { jobId } = await openJob();
    await accept(jobId, candidateId);
    const here = await openJob();
    expect(await codes(here.jobId)).toEqual(["nobody_free"]);
    await running().operations.withdrawBooking({ params: { path: { jobId, candidateId } } });
    await running().platform.idle();
    expect(await codes(here.jobId)).toEqual(["not_offered_yet"]);
  });

  it("gives the provider's refusal without naming the person", async () => {
    const { openJob, accept, addPerson, provider } = await open();
    const number = nextNumber();
    const candidateId = await addPerson(number);
    const { jobId } = await openJob();
    provider.setFault("assign-conflict", { times: 1 });
    await accept(jobId, candidateId);
    const told = await explanation(jobId);
    expect(told.reasons).toContainEqual({
      code: "booking_released",
      params: { count: 1, reason: "shift_full" },
    });
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`${number}|robin|Robin|${candidateId}`));
  });

  it("gives unprocessed events and a suspension as reasons", async () => {
    const { openJob, provider, tell, params } = await open();
    const { jobId, shiftId } = await openJob();
    provider.setFault("end-before-start", { times: 1 });
    await tell(shiftId, undefined, "shift.update");
    await running().platform.idle();
    expect(await codes(jobId)).toEqual(["nobody_has_competence", "event_failed"]);
    await running().operations.suspendIntegration({ params });
    await tell(shiftId, undefined, "shift.update");
    expect(await codes(jobId)).toEqual([
      "integration_suspended",
      "nobody_has_competence",
      "event_waiting",
      "event_failed",
    ]);
  });

  it("returns 404 for an unknown job", async () => {
    const { operations } = running();
    const ask = async (jobId: string) => {
      const { error, response } = await operations.explainJob({ params: { path: { jobId } } });
      return [response.status, error?.code];
    };
    expect(await ask(NO_SUCH)).toEqual([404, "job_not_found"]);
    expect(await ask("nonsense")).toEqual([400, "validation_failed"]);
  });

  it("lets an operator close an issue, which is raised again when the cause recurs", async () => {
    const { operations, platform } = running();
    const { openJob, provider, tell } = await open();
    const { shiftId } = await openJob();
    const { providerId } = provider;
    const fail = async () => {
      provider.setFault("end-before-start", { times: 1 });
      await tell(shiftId, undefined, "shift.update");
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
