import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type {
  BacklogLimit,
  Health,
  Issue,
  Outcome,
  Params,
  Reason,
  Subject,
} from "../../generated/operations/types.ts";
import {
  backlogText,
  bookingReasonText,
  bookingStatusText,
  cancelledByText,
  changeReasonText,
  deliveryText,
  eventStatusText,
  failureText,
  healthText,
  issueText,
  issueTitle,
  jobStatusText,
  mailWaitText,
  notificationText,
  offerOrderText,
  outcomeText,
  staffingReasonText,
  staffingText,
  stepText,
  subjectText,
  warningText,
} from "../../src/contract/operator-text.ts";

/** A schema of the specification, as far as this test reads it. */
interface Schema {
  enum?: string[];
  properties?: Record<string, Schema>;
}

const read = (path: string) => parse(readFileSync(new URL(`../../spec/${path}`, import.meta.url), "utf8"));
const codes: Record<string, Schema> = read("schemas/codes.yaml");
const operations: Record<string, Schema> = read("operations.openapi.yaml").components.schemas;

/** Every member, as the platform may send it. */
const FULL: Required<Params> = {
  attempts: 3,
  afterMs: 8_000,
  failure: "http_error",
  status: 503,
  providerCode: "E1",
  pointers: ["/startTime"],
  fault: "end_not_after_start",
  pointer: "/endTime",
  recheck: "unchanged",
  reason: "shift_full",
  changeReason: "provider_refused",
  jobStatus: "open",
  variant: "b",
  warnings: ["positions_differ"],
  event: "shift.create",
  traceId: "trace",
  kind: "job_offered",
  shifts: 3,
  read: 2,
  changed: 1,
  cancelled: 1,
  held: 1,
  tokensEnded: 2,
  erased: 1,
  notErased: ["c1"],
  count: 2,
  booked: 1,
  ownPeople: 1,
  positions: 3,
  free: 2,
  offered: 1,
  busy: 2,
  startTime: "2026-11-22T08:00:00.000Z",
  endTime: "2026-11-22T16:00:00.000Z",
  outletId: "12",
  outletName: "Kajen",
  roleId: "7",
  roleName: "Waiter",
  otherJobId: "job",
  providerCandidateId: "p1",
  first: 1,
  last: 200,
  imported: 3,
  updated: 2,
  skipped: 1,
  invalid: 1,
  health: "token_rejected",
  since: "2026-11-22T08:00:00.000Z",
  until: "2026-11-22T08:05:00.000Z",
  perMinute: 500,
  responseMs: 1_250,
  atOnce: 5,
  delivery: "gave_up",
  notificationId: "notification",
  eventVerdict: "will_retry",
  routingAttempts: [{ routing: "path", url: "https://provider.example/providers/1/outlets", status: 404 }],
  findings: [
    {
      severity: "error",
      title: "A wrong token is accepted",
      section: "5",
      expected: "401",
      actual: "200",
      reproduce: "curl",
      fix: "Compare the whole token.",
    },
  ],
};
const SUBJECT: Required<Subject> = {
  kind: "booking",
  shiftId: "s1",
  candidateId: "c1",
  outletId: "12",
  roleId: "7",
  operation: "listRoles",
  finding: "wrong_token_accepted",
  notificationId: "n1",
};

type Render = (code: never, params: Params) => string | object;

/** Each list of codes, and what renders it. */
const RENDERED: [name: string, schema: Schema | undefined, render: Render][] = [
  ["FailureCode", codes.FailureCode, (failure, params) => failureText({ ...params, failure })],
  ["OutcomeCode", codes.OutcomeCode, (code, params) => outcomeText({ code, params })],
  ["StepName", codes.StepName, (step) => stepText(step)],
  ["BookingReason", codes.BookingReason, (reason, params) => bookingReasonText(reason, params)],
  ["ChangeReason", codes.ChangeReason, (reason, params) => changeReasonText(reason, params)],
  ["NotificationKind", codes.NotificationKind, (kind) => notificationText(kind)],
  ["DeliveryCode", codes.DeliveryCode, (code, params) => deliveryText(code, params)],
  ["WaitCode", codes.WaitCode, (code) => mailWaitText(code)],
  ["IssueCode", codes.IssueCode, (code, params) => issueText({ code, params, subject: SUBJECT })],
  ["IssueCode as a title", codes.IssueCode, (code) => issueTitle(code)],
  ["Subject.kind", codes.Subject?.properties?.kind, (kind) => subjectText({ ...SUBJECT, kind })],
  ["StaffingCode", codes.StaffingCode, (verdict, params) => staffingText({ verdict, params })],
  ["StaffingReasonCode", codes.StaffingReasonCode, (code, params) => staffingReasonText({ code, params })],
  ["BacklogLimitCode", codes.BacklogLimitCode, (code, params) => backlogText({ code, params })],
  [
    "HealthCode",
    codes.HealthCode,
    (code) => healthText({ code, paused: "nothing", resumes: "automatically" }),
  ],
  [
    "Health.paused",
    operations.Health?.properties?.paused,
    (paused) => healthText({ code: "unreachable", paused, resumes: "automatically" }).paused,
  ],
  [
    "Health.resumes",
    operations.Health?.properties?.resumes,
    (resumes) => healthText({ code: "unreachable", paused: "all_calls", resumes }).resumes,
  ],
  ["JobStatus", operations.JobStatus, (status) => jobStatusText(status)],
  ["BookingStatus", operations.BookingStatus, (status) => bookingStatusText(status)],
  ["EventStatus", operations.EventStatus, (status) => eventStatusText({ status, attempts: 0 })],
  ["Job.cancelledBy", operations.Job?.properties?.cancelledBy, (by) => cancelledByText(by)],
];

const EACH_CODE = RENDERED.flatMap(([name, schema, render]) =>
  (schema?.enum ?? []).map((code) => [name, code, render] as const),
);

const textsOf = (rendered: string | object): string[] =>
  typeof rendered === "string" ? [rendered] : Object.values(rendered);

describe("the text of a code", () => {
  it("exists for every list of codes", () => {
    const lists = Object.entries(codes).flatMap(([name, schema]) => (schema.enum ? [name] : []));
    const rendered = new Set(RENDERED.map(([name]) => name));
    expect(lists.filter((name) => !rendered.has(name))).toEqual([]);
    expect(RENDERED.flatMap(([name, schema]) => (schema?.enum ? [] : [name]))).toEqual([]);
  });

  it.each(EACH_CODE)("of %s %s is complete, with params and without", (_list, code, render) => {
    for (const params of [{}, FULL]) {
      for (const text of textsOf(render(code as never, params))) {
        expect(text).toMatch(/\S/);
        expect(text).not.toMatch(/undefined|null|NaN|\[object|\$\{|=>/);
        expect(text).not.toMatch(/ {2}|[ :,(]$|\(\)|: \.| \.|\.\.|:[^/]*:.*:/);
        if (code.includes("_")) expect(text).not.toContain(code);
      }
    }
  });

  it.each(RENDERED)("of an unknown %s is the code itself", (_list, _schema, render) => {
    for (const code of ["code_of_tomorrow", "toString"]) {
      expect(textsOf(render(code as never, {}))).toContain(code);
    }
  });

  it.each(EACH_CODE)("of %s %s repeats only declared params", (_list, code, render) => {
    const person = { firstName: "Astrid", email: "astrid@mail.example", personalNumber: "a number" };
    const params = { ...FULL, ...person, providerCode: "Astrid astrid@mail.example" };
    for (const text of textsOf(render(code as never, params))) {
      expect(text).not.toMatch(/Astrid|mail\.example|a number/i);
    }
  });
});

const outcome = (code: Outcome["code"], params: Params = {}): Outcome => ({ code, params });

describe("an outcome", () => {
  it.each([
    [outcome("stored", { event: "shift.create" }), "Stored: shift.create"],
    [outcome("shift_read", { variant: "b" }), "Shift read (variant B)"],
    [outcome("job_created", { jobStatus: "open" }), "Job created: open"],
    [
      outcome("will_retry", { afterMs: 8_000, failure: "http_error", status: 503, attempts: 3 }),
      "Will retry in 8 s: HTTP 503 (attempt 3)",
    ],
    [
      outcome("will_recheck", { afterMs: 120_000, recheck: "still_visible" }),
      "Will recheck in 2 min: the provider still shows the shift",
    ],
    [outcome("echo_of_delete"), "Skipped: echo of the platform's DELETE"],
    [
      outcome("provider_unavailable", { attempts: 12, failure: "timeout" }),
      "No usable response after 12 attempts: no response in time",
    ],
    [outcome("candidates_matched", { free: 3, offered: 1 }), "3 candidates available, 1 with an offer"],
    [outcome("notified", { count: 1, kind: "shift_cancelled" }), "1 candidate notified: shift cancelled"],
    [
      outcome("booking_failed", { reason: "assignment_refused", status: 422, providerCode: "too_young" }),
      "Booking failed: the provider refused the assignment (HTTP 422, too_young)",
    ],
    [
      outcome("change_refused", {
        changeReason: "shift_unusable",
        fault: "end_not_after_start",
        pointer: "/endTime",
      }),
      "Change refused: the shift would be unusable: the end is not after the start (end time)",
    ],
    [
      outcome("registry_imported", {
        first: 1,
        last: 200,
        imported: 150,
        updated: 20,
        skipped: 28,
        invalid: 2,
      }),
      "Entries 1 to 200: 150 imported, 20 updated, 28 skipped, 2 invalid",
    ],
  ])("%j reads as a phrase of a timeline", (verdict, text) => {
    expect(outcomeText(verdict)).toBe(text);
  });

  it("explains the order of offers in two sentences", () => {
    const [waves, order, ...more] = offerOrderText({ size: 10, pauseMinutes: 30 }).split(/(?<=\.) /);
    expect(waves).toMatch(
      /^Offers go out to 10 candidates at a time, 30 minutes after the last mail of the wave/,
    );
    expect(order).toMatch(/^Those who have worked at this workplace are asked first/);
    expect(more).toEqual([]);
  });

  it("names the refused call where the step is one", () => {
    const refused = outcome("provider_refused", { status: 409, providerCode: "shift_full" });
    expect(outcomeText(refused, "assign")).toBe(
      "Assignment refused by the provider: HTTP 409, every position of the shift is taken",
    );
    expect(outcomeText(refused, "event")).toBe(
      "Call refused by the provider: HTTP 409, every position of the shift is taken",
    );
    expect(outcomeText(refused)).toBe(
      "Call refused by the provider: HTTP 409, every position of the shift is taken",
    );
  });
});

describe("a failure", () => {
  it("names the places of a contract violation, five at most", () => {
    const pointers = ["", "/a", "/b", "/c", "/d", "/e"];
    expect(failureText({ failure: "contract_violation", pointers })).toBe(
      "contract violation in the response at the body, a, b, c, d",
    );
  });

  it.each([
    ["shift_full", "every position of the shift is taken"],
    ["ECONNREFUSED", "connection refused"],
    ["too_young", "too_young"],
  ])("puts the code %s in words unless it is the provider's own", (providerCode, words) => {
    expect(failureText({ status: 409, providerCode })).toBe(`HTTP 409, ${words}`);
  });

  it("names the system's code of a connection error", () => {
    const params: Params = { failure: "connection_failed", providerCode: "ECONNREFUSED" };
    expect(failureText(params)).toBe("connection refused");
  });
});

describe("an explanation", () => {
  const verdict = (params: Params) => staffingText({ verdict: "open", params });

  it.each([
    [{ booked: 1, positions: 2, free: 0 }, "1 of 2 positions taken, and no other candidate is available."],
    [
      { booked: 0, positions: 1, free: 1 },
      "0 of 1 position taken, and 1 available candidate has no offer yet.",
    ],
    [
      { booked: 1, ownPeople: 1, positions: 3, free: 4, offered: 2 },
      "2 of 3 positions taken, 1 by the provider's own people, and 2 candidates with an offer have not accepted.",
    ],
  ])("of %j is one sentence", (params, text) => {
    expect(verdict(params)).toBe(`The job is open: ${text}`);
  });

  const reason = (code: Reason["code"], params: Params = {}) => staffingReasonText({ code, params });

  it("has a remedy only where an operator can act", () => {
    expect(reason("booking_released", { count: 1, reason: "shift_full" })).toEqual({
      detail: "1 booking was released: the shift is full at the provider.",
    });
    expect(reason("nobody_free", { busy: 2 })).toEqual({
      detail: "All 2 other candidates with the competence are booked elsewhere at that time.",
      remedy: "Add candidates, or ask the provider for other times.",
    });
    expect(reason("waiting_for_provider", { count: 1 })).toEqual({
      detail: "1 booking waits for the provider to confirm.",
    });
    expect(reason("waiting_for_provider", { count: 2, failure: "timeout" }).detail).toBe(
      "2 bookings wait for the provider to confirm; last attempt: no response in time.",
    );
  });

  it("repeats the outcome of an event that is not processed", () => {
    const params: Params = {
      event: "shift.update",
      eventVerdict: "shift_unusable",
      fault: "time_impossible",
    };
    expect(reason("event_failed", params).detail).toBe(
      "shift.update could not be processed. Last outcome: Shift unusable: a time does not exist.",
    );
  });
});

describe("an issue", () => {
  const issue = (code: Issue["code"], params: Params = {}, subject: Subject = { kind: "shift" }) =>
    issueText({ code, params, subject });

  it("has a noun phrase, a sentence, and an imperative", () => {
    expect(issue("outlet_not_mapped", { outletName: "Kajen" }, { kind: "outlet", outletId: "12" })).toEqual({
      title: "Outlet not mapped",
      detail: "The outlet Kajen is not mapped to a workplace, so its jobs are blocked.",
      remedy: "Map the outlet to a workplace. Blocked jobs continue automatically.",
    });
    expect(issue("shift_overfilled", { booked: 2, ownPeople: 1, positions: 2 }).detail).toBe(
      "3 people are on the shift for 2 positions.",
    );
  });

  it("of a provider check lists every finding, and each fix once", () => {
    const [finding] = FULL.findings;
    const { reproduce: _, ...other } = { ...FULL.findings[0], title: "No token is accepted" } as const;
    const { detail, remedy } = issue("provider_check", {
      findings: [finding, other] as Params["findings"] & {},
    });
    expect(detail).toBe(
      "Error: A wrong token is accepted (contract section 5).\nExpected: 401\nActual: 200\nReproduce: curl\n\n" +
        "Error: No token is accepted (contract section 5).\nExpected: 401\nActual: 200",
    );
    expect(remedy).toBe("Compare the whole token.");
  });

  it("of a notification asks for the address only where the address is at fault", () => {
    const server = issue("notification_failed", { delivery: "tls_unavailable" }, { kind: "mail_server" });
    expect(server.detail).toBe("A notification was not delivered: the mail server offers no TLS.");
    expect(server.remedy).toBe(
      "Check the mail server and its settings. Pending mail is sent automatically when the server has recovered.",
    );
    expect(issue("notification_failed", {}, { kind: "notification" }).remedy).toBe(
      "Check the e-mail address with the candidate, correct it, then send the notification again.",
    );
    const service = issue("notification_failed", { attempts: 12, status: 503 }, { kind: "webhook" });
    expect(service.detail).toBe("Notifications could not be handed to the company's service: HTTP 503.");
    expect(service.remedy).toMatch(/^Check the service/);
    const gone = issue("notification_failed", { status: 410 }, { kind: "webhook" });
    expect(gone.detail).toBe("The service that gets notifications refuses any more of them: HTTP 410.");
    expect(gone.remedy).toMatch(/then resolve the issue/);
  });

  it("names its subject by ids", () => {
    expect(subjectText(SUBJECT)).toBe("candidate c1 on shift s1");
    expect(subjectText({ ...SUBJECT, kind: "operation" })).toBe("listRoles: wrong_token_accepted");
    expect(subjectText({ ...SUBJECT, kind: "notification" })).toBe("notification n1 to candidate c1");
  });
});

describe("the limit of a backlog", () => {
  it.each([
    [{ code: "paused", params: { health: "token_rejected" } }, "Work is paused: token rejected."],
    [{ code: "rate_limit", params: { perMinute: 500 } }, "Calls wait for the limit of 500 calls per minute."],
    [
      { code: "rate_limit", params: { until: "2026-11-22T08:05:00.000Z" } },
      "The provider asked the platform to send no calls for a while.",
    ],
    [
      { code: "latency", params: { responseMs: 1_250, atOnce: 5 } },
      "The provider takes 1.3 s for a response, and at most 5 runs can call it at the same time.",
    ],
    [
      { code: "latency", params: { responseMs: 320, atOnce: 1 } },
      "The provider takes 320 ms for a response, and at most 1 run can call it at the same time.",
    ],
  ] satisfies [BacklogLimit, string][])("%j reads as a sentence", (limit, text) => {
    expect(backlogText(limit)).toBe(text);
  });
});

it("describes what a provider's health pauses and what ends the pause", () => {
  const health: Health = {
    code: "token_rejected",
    since: "2026-11-22T08:00:00.000Z",
    paused: "all_calls",
    resumes: "with_good_response",
  };
  expect(healthText(health)).toEqual({
    title: "Token rejected",
    detail: "The provider rejects the provider token with 401 or 403.",
    paused: "All calls to the provider, except one probe per minute",
    resumes: "With the first good response, or with a new provider token",
  });
});

it("names a queued event with attempts as retrying", () => {
  expect(eventStatusText({ status: "queued", attempts: 0 }).name).toBe("Queued");
  expect(eventStatusText({ status: "queued", attempts: 3 }).name).toBe("Retrying");
  expect(eventStatusText({ status: "dead", attempts: 12 }).name).toBe("No response");
});

it("explains a warning, and repeats an unknown one", () => {
  expect(warningText("positions_differ")).toBe(
    "slots and numberOfPositions differ: the smaller number applies",
  );
  expect(warningText("colour_unknown")).toBe("colour_unknown");
});
