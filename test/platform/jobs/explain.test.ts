import { describe, expect, it } from "vitest";
import { explain, type StaffingFacts } from "../../../src/platform/jobs/staffing.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

const OPEN: StaffingFacts = {
  status: "open",
  positions: 2,
  isCancelling: false,
  isPaused: false,
  ownPeople: 0,
  integration: "active",
  outlet: { id: "o1", name: "Bar", isMapped: true },
  role: { id: "r1", name: null, isMapped: true },
  confirmed: 1,
  pending: 0,
  pendingFailure: undefined,
  able: 0,
  busy: 0,
  offered: 0,
  lost: [],
  events: [],
};

/** What is different, the codes, and the verdict. */
const CASES: [string, Partial<StaffingFacts>, string[], string][] = [
  ["cancelled", { status: "cancelled" }, ["cancelled"], "cancelled"],
  ["expired", { status: "expired" }, ["expired"], "expired"],
  [
    "being cancelled",
    { isCancelling: true, able: 1, offered: 1 },
    ["being_cancelled", "not_accepted_yet"],
    "being_cancelled",
  ],
  [
    "blocked by both mappings",
    {
      status: "blocked_mapping",
      outlet: { id: "o1", name: "Bar", isMapped: false },
      role: { id: "r1", name: null, isMapped: false },
    },
    ["outlet_not_mapped", "role_not_mapped"],
    "blocked_mapping",
  ],
  [
    "suspended",
    { integration: "suspended", able: 1 },
    ["integration_suspended", "not_offered_yet"],
    "on_hold",
  ],
  ["filled", { status: "filled", confirmed: 2 }, ["filled"], "filled"],
  [
    "filled by people assigned by the provider",
    { status: "filled", confirmed: 1, ownPeople: 1 },
    ["filled", "own_people"],
    "filled",
  ],
  [
    "paused: the provider rejects the token",
    { isPaused: true, able: 1, offered: 1 },
    ["integration_paused", "not_accepted_yet"],
    "on_hold",
  ],
  ["overfilled", { status: "filled", confirmed: 3 }, ["overfilled"], "filled"],
  ["without a candidate who has the competence", {}, ["nobody_has_competence"], "open"],
  ["whose candidates all work elsewhere", { able: 3, busy: 3 }, ["nobody_free"], "open"],
  [
    "offered, and not accepted",
    { able: 3, busy: 1, offered: 2 },
    ["not_accepted_yet", "some_not_free"],
    "open",
  ],
  ["not offered to all", { able: 3, offered: 1 }, ["not_accepted_yet", "not_offered_yet"], "open"],
  [
    "waiting for the provider, after others were refused",
    {
      able: 1,
      offered: 1,
      pending: 1,
      pendingFailure: { failure: "http_error", status: 503 },
      lost: [
        { status: "released", reason: "shift_full", count: 2 },
        { status: "failed", reason: "candidate_ambiguous", count: 1 },
      ],
    },
    ["not_accepted_yet", "waiting_for_provider", "booking_released", "booking_failed"],
    "open",
  ],
  [
    "with events that are not done",
    {
      events: [
        { event: "shift.update", status: "queued", verdict: null },
        {
          event: "shift.update",
          status: "dead",
          verdict: { code: "provider_unavailable", params: { attempts: 12 } },
        },
        { event: "shift.create", status: "failed", verdict: { code: "shift_unusable", params: {} } },
      ],
    },
    ["nobody_has_competence", "event_waiting", "event_dead", "event_failed"],
    "open",
  ],
];

describe("the explanation of a job", () => {
  it.each(CASES)("explains a job that is %s", (_name, facts, codes, verdict) => {
    const explanation = explain({ ...OPEN, ...facts });
    expect(explanation.reasons.map(({ code }) => code)).toEqual(codes);
    expect(explanation.verdict).toBe(verdict);
  });

  it("gives the reason for the last failed call of a pending booking, and for each waiting event", () => {
    const { reasons } = explain({
      ...OPEN,
      pending: 1,
      pendingFailure: { failure: "http_error", status: 503 },
      events: [
        {
          event: "shift.update",
          status: "dead",
          verdict: { code: "provider_unavailable", params: { attempts: 12 } },
        },
      ],
    });
    expect(reasons).toContainEqual({
      code: "waiting_for_provider",
      params: { failure: "http_error", status: 503, count: 1 },
    });
    expect(reasons).toContainEqual({
      code: "event_dead",
      params: { attempts: 12, event: "shift.update", eventVerdict: "provider_unavailable" },
    });
  });

  it("counts candidates who are booked, are free, and hold an offer", () => {
    const facts = { ...OPEN, pending: 1, ownPeople: 2, able: 5, busy: 2, offered: 1 };
    expect(explain(facts).params).toEqual({
      positions: 2,
      booked: 2,
      ownPeople: 2,
      free: 3,
      busy: 2,
      offered: 1,
    });
  });
});

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
