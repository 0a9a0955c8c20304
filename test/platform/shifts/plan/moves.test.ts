import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import type { MovedPerson, ShiftState } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBelief,
  aBooking,
  afterAbsence,
  afterSeeing,
  aJob,
  aState,
  confirmed,
  goneFor,
  issues,
  jobOf,
  listing,
  NOW,
  notified,
  patchOf,
  planned,
  START,
  writesOf,
} from "./states.ts";

/** The shift on which the provider has put the candidate, two hours later than this one. */
const moved = (patch: Partial<MovedPerson> = {}): MovedPerson => ({
  candidateId: "candidate",
  providerCandidateId: "person",
  jobId: "other-job",
  shiftId: "other-shift",
  startTime: START + 2 * HOUR_MS,
  endTime: START + 10 * HOUR_MS,
  outletId: "outlet",
  roleId: "role",
  otherJobId: null,
  isBusy: false,
  ...patch,
});

const SAME_TIMES = { startTime: START, endTime: START + 8 * HOUR_MS };
const MOVED = { status: "released", reason: "moved_by_provider", atProvider: "no", sentAt: null };
const TO = { jobId: "other-job", shiftId: "other-shift" };

describe("a booked person whom the list lacks, and another one shows", () => {
  const read = (to: Partial<MovedPerson> = {}, booking: Parameters<typeof confirmed>[0] = {}) =>
    planned(
      aState({
        bookings: [confirmed({ missingSince: NOW - 120_000, ...booking })],
        surroundings: { moved: [moved(to)] },
      }),
      afterSeeing(),
    );

  it("is moved after two minutes of lists without them, and hears of the other shift only", () => {
    expect(writesOf(read({}, { missingSince: NOW - 119_000 }).writes, "book")).toEqual([]);
    const { writes, next } = read();
    expect(patchOf(writes)).toMatchObject({ ...MOVED, reasonParams: { otherJobId: "other-job" } });
    expect(writesOf(writes, "book")).toMatchObject([{ movedTo: TO, kind: "shift_changed" }]);
    expect([notified(writes), next.do]).toEqual([[], "rest"]);
  });

  it("is not moved while this list shows the person too", () => {
    const surroundings = { ...listing("person"), moved: [moved()] };
    const { writes } = planned(aState({ bookings: [confirmed()], surroundings }), afterSeeing());
    expect([writesOf(writes, "booking"), writesOf(writes, "book")]).toEqual([[], []]);
  });

  it.each([
    ["the same times, place and role", SAME_TIMES, undefined],
    ["times that differ by seconds", { ...SAME_TIMES, startTime: START + 9_000 }, undefined],
    ["another place", { ...SAME_TIMES, outletId: "elsewhere" }, "shift_changed"],
    ["another role", { ...SAME_TIMES, roleId: "another" }, "shift_changed"],
  ])("to a shift with %s is notified of what a person would read as a difference", (_, to, kind) => {
    expect(writesOf(read(to).writes, "book")).toMatchObject([{ kind }]);
  });

  it("is moved by the next reading while the other shift is being worked on, or not settled", () => {
    const { writes, next } = read({ isBusy: true });
    expect([writesOf(writes, "booking"), writesOf(writes, "book")]).toEqual([[], []]);
    expect(next).toMatchObject({ do: "rest", afterMs: 5_000 });
  });

  it("is moved with an issue when booked on a third job at that time", () => {
    expect(issues(read({ otherJobId: "third" }).writes)).toEqual(["booking_overlaps"]);
  });

  it.each([
    ["was being withdrawn", { isWithdrawn: true }],
    ["is in doubt", { atProvider: "maybe" }],
    ["waits for an assignment", { status: "pending", atProvider: "no" }],
  ] as const)("is not moved when the booking %s", (_, booking) => {
    expect(writesOf(read({}, booking).writes, "book")).toEqual([]);
  });

  it("does not count as vanished, however many are moved", () => {
    const ids = ["one", "two", "three"];
    const bookings = ids.map((id) => confirmed({ bookingId: id, candidateId: id, providerCandidateId: id }));
    const everyone = ids.map((candidateId) => moved({ candidateId, providerCandidateId: candidateId }));
    const surroundings = { removed: { missing: 0, booked: 20 } };
    const hold = (parts: Partial<ShiftState["surroundings"]>) =>
      writesOf(
        planned(aState({ bookings, surroundings: { ...surroundings, ...parts } }), afterSeeing()).writes,
        "hold",
      );
    expect(hold({})).toHaveLength(1);
    expect(hold({ moved: everyone })).toEqual([]);
  });
});

describe("the people of a shift that is gone, and whom another one lists", () => {
  const GONE = { shift: { belief: aBelief({ missingSince: NOW - 300_000 }), nextReadAt: NOW } };
  const ways = [
    ["deleted", GONE, afterAbsence({ code: "shift_not_found" }), "shift_deleted"],
    ["cancelled", {}, afterSeeing({ cancelled: true }), "shift_cancelled"],
  ] as const;

  it.each(ways)("are moved, not released, when it was %s", (_, parts, run, reason) => {
    const bookings = [confirmed(), confirmed({ bookingId: "left", candidateId: "another" })];
    const { writes } = planned(
      aState({ ...parts, bookings, surroundings: { moved: [moved(SAME_TIMES)] } }),
      run,
    );
    expect(writesOf(writes, "booking").map(({ bookingId, patch }) => [bookingId, patch.reason])).toEqual([
      ["booking", "moved_by_provider"],
      ["left", reason],
    ]);
    expect(writesOf(writes, "book")).toMatchObject([
      { candidateId: "candidate", movedTo: TO, kind: undefined },
    ]);
    expect(writesOf(writes, "notify")).toMatchObject([
      { kind: "shift_cancelled", candidateIds: ["another"] },
    ]);
  });

  it("are released when the other shift is at another time", () => {
    const later = moved({ startTime: START + 8 * HOUR_MS, endTime: START + 16 * HOUR_MS });
    const state = aState({ bookings: [confirmed()], surroundings: { moved: [later] } });
    expect(notified(planned(state, afterSeeing({ cancelled: true })).writes)).toEqual(["shift_cancelled"]);
  });

  it("wait for the next reading while the other shift is being worked on, or not settled", () => {
    const state = aState({ bookings: [confirmed()], surroundings: { moved: [moved({ isBusy: true })] } });
    const { writes, next } = planned(state, afterSeeing({ cancelled: true }));
    expect([writesOf(writes, "booking"), notified(writes)]).toEqual([[], []]);
    expect(next).toMatchObject({ do: "rest", afterMs: 5_000 });
  });

  it("are the provider's own if that shift comes back", () => {
    const gone = aState({
      job: aJob({ status: "cancelled", cancelledBy: "absence" }),
      bookings: [confirmed({ ...MOVED } as Parameters<typeof confirmed>[0])],
      shift: { belief: goneFor(300_000), nextReadAt: NOW },
      surroundings: { listed: [{ providerCandidateId: "person", candidateId: "candidate" }] },
    });
    const { writes, next } = planned(gone, afterSeeing());
    expect(jobOf(writes)).toMatchObject({ ownPeopleCount: 1 });
    expect([notified(writes), next.do]).toEqual([[], "rest"]);
  });
});

describe("a person on the list whose booking on another shift has just ended", () => {
  const listed = [{ providerCandidateId: "person", candidateId: "candidate" }];
  const read = (parts: Parameters<typeof aState>[0] = {}) =>
    planned(
      aState({ ...parts, surroundings: { listed, arrived: ["candidate"], ...parts.surroundings } }),
      afterSeeing(),
    );

  it("is booked on this one, takes one position, and is notified", () => {
    const { writes, next } = read();
    expect(writesOf(writes, "book")).toMatchObject([
      { candidateId: "candidate", providerCandidateId: "person", kind: "booking_confirmed" },
    ]);
    expect(writesOf(writes, "book")[0]).not.toHaveProperty("movedTo");
    expect(jobOf(writes)).not.toHaveProperty("ownPeopleCount");
    expect(next.do).toBe("rest");
  });

  it("is the provider's own until it is settled that the shift is as it was read", () => {
    const belief = aBelief({
      version: "before",
      notices: [NOW - 2_000, NOW - 1_000],
      basis: NOW - 1_000,
      expected: 2,
    });
    const { writes } = read({ shift: { belief } });
    expect(writesOf(writes, "book")).toEqual([]);
    expect(jobOf(writes)).toMatchObject({ ownPeopleCount: 1 });
  });

  it("makes the shifts due on which new own people are booked, once", () => {
    const added = read({ surroundings: { arrived: [] } });
    expect(writesOf(added.writes, "read_booked")).toMatchObject([{ candidateIds: ["candidate"] }]);
    const job = aJob({ ownPeople: listed, ownPeopleCount: 1 });
    expect(writesOf(read({ job, surroundings: { arrived: [] } }).writes, "read_booked")).toEqual([]);
  });

  it("is not booked if another candidate is on this one by the same id", () => {
    const other = confirmed({ candidateId: "other" });
    const { writes } = read({ bookings: [other] });
    expect([writesOf(writes, "book"), writesOf(writes, "booking")]).toEqual([[], []]);
  });

  it("keeps a booking that is accepted on this shift", () => {
    const { writes } = read({ bookings: [aBooking()], surroundings: { arrived: [] } });
    expect(writesOf(writes, "book")).toEqual([]);
  });
});
