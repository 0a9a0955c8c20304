import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import type { BookingState, Call, CallOutcome } from "../../../src/platform/shifts/state.ts";
import {
  afterCall,
  afterSeeing,
  aState,
  assign,
  confirmed,
  firstStep,
  issues,
  listing,
  NOW,
  patchOf,
  planned,
  refusal,
  writesOf,
} from "./states.ts";

const UNKNOWN = refusal(404, "candidate_not_found");
const LOOK_UP = [{ candidateId: "candidate", forget: true, keep: true }];
/** The look-up is under way: the person keeps the id until it has ended. */
const SOUGHT: BookingState["person"] = { id: null, fault: { kind: "forgotten", id: "person" } };

const read = (booking: Partial<BookingState>, ...ids: string[]) =>
  planned(aState({ bookings: [confirmed(booking)], surroundings: listing(...ids) }), afterSeeing());

describe("a booked person whom the list lacks, beside the id of an unknown person", () => {
  const missingSince = NOW - 120_000;

  it("is looked up again once before anything is concluded", () => {
    const { writes, next } = read({ missingSince }, "stranger");
    expect(writesOf(writes, "identify")).toMatchObject(LOOK_UP);
    expect(patchOf(writes)).toEqual({ isLookedUpAgain: true });
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
    expect(writesOf(read({}, "stranger").writes, "identify")).toEqual([]);
    expect(writesOf(read({ missingSince }).writes, "identify")).toEqual([]);
  });

  it("is not assigned once more or released before the look-up has ended", () => {
    const asked = { missingSince, isReassigned: true, isLookedUpAgain: true };
    const { writes, next } = read({ ...asked, person: SOUGHT }, "stranger");
    expect([writesOf(writes, "booking"), next.do]).toEqual([[], "rest"]);
    const ended = read(asked, "stranger");
    expect(patchOf(ended.writes)).toMatchObject({ status: "released", reason: "removed_by_provider" });
  });

  it("is looked up two minutes after the assignment at a provider whose lists have shown no booked person", () => {
    const unlisted = (sentAt: number, isLookedUpAgain = false) =>
      planned(
        aState({
          bookings: [confirmed({ sentAt, isLookedUpAgain })],
          integration: { listsBooked: false },
          surroundings: listing("stranger"),
        }),
        afterSeeing(),
      ).writes;
    expect(writesOf(unlisted(NOW - 120_000), "identify")).toMatchObject(LOOK_UP);
    expect(writesOf(unlisted(NOW - 119_000), "identify")).toEqual([]);
    expect(unlisted(NOW - 120_000, true)).toEqual(unlisted(NOW - HOUR_MS, true));
    expect(patchOf(unlisted(NOW - HOUR_MS, true))).toEqual({});
  });

  it("keeps the booking under the new id once the look-up has found it", () => {
    const listed = [{ providerCandidateId: "new", candidateId: "candidate" }];
    const booking = confirmed({ missingSince, isLookedUpAgain: true, person: { id: "new", fault: null } });
    const { writes, next } = planned(
      aState({ bookings: [booking], surroundings: { listed } }),
      afterSeeing(),
    );
    expect(patchOf(writes)).toMatchObject({
      providerCandidateId: "new",
      missingSince: null,
      isLookedUpAgain: false,
    });
    expect(next.do).toBe("rest");
  });
});

it("a person whom the provider has merged is assigned once more under the new id", () => {
  const bookings = [confirmed({ atProvider: "no", person: { id: "new", fault: null } })];
  expect(planned(aState({ bookings }), firstStep).next).toMatchObject({
    do: "assign",
    providerCandidateId: "new",
  });
});

describe("a 404 that says that the provider does not know the person", () => {
  const unassign = { ...assign(), do: "unassign" } as Call;
  const called = (call: Call, booking: Partial<BookingState>, outcome: CallOutcome = UNKNOWN) =>
    planned(aState({ bookings: [confirmed({ atProvider: "maybe", ...booking })] }), afterCall(call, outcome));

  it.each([
    ["a withdrawal", unassign, { isWithdrawn: true }],
    ["a repeated assignment", assign(true), {}],
  ] as const)("to %s leads to a look-up and a reading first", (_, call, booking) => {
    const { writes, next } = called(call, booking);
    expect(writesOf(writes, "identify")).toMatchObject(LOOK_UP);
    expect(patchOf(writes)).toEqual({ routeDoubt: 0 });
    expect(next.do).toBe("read");
  });

  it("to a withdrawal leads to another one under the new id, once the list shows it", () => {
    const booking = confirmed({
      atProvider: "maybe",
      isWithdrawn: true,
      routeDoubt: 0,
      person: { id: "new", fault: null },
    });
    const listed = [{ providerCandidateId: "new", candidateId: "candidate" }];
    const state = aState({ bookings: [booking], surroundings: { listed } });
    const { next } = planned(state, afterSeeing());
    expect(next).toMatchObject({ do: "unassign", providerCandidateId: "new" });
  });

  it("does not end a withdrawal while the look-up is under way and the list has unknown people", () => {
    const booking = { atProvider: "maybe", isWithdrawn: true, routeDoubt: 0, person: SOUGHT } as const;
    expect(writesOf(read(booking, "stranger").writes, "booking")).toEqual([]);
    expect(patchOf(read(booking).writes)).toMatchObject({ status: "released", reason: "withdrawn" });
  });

  it("ends the withdrawal of a person whom the provider knows by no other id", () => {
    const { writes } = called(unassign, { isWithdrawn: true, routeDoubt: 0 });
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "withdrawn", routeDoubt: null });
    expect(issues(writes)).toEqual([]);
  });
});
