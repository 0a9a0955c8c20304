import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../../src/contract/timestamp.ts";
import { seenIn } from "../../../../src/platform/shifts/plan/seen.ts";
import type { Call, JobState, ShiftState } from "../../../../src/platform/shifts/plan/state.ts";
import type { Write } from "../../../../src/platform/shifts/plan/writes.ts";
import {
  aBelief,
  aBooking,
  aCancellation,
  afterAbsence,
  afterCall,
  afterReading,
  afterSeeing,
  aJob,
  anEvent,
  aShift,
  aState,
  assign,
  beliefOf,
  cancel,
  confirmed,
  cut,
  firstStep,
  inDoubt,
  issues,
  jobOf,
  listing,
  NOW,
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

const BOOKED = { bookings: [confirmed()], surroundings: listing("person") };
const MOVED = { startTime: new Date(START + HOUR_MS).toISOString() };

/** A webhook came half a minute ago, another has just come, and a reading covers it. */
const burst = (seen: Parameters<typeof afterSeeing>[0], parts: Parameters<typeof aState>[0] = BOOKED) => {
  const event = anEvent("shift.update");
  const belief = aBelief({ notices: [NOW - 30_000], basis: NOW - 30_000 });
  const state = aState({ events: [event], shift: { belief }, ...parts });
  const { writes, next } = planned(state, afterSeeing(seen, { covers: [event.eventId] }));
  return { writes, next, after: asWritten(state, writes) };
};

/** The state as the writes leave it. */
const asWritten = (state: ShiftState, writes: readonly Write[]): ShiftState => ({
  ...state,
  events: [],
  job: state.job && { ...state.job, ...jobOf(writes) },
  bookings: state.bookings.map((booking) => ({ ...booking, ...patchOf(writes) })),
  shift: { ...state.shift, belief: beliefOf(writes) ?? state.shift.belief },
});

const read = (state: ShiftState, seen: Parameters<typeof afterSeeing>[0], now = NOW + 1_000) =>
  planned(state, afterSeeing(seen, { covers: state.events.map(({ eventId }) => eventId) }), now);

const offers = (writes: readonly Write[]) => writesOf(writes, "offer").length;

describe("a move that is read while webhooks come in a burst", () => {
  it("is shown at once, and announced once a second reading shows it too", () => {
    const { writes, next, after } = burst(MOVED);
    expect(jobOf(writes)).toMatchObject({ startTime: START + HOUR_MS });
    expect([notified(writes), offers(writes), writesOf(writes, "withdraw_offers")]).toMatchObject([
      [],
      0,
      [{}],
    ]);
    expect(next).toMatchObject({ do: "rest", afterMs: 980 });
    const again = read(after, MOVED);
    expect([notified(again.writes), offers(again.writes)]).toEqual([["shift_changed"], 1]);
    expect(jobOf(again.writes)).toEqual({ announced: null, offerRound: 1 });
  });

  it("is not announced when the next reading shows that it was undone, and the old offers hold again", () => {
    const { after } = burst(MOVED);
    const { writes } = read({ ...after, events: [anEvent("shift.update")] }, {});
    expect(notified(writes)).toEqual([]);
    expect(jobOf(writes)).toMatchObject({ startTime: START, announced: null });
    const settled = read(asWritten(after, writes), {}, NOW + 122_000);
    expect([notified(settled.writes), offers(settled.writes)]).toEqual([[], 1]);
  });

  it.each([
    ["within twelve hours", 12 * HOUR_MS - 1, ["shift_changed"]],
    ["in twelve hours", 12 * HOUR_MS, []],
  ])("is announced at once only if the shift starts soon: %s", (_, startsIn, kinds) => {
    const job = aJob({ startTime: NOW + startsIn, endTime: NOW + 20 * HOUR_MS });
    const seen = {
      startTime: new Date(job.startTime).toISOString(),
      endTime: new Date(job.endTime + HOUR_MS).toISOString(),
    };
    expect(notified(burst(seen, { ...BOOKED, job }).writes)).toEqual(kinds);
  });

  it("is not announced again and again by readings that disagree, however soon the shift starts", () => {
    const job = aJob({ startTime: NOW + 3 * HOUR_MS, endTime: NOW + 9 * HOUR_MS });
    const at = (start: number) => ({
      startTime: new Date(start).toISOString(),
      endTime: new Date(job.endTime).toISOString(),
    });
    const moved = at(job.startTime + HOUR_MS);
    const { version, shown } = seenIn(aShift(at(job.startTime)), []);
    const notices = { notices: [NOW - 30_000], basis: NOW - 30_000, isConfirmed: false, since: NOW - 60_000 };
    const belief = aBelief({ version, shown, ...notices });
    let { writes, after } = burst(moved, { ...BOOKED, job, shift: { belief } });
    expect(notified(writes)).toEqual(["shift_changed"]);
    for (let second = 1; second <= 10; second += 1) {
      ({ writes } = read(after, second % 2 === 0 ? moved : at(job.startTime), NOW + second * 1_000));
      expect(notified(writes)).toEqual([]);
      after = asWritten(after, writes);
    }
  });

  it("is not offered before it is announced, although a seat becomes free meanwhile", () => {
    const { startTime, endTime, outletId, roleId } = aJob();
    const last = { startTime, endTime, outletId, roleId };
    const freed = (announced: JobState["announced"]) => {
      const job = aJob({ status: "filled", positions: 1, startTime: START + HOUR_MS, announced });
      const unassign = { ...assign(), do: "unassign" } as Call;
      const state = aState({ job, bookings: [confirmed({ atProvider: "maybe", isWithdrawn: true })] });
      return planned(state, afterCall(unassign, { kind: "done" })).writes;
    };
    expect(
      [last, null].map((announced) => [jobOf(freed(announced)).status, offers(freed(announced))]),
    ).toEqual([
      ["open", 0],
      ["open", 1],
    ]);
  });

  it("is announced with what a third version made of it, as one change", () => {
    const { after } = burst(MOVED);
    const third = { startTime: new Date(START + 2 * HOUR_MS).toISOString() };
    const { writes } = read(after, third);
    expect([notified(writes), jobOf(writes)]).toMatchObject([[], { startTime: START + 2 * HOUR_MS }]);
    const settled = read(asWritten(after, writes), third, NOW + 5_000);
    expect(notified(settled.writes)).toEqual(["shift_changed"]);
  });
});

describe("a cancellation that is read while webhooks come in a burst", () => {
  it("cancels the job at once, and releases the people once a second reading shows it too", () => {
    const { writes, after } = burst({ cancelled: true });
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", cancelledBy: "provider" });
    expect([notified(writes), patchOf(writes)]).toEqual([[], {}]);
    const again = read(after, { cancelled: true });
    expect(notified(again.writes)).toEqual(["shift_cancelled"]);
    expect(patchOf(again.writes)).toMatchObject({ status: "released", reason: "shift_cancelled" });
  });

  it("releases no one when it is undone before", () => {
    const { after } = burst({ cancelled: true });
    const { writes } = read({ ...after, events: [anEvent("shift.update")] }, {});
    expect([jobOf(writes), notified(writes), patchOf(writes)]).toMatchObject([{ status: "open" }, [], {}]);
  });
});

describe("a new shift that is read while webhooks come in a burst", () => {
  it("is offered once a second reading shows it too", () => {
    const events = ["shift.create", "shift.update"].map((name) => anEvent(name));
    const state = aState({
      job: undefined,
      events,
      shift: { belief: aBelief({ version: null, shown: null }) },
    });
    const covers = events.map(({ eventId }) => eventId);
    const { writes } = planned(state, afterSeeing({}, { covers }));
    expect([jobOf(writes).status, offers(writes)]).toEqual(["open", 0]);
    const job = { ...jobOf(writes), jobId: "job" } as JobState;
    const again = read({ ...asWritten(state, writes), job }, {});
    expect(offers(again.writes)).toBe(1);
  });
});
