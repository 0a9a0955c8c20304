import { describe, expect, it } from "vitest";
import { plan } from "../../../src/platform/shifts/plan.ts";
import {
  aBooking,
  aJob,
  aState,
  afterCall,
  afterReading,
  afterSeeing,
  anEvent,
  assign,
  confirmed,
  cut,
  firstStep,
  HOUR,
  inDoubt,
  issues,
  jobOf,
  listing,
  NOW,
  notified,
  patchOf,
  RULES,
  refusal,
  START,
  writesOf,
} from "./states.ts";

const planned = (state: Parameters<typeof plan>[0], run: Parameters<typeof plan>[1], now = NOW) =>
  plan(state, run, now, RULES);

describe("a call whose outcome is unknown", () => {
  it("is followed by a reading, not by another call", () => {
    expect(planned(aState({ bookings: [inDoubt()] }), firstStep).next.do).toBe("read");
    const { writes, next } = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), cut));
    expect(next.do).toBe("rest");
    expect(notified(writes)).toEqual([]);
    expect(patchOf(writes)).not.toHaveProperty("status");
  });

  it("confirms the booking when the provider lists the person", () => {
    const state = aState({ bookings: [inDoubt()], around: listing("person") });
    const { writes } = planned(state, afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "confirmed", atProvider: "yes" });
    expect(notified(writes)).toEqual(["booking_confirmed"]);
  });

  it("is made again when the provider does not list the person, as a retry", () => {
    const { next } = planned(aState({ bookings: [inDoubt()] }), afterSeeing());
    expect(next).toMatchObject({ do: "assign", isRetry: true });
  });

  it("is not in doubt when it was never sent", () => {
    const run = afterCall(assign(), { ...cut, notAsked: true });
    expect(patchOf(planned(aState({ bookings: [inDoubt()] }), run).writes)).toMatchObject({ atProvider: "no" });
  });

  it("leaves a DELETE to the reading that follows", () => {
    const cancellation = { operationId: "operation", traceId: "trace", sentAt: NOW - 1_000, consumedBy: null };
    expect(planned(aState({ cancellation }), firstStep).next.do).toBe("read");
    expect(planned(aState({ cancellation }), afterSeeing()).next.do).toBe("cancel");
  });
});

describe("a rejection", () => {
  it("releases the seat when the call was the first", () => {
    const { writes } = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), refusal(409, "shift_full")));
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "shift_full" });
  });

  it("of a retry is followed by a reading, because the first call may have taken effect", () => {
    const state = aState({ bookings: [inDoubt()] });
    const { writes, next } = planned(state, afterCall(assign(true), refusal(409)));
    expect(patchOf(writes)).not.toHaveProperty("status");
    expect(next.do).toBe("read");
  });

  it("of a retry does not count when the provider lists the person", () => {
    const rejected = inDoubt({ rejection: { status: 409 } });
    const { writes } = planned(aState({ bookings: [rejected], around: listing("person") }), afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "confirmed" });
  });

  it("of a retry releases the seat after three readings without the person, and reads once more later", () => {
    const state = (missing: number) =>
      aState({ bookings: [inDoubt({ rejection: { status: 409 }, missing })] });
    expect(patchOf(planned(state(1), afterSeeing()).writes)).toEqual({ missing: 2 });
    const { writes, next } = planned(state(2), afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "released" });
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000 });
  });
});

describe("free seats", () => {
  it("are what the people on the provider's list leave over", () => {
    const state = aState({ around: listing("own one", "own two") });
    const job = jobOf(planned(state, afterSeeing()).writes);
    expect(job).toMatchObject({ status: "filled", ownPeopleCount: 2 });
  });

  it("count a person who is booked and listed once", () => {
    const state = aState({ bookings: [confirmed()], around: listing("person") });
    const { writes } = planned(state, afterSeeing());
    expect({ ...aJob(), ...jobOf(writes) }).toMatchObject({ status: "open", ownPeopleCount: 0 });
  });

  it("count a booking that is in progress", () => {
    const state = aState({ bookings: [aBooking()], around: listing("own one") });
    expect(jobOf(planned(state, afterSeeing()).writes)).toMatchObject({ status: "filled" });
  });

  it("are offered to no one when there are none", () => {
    const { writes } = planned(aState({ around: listing("own one", "own two") }), afterSeeing());
    expect(writesOf(writes, "offer")).toEqual([]);
    expect(writesOf(writes, "withdraw_offers")).toHaveLength(1);
  });
});

describe("a seat that becomes free", () => {
  it("is offered again to everyone", () => {
    const state = aState({ job: aJob({ status: "filled", ownPeopleCount: 2, offerRound: 3 }) });
    const { writes } = planned(state, afterSeeing());
    expect(jobOf(writes)).toMatchObject({ status: "open", offerRound: 4 });
    expect(writesOf(writes, "offer")).toHaveLength(1);
  });

  it("is offered at each reading, so that it reaches who has become free since", () => {
    expect(writesOf(planned(aState(), afterSeeing()).writes, "offer")).toHaveLength(1);
  });

  it("is not offered while the integration is suspended or the job is being cancelled", () => {
    const cancellation = { operationId: "operation", traceId: "trace", sentAt: null, consumedBy: null };
    const states = [aState({ integration: { state: "suspended" } }), aState({ cancellation })];
    for (const state of states) expect(writesOf(planned(state, afterSeeing()).writes, "offer")).toEqual([]);
  });
});

describe("a material change", () => {
  const moved = afterSeeing({ startTime: new Date(START + HOUR).toISOString() });

  it("notifies everyone booked, and withdraws the offers with the old times", () => {
    const state = aState({ bookings: [confirmed()], around: listing("person") });
    const { writes } = planned(state, moved);
    expect(notified(writes)).toEqual(["shift_changed"]);
    const kinds = writes.map(({ write }) => write);
    expect(kinds.indexOf("withdraw_offers")).toBeGreaterThanOrEqual(0);
    expect(kinds.indexOf("offer")).toBeGreaterThan(kinds.indexOf("withdraw_offers"));
    expect(jobOf(writes)).toMatchObject({ offerRound: 1 });
  });

  it("raises an issue for each person who is booked elsewhere at that time, or lacks the competence", () => {
    const overlaps = [{ candidateId: "candidate", otherJobId: "other" }];
    const around = { ...listing("person"), overlaps, lacking: ["candidate"] };
    const { writes } = planned(aState({ bookings: [confirmed()], around }), moved);
    expect(issues(writes)).toEqual(["booking_overlaps", "competence_missing"]);
  });

  it("notifies no one when nothing has changed", () => {
    const state = aState({ bookings: [confirmed()], around: listing("person") });
    expect(notified(planned(state, afterSeeing()).writes)).toEqual([]);
  });
});

describe("after the start", () => {
  const late = START + 60_000;
  const state = (booking: ReturnType<typeof aBooking>) =>
    aState({ bookings: [booking], shift: { nextReadAt: null } });

  it("no one is assigned, and the booking ends as shift_started", () => {
    const { writes, next } = planned(state(aBooking()), firstStep, late);
    expect(next.do).toBe("rest");
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "shift_started" });
  });

  it("no one is withdrawn: the booking ends, and an operator is asked to settle it", () => {
    const { writes, next } = planned(state(confirmed({ isWithdrawn: true })), firstStep, late);
    expect(next.do).toBe("rest");
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "shift_started" });
    expect(issues(writes)).toEqual(["unassign_failed"]);
  });

  it("a call in doubt is read once before anything is concluded", () => {
    expect(planned(state(inDoubt()), firstStep, late).next.do).toBe("read");
    expect(patchOf(planned(state(inDoubt()), afterSeeing(), late).writes)).toMatchObject({ status: "released" });
  });

  it("a cancellation and a change are given up", () => {
    const cancellation = { operationId: "operation", traceId: "trace", sentAt: null, consumedBy: null };
    const { writes, next } = planned(aState({ cancellation, shift: { nextReadAt: null } }), firstStep, late);
    expect(writesOf(writes, "forget_operation")).toHaveLength(1);
    expect(next.do).not.toBe("cancel");
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
    const state = aState({ bookings: [inDoubt()], events: [anEvent("shift.update")], integration: { isPaused: true } });
    expect(planned(state, firstStep).next.do).toBe("rest");
  });
});

describe("work for one shift", () => {
  it("waits for the Retry-After of its own call only, and keeps its other bookings moving", () => {
    const other = aBooking({ bookingId: "other", candidateId: "another", person: { id: "another", trouble: null } });
    const run = afterCall(assign(), { ...cut, status: 429, retryAfterMs: 30_000 });
    const { next } = planned(aState({ bookings: [inDoubt(), other] }), run);
    expect(next).toMatchObject({ do: "assign", bookingId: "other" });
  });

  it("does not wait for a person who is being created: that is work of its own", () => {
    const unknown = aBooking({ person: { id: null, trouble: null } });
    const other = confirmed({ bookingId: "other", candidateId: "another", isWithdrawn: true });
    const { writes, next } = planned(aState({ bookings: [unknown, other] }), firstStep);
    expect(writesOf(writes, "identify")).toHaveLength(1);
    expect(next).toMatchObject({ do: "unassign", bookingId: "other" });
  });
});
