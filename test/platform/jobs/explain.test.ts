import { describe, expect, it } from "vitest";
import { explain, type StaffingFacts } from "../../../src/platform/jobs/explain.ts";

const OPEN: StaffingFacts = {
  status: "open",
  positions: 2,
  isCancelling: false,
  integration: "active",
  outlet: { id: "o1", name: "Bar", isMapped: true },
  role: { id: "r1", name: null, isMapped: true },
  ...{ confirmed: 1, pending: 0, pendingReason: undefined },
  ...{ able: 0, busy: 0, offered: 0 },
  lost: [],
  events: [],
};

/** What is different, the codes, and the verdict. */
const CASES: [string, Partial<StaffingFacts>, string[], string][] = [
  ["cancelled", { status: "cancelled" }, ["cancelled"], "Cancelled: nobody is needed any more."],
  [
    "expired",
    { status: "expired" },
    ["expired"],
    "Expired: the shift has started; 1 of 2 positions were taken.",
  ],
  [
    "being cancelled",
    { isCancelling: true, able: 1, offered: 1 },
    ["being_cancelled", "not_accepted_yet"],
    "Being cancelled: 1 of 2 positions are taken, and nobody else can accept.",
  ],
  [
    "blocked by both mappings",
    {
      status: "blocked_mapping",
      outlet: { id: "o1", name: "Bar", isMapped: false },
      role: { id: "r1", name: null, isMapped: false },
    },
    ["outlet_not_mapped", "role_not_mapped"],
    "Blocked: it is offered once its outlet and role are mapped.",
  ],
  [
    "suspended",
    { integration: "suspended", able: 1 },
    ["integration_suspended", "not_offered_yet"],
    "On hold: the integration is suspended.",
  ],
  ["filled", { status: "filled", confirmed: 2 }, ["filled"], "Filled: 2 of 2 positions are taken."],
  ["overfilled", { status: "filled", confirmed: 3 }, ["overfilled"], "Filled: 3 of 2 positions are taken."],
  [
    "nobody has the competence",
    {},
    ["nobody_has_competence"],
    "Open: 1 of 2 positions are taken, and nobody else has the competence.",
  ],
  [
    "everybody works elsewhere",
    { able: 3, busy: 3 },
    ["nobody_free"],
    "Open: 1 of 2 positions are taken, and nobody else is free.",
  ],
  [
    "offered, and not accepted",
    { able: 3, busy: 1, offered: 2 },
    ["not_accepted_yet", "some_not_free"],
    "Open: 1 of 2 positions are taken, and 2 who were offered it have not accepted.",
  ],
  [
    "not offered to all",
    { able: 3, offered: 1 },
    ["not_accepted_yet", "not_offered_yet"],
    "Open: 1 of 2 positions are taken, and 1 who were offered it have not accepted.",
  ],
  [
    "waiting for the provider, after others were refused",
    {
      able: 1,
      offered: 1,
      pending: 1,
      pendingReason: "status 503",
      lost: [
        { status: "released", reason: "shift_full", count: 2 },
        { status: "failed", reason: "candidate_ambiguous", count: 1 },
      ],
    },
    ["not_accepted_yet", "waiting_for_provider", "booking_released", "booking_failed"],
    "Open: 2 of 2 positions are taken, and 1 who were offered it have not accepted.",
  ],
  [
    "with events that are not done",
    {
      events: [
        { event: "shift.update", status: "queued", verdict: null },
        { event: "shift.update", status: "dead", verdict: "given up." },
        { event: "shift.create", status: "failed", verdict: "no" },
      ],
    },
    ["nobody_has_competence", "event_waiting", "event_dead", "event_failed"],
    "Open: 1 of 2 positions are taken, and nobody else has the competence.",
  ],
];

describe("the explanation of a job", () => {
  it.each(CASES)("that is %s", (_name, facts, codes, verdict) => {
    const explanation = explain({ ...OPEN, ...facts });
    expect(explanation.reasons.map(({ code }) => code)).toEqual(codes);
    expect(explanation.verdict).toBe(verdict);
  });

  it("tells the provider's last answer, and what to do", () => {
    const { reasons } = explain({ ...OPEN, pending: 1, pendingReason: "status 503" });
    expect(reasons).toContainEqual({
      code: "waiting_for_provider",
      detail: "1 booking waits for the provider to confirm; its last answer: status 503.",
      remedy: "It is tried again by itself; if it lasts, ask the provider.",
    });
  });

  it("says what to do about everything that a person can do something about", () => {
    const settled = ["cancelled", "expired", "filled", "some_not_free", "booking_released", "event_waiting"];
    const reasons = CASES.flatMap(([, facts]) => explain({ ...OPEN, ...facts }).reasons);
    expect(reasons.filter(({ code, remedy }) => !settled.includes(code) && !remedy)).toEqual([]);
  });
});
