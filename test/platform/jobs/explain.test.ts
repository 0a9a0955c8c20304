import { describe, expect, it } from "vitest";
import { explain, type StaffingFacts } from "../../../src/platform/jobs/staffing.ts";

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
