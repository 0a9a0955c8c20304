import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import type { CallOutcome, RunSoFar } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBooking,
  aCancellation,
  afterCall,
  afterReading,
  afterSeeing,
  anEvent,
  aState,
  assign,
  cancel,
  confirmed,
  cut,
  firstStep,
  inDoubt,
  issues,
  jobOf,
  NOW,
  nextReadAt,
  notified,
  patchOf,
  planned,
  RULES,
  refusal,
  writesOf,
} from "./states.ts";

const unassign = { ...assign(), do: "unassign" } as ReturnType<typeof assign>;

/** The codes of the issues of a booking that the writes resolve. */
const resolved = (writes: ReturnType<typeof planned>["writes"]) =>
  writesOf(writes, "resolve_issues").flatMap(({ codes = [] }) => codes);

describe("a withdrawal", () => {
  const withdrawn = confirmed({ isWithdrawn: true, atProvider: "maybe" });
  const answered = (outcome: CallOutcome, booking = withdrawn) =>
    planned(aState({ bookings: [booking], shift: { hasIssues: true } }), afterCall(unassign, outcome));

  it("before the assignment was sent ends the booking without a call", () => {
    const bookings = [aBooking({ isWithdrawn: true })];
    const { writes, next } = planned(aState({ bookings }), firstStep);
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "withdrawn" });
    expect([notified(writes), next.do]).toEqual([["booking_released"], "rest"]);
  });

  it("that the provider carries out ends the booking, and the issue of one that it refused", () => {
    const { writes } = answered({ kind: "done" });
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "withdrawn", atProvider: "no" });
    expect(resolved(writes)).toContain("unassign_failed");
  });

  it("that the provider refuses leaves the booking confirmed, with an issue", () => {
    const { writes } = answered(refusal(409));
    expect(patchOf(writes)).toEqual({ isWithdrawn: false, atProvider: "yes" });
    expect(issues(writes)).toEqual(["unassign_failed"]);
    // Someone who has heard of the booking does not hear of it again: it is one notification.
    const notice = { kind: "booking_confirmed", changeKey: "booking" };
    expect(writesOf(writes, "notify")).toMatchObject([notice]);
  });

  it("of a booking that has ended, which the provider refuses, is not repeated", () => {
    const { writes, next } = answered(refusal(409), confirmed({ status: "failed", atProvider: "maybe" }));
    expect(patchOf(writes)).toMatchObject({ atProvider: "no", sentAt: null });
    expect([issues(writes), next.do]).toEqual([["unassign_failed"], "rest"]);
  });
});

describe("an assignment", () => {
  const answered = (outcome: CallOutcome, hasIssues = false) =>
    planned(aState({ bookings: [inDoubt()], shift: { hasIssues } }), afterCall(assign(), outcome));

  it("that the provider confirms ends the issues of earlier ones", () => {
    const { writes } = answered({ kind: "done" }, true);
    expect([notified(writes), patchOf(writes)]).toMatchObject([
      ["booking_confirmed"],
      { status: "confirmed" },
    ]);
    expect(resolved(writes)).toEqual(expect.arrayContaining(["provider_refused", "provider_gave_no_answer"]));
  });

  it("that the provider refuses for no reason of the contract fails, with an issue", () => {
    const { writes } = answered(refusal(400));
    expect(patchOf(writes)).toMatchObject({
      status: "failed",
      reason: "assignment_refused",
      atProvider: "no",
    });
    expect([issues(writes), notified(writes)]).toEqual([["provider_refused"], ["booking_released"]]);
  });

  it.each([
    [404, "shift_not_found"],
    [409, "shift_cancelled"],
    [409, "shift_started"],
  ])("that the provider refuses with %i %s releases the seat, without an issue", (status, code) => {
    const { writes } = answered(refusal(status, code));
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: code, atProvider: "no" });
    expect([issues(writes), notified(writes)]).toEqual([[], ["booking_released"]]);
  });

  it("whose response contradicts itself may have worked: a reading shows whom to unassign", () => {
    const { writes, next } = answered(refusal(200));
    expect(patchOf(writes)).toMatchObject({ status: "failed" });
    expect(patchOf(writes)).not.toHaveProperty("atProvider");
    expect(next.do).toBe("read");
  });

  it("of a person whom the provider does not know any more is made once more under a new id", () => {
    const { writes, next } = answered(refusal(404, "candidate_not_found"));
    expect(writesOf(writes, "identify")[0]).toMatchObject({ candidateId: "candidate", forget: true });
    expect(patchOf(writes)).toEqual({ atProvider: "no", sentAt: null, soughtIds: ["person"] });
    expect(next.do).not.toBe("assign");
  });
});

describe("a reading of a future shift", () => {
  const unusable = { fault: "end_not_after_start", pointer: "/endTime" } as const;

  it.each([
    ["can be used", afterSeeing({})],
    ["cannot be used", afterReading({ kind: "unusable", unusable })],
  ])("that %s is followed by another in about an hour", (_, run) => {
    const inMs = (nextReadAt(planned(aState(), run).writes) ?? 0) - NOW;
    expect([inMs >= 0.9 * HOUR_MS, inMs <= 1.1 * HOUR_MS]).toEqual([true, true]);
  });
});

describe("a reading without a usable response", () => {
  const event = anEvent("shift.create");
  const failed = (attempts: number): RunSoFar => ({
    ...afterReading(cut, { covers: [event.eventId] }),
    attempts,
  });
  const read = (run: RunSoFar, hasIssues = false) =>
    planned(aState({ events: [event], shift: { hasIssues } }), run);

  it("is repeated, and its events are dead after the last attempt, with an issue", () => {
    const early = read(failed(RULES.tries - 1));
    expect(writesOf(early.writes, "events")).toMatchObject([{ status: "queued" }]);
    expect([issues(early.writes), early.next]).toMatchObject([[], { do: "rest", failed: cut }]);
    const { writes, next } = read(failed(RULES.tries));
    expect(writesOf(writes, "events")).toMatchObject([
      { status: "dead", verdict: { code: "provider_unavailable" } },
    ]);
    expect([issues(writes), next]).toMatchObject([["provider_gave_no_answer"], { failed: cut }]);
  });

  it("has its issue ended by the first usable response", () => {
    expect(resolved(read(afterSeeing({}, { covers: [event.eventId] }), true).writes)).toContain(
      "provider_gave_no_answer",
    );
  });

  it("because the shift breaks the contract fails its events, and is not repeated", () => {
    const unusable = { fault: "text_unstorable", pointer: "/outletName" } as const;
    const run = afterReading({ kind: "unusable", unusable }, { covers: [event.eventId] });
    const { writes, next } = planned(aState({ job: undefined, events: [event] }), run);
    const verdict = { code: "shift_unusable", params: unusable };
    expect(writesOf(writes, "events")).toMatchObject([{ status: "failed", verdict }]);
    expect([issues(writes), nextReadAt(writes), next.do]).toEqual([["shift_unusable"], null, "rest"]);
  });
});

describe("a reading that covers several events", () => {
  it("ends each, and the others name the first", () => {
    const events = ["shift.create", "shift.update"].map((name) => anEvent(name));
    const covers = events.map(({ eventId }) => eventId);
    const { writes } = planned(aState({ job: undefined, events }), afterSeeing({}, { covers }));
    const [first, other] = writesOf(writes, "events");
    expect(first).toMatchObject({ eventIds: ["id of shift.create"], verdict: { code: "job_created" } });
    const params = { event: "shift.create", traceId: "trace of shift.create" };
    expect(other).toMatchObject({ eventIds: ["id of shift.update"], status: "processed" });
    expect(other?.verdict).toEqual({ code: "covered_by", params });
  });
});

describe("the echo of the platform's DELETE", () => {
  const echo = anEvent("shift.delete");
  const skipped = (parts: Parameters<typeof aState>[0]) =>
    writesOf(planned(aState({ echoes: ["operation"], ...parts }), firstStep).writes, "events").filter(
      ({ status }) => status === "skipped_echo",
    );

  it("is skipped, once for each DELETE, and never a replay", () => {
    const later = anEvent("shift.delete", { eventId: "later" });
    expect(skipped({ events: [echo, later] })).toMatchObject([{ eventIds: [echo.eventId] }]);
    expect(skipped({ events: [{ ...echo, isReplayed: true }] })).toEqual([]);
    expect(skipped({ events: [anEvent("shift.update")] })).toEqual([]);
    expect(skipped({ events: [echo], integration: { state: "suspended" } })).toEqual([]);
  });

  it("is an event of its own after all if the provider refuses the DELETE", () => {
    const cancellation = aCancellation({ sentAt: NOW - 1_000, consumedBy: echo.eventId });
    const { writes, next } = planned(aState({ cancellation }), afterCall(cancel, refusal(409)));
    expect(writesOf(writes, "requeue_echo")).toMatchObject([{ eventId: echo.eventId }]);
    expect([issues(writes), jobOf(writes), next.do]).toEqual([["cancellation_refused"], {}, "read"]);
  });
});
