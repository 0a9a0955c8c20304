import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../../src/contract/timestamp.ts";
import {
  aBooking,
  aCancellation,
  afterAbsence,
  afterCall,
  afterReading,
  afterSeeing,
  aJob,
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
  listing,
  notified,
  patchOf,
  planned,
  refusal,
  START,
  writesOf,
} from "./states.ts";

describe("after the start", () => {
  const late = START + MINUTE_MS;
  const state = (booking: ReturnType<typeof aBooking>) =>
    aState({ bookings: [booking], shift: { nextReadAt: null } });

  it("the job expires, and its offers end", () => {
    const { writes } = planned(aState({ shift: { nextReadAt: null } }), firstStep, late);
    expect(jobOf(writes)).toMatchObject({ status: "expired" });
    expect(writesOf(writes, "withdraw_offers")).toHaveLength(1);
  });

  it("a pending booking ends as shift_started without a call", () => {
    const { writes, next } = planned(state(aBooking()), firstStep, late);
    expect(next.do).toBe("rest");
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "shift_started" });
  });

  it("a withdrawal ends the booking without a call, and raises an issue", () => {
    const { writes, next } = planned(state(confirmed({ isWithdrawn: true })), firstStep, late);
    expect(next.do).toBe("rest");
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "shift_started" });
    expect(issues(writes)).toEqual(["unassign_failed"]);
  });

  it("a call in doubt is settled by one reading", () => {
    expect(planned(state(inDoubt()), firstStep, late).next.do).toBe("read");
    expect(patchOf(planned(state(inDoubt()), afterSeeing(), late).writes)).toMatchObject({
      status: "released",
    });
  });

  it("a cancellation and a change are given up", () => {
    const { writes, next } = planned(
      aState({ cancellation: aCancellation(), shift: { nextReadAt: null } }),
      firstStep,
      late,
    );
    expect(writesOf(writes, "forget_operation")).toHaveLength(1);
    expect(next.do).not.toBe("cancel");
  });
});

describe("after the end", () => {
  const END = START + 8 * HOUR_MS;
  const worked = aState({ job: aJob({ status: "expired" }), bookings: [confirmed()] });

  it.each([
    ["deletes", afterAbsence({ code: "shift_not_found", final: true })],
    ["cancels", afterSeeing({ cancelled: true })],
  ])("people who worked stay booked when the provider %s the shift", (_, run) => {
    const { writes } = planned(worked, run, END);
    expect([jobOf(writes), patchOf(writes), notified(writes)]).toEqual([{}, {}, []]);
  });

  it("a cancellation that came in time cancels the job, and releases none of them", () => {
    const cancellation = aCancellation({ sentAt: END - 1_000 });
    const { writes } = planned({ ...worked, cancellation }, afterCall(cancel, { kind: "done" }), END);
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", cancelledBy: "employer" });
    expect([patchOf(writes), notified(writes)]).toEqual([{}, []]);
  });

  it("people hear of new times only if these are in the future", () => {
    const state = { ...worked, surroundings: { ...worked.surroundings, ...listing("person") } };
    const at = (ms: number) => new Date(ms).toISOString();
    const corrected = planned(state, afterSeeing({ endTime: at(END - HOUR_MS) }), END);
    expect([jobOf(corrected.writes), notified(corrected.writes)]).toMatchObject([
      { endTime: END - HOUR_MS },
      [],
    ]);
    const moved = afterSeeing({ startTime: at(END + HOUR_MS), endTime: at(END + 9 * HOUR_MS) });
    expect(notified(planned(state, moved, END).writes)).toEqual(["shift_changed"]);
  });
});

describe("401 and 403", () => {
  it.each([401, 403])("to a reading pause the integration and fail nothing: %d", (status) => {
    const event = anEvent("shift.create");
    const run = afterReading(refusal(status), { covers: [event.eventId] });
    const { writes, next } = planned(aState({ events: [event] }), run);
    expect(writesOf(writes, "pause")).toEqual([{ write: "pause", status }]);
    expect(writesOf(writes, "events")).toMatchObject([{ status: "queued" }]);
    expect(issues(writes)).toEqual([]);
    expect(next).toMatchObject({ do: "rest", afterMs: 0 });
  });

  it.each([401, 403])("to a call pause the integration and keep the seat: %d", (status) => {
    const { writes } = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), refusal(status)));
    expect(writesOf(writes, "pause")).toHaveLength(1);
    expect(patchOf(writes)).toEqual({ atProvider: "no", sentAt: null });
  });

  it("keep the provider from being called while the integration is paused", () => {
    const state = aState({
      bookings: [inDoubt()],
      events: [anEvent("shift.update")],
      integration: { isPaused: true },
    });
    expect(planned(state, firstStep).next.do).toBe("rest");
  });
});

describe("work for one shift", () => {
  it("waits for the Retry-After of its own call only, and keeps its other bookings moving", () => {
    const other = aBooking({
      bookingId: "other",
      candidateId: "another",
      person: { id: "another", fault: null },
    });
    const run = afterCall(assign(), { ...cut, status: 429, retryAfterMs: 30_000 });
    const { next } = planned(aState({ bookings: [inDoubt(), other] }), run);
    expect(next).toMatchObject({ do: "assign", bookingId: "other" });
  });

  it("does not wait for a person who is being created: that is work of its own", () => {
    const unknown = aBooking({ person: { id: null, fault: null } });
    const other = confirmed({ bookingId: "other", candidateId: "another", isWithdrawn: true });
    const { writes, next } = planned(aState({ bookings: [unknown, other] }), firstStep);
    expect(writesOf(writes, "identify")).toHaveLength(1);
    expect(next).toMatchObject({ do: "unassign", bookingId: "other" });
  });
});
