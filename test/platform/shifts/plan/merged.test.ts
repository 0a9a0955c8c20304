import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/durations.ts";
import type { BookingState, Call, CallOutcome } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBooking,
  afterCall,
  afterSeeing,
  aState,
  assign,
  confirmed,
  firstStep,
  issues,
  listing,
  NOW,
  notified,
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
    expect(patchOf(writes)).toEqual({ soughtIds: ["person"] });
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
    expect(writesOf(read({}, "stranger").writes, "identify")).toEqual([]);
    expect(writesOf(read({ missingSince }).writes, "identify")).toEqual([]);
  });

  it("is looked up once more if they were sought by another id before", () => {
    const { writes } = read({ missingSince, soughtIds: ["former"] }, "stranger");
    expect(writesOf(writes, "identify")).toMatchObject(LOOK_UP);
    expect(patchOf(writes)).toEqual({ soughtIds: ["former", "person"] });
  });

  it("is looked up once more if an assignment has succeeded under that id since they were sought", () => {
    const booking = aBooking({ atProvider: "maybe", soughtIds: ["former", "person"] });
    const { writes } = planned(aState({ bookings: [booking] }), afterCall(assign(), { kind: "done" }));
    expect(patchOf(writes)).toMatchObject({ status: "confirmed", soughtIds: ["former"] });
  });

  it("is not assigned once more or released before the look-up has ended", () => {
    const asked = { missingSince, isReassigned: true, soughtIds: ["person"] };
    const { writes, next } = read({ ...asked, person: SOUGHT }, "stranger");
    expect(writesOf(writes, "booking")).toEqual([]);
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000 });
    const ended = read(asked, "stranger");
    expect(patchOf(ended.writes)).toMatchObject({ status: "released", reason: "removed_by_provider" });
  });

  it("is looked up two minutes after the assignment at a provider whose lists have shown no booked person", () => {
    const unlisted = (sentAt: number, soughtIds: string[] = []) =>
      planned(
        aState({
          bookings: [confirmed({ sentAt, soughtIds })],
          integration: { listsBooked: false },
          surroundings: listing("stranger"),
        }),
        afterSeeing(),
      ).writes;
    expect(writesOf(unlisted(NOW - 120_000), "identify")).toMatchObject(LOOK_UP);
    expect(writesOf(unlisted(NOW - 119_000), "identify")).toEqual([]);
    expect(unlisted(NOW - 120_000, ["person"])).toEqual(unlisted(NOW - HOUR_MS, ["person"]));
    expect(patchOf(unlisted(NOW - HOUR_MS, ["person"]))).toEqual({});
  });

  it("keeps the booking under the new id once the look-up has found it", () => {
    const listed = [{ providerCandidateId: "new", candidateId: "candidate" }];
    const booking = confirmed({ missingSince, soughtIds: ["person"], person: { id: "new", fault: null } });
    const { writes, next } = planned(
      aState({ bookings: [booking], surroundings: { listed } }),
      afterSeeing(),
    );
    expect(patchOf(writes)).toMatchObject({
      providerCandidateId: "new",
      missingSince: null,
      soughtIds: [],
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

describe("a list that has an unknown person instead of one", () => {
  it("who withdraws makes the platform look the person up before it unassigns anyone", () => {
    const { writes, next } = read({ isWithdrawn: true }, "stranger");
    expect(writesOf(writes, "identify")[0]).toMatchObject({ forget: true, keep: true });
    expect(patchOf(writes)).toEqual({ soughtIds: ["person"], routeDoubt: 0 });
    expect(next.do).toBe("rest");
  });

  it("whose assignment was refused after one of unknown outcome makes the platform look the person up before it releases the seat", () => {
    const refused = { atProvider: "maybe", rejection: { status: 409 } } as const;
    const { writes } = read(refused, "stranger");
    expect(writesOf(writes, "identify")).toMatchObject(LOOK_UP);
    expect(patchOf(writes)).toEqual({ soughtIds: ["person"] });
  });
});

describe("someone whose withdrawal a list has ended, which may be that of a replica that lags", () => {
  const left = { status: "released", reason: "withdrawn", isWithdrawn: true, atProvider: "no" } as const;
  const ended = { ...left, mayActLate: true, leftAt: NOW - 1_000 };

  it("is looked up again once if a later list has an unknown person", () => {
    const { writes } = read(ended, "stranger");
    expect(writesOf(writes, "identify")).toMatchObject(LOOK_UP);
    expect(patchOf(writes)).toEqual({ atProvider: "maybe", routeDoubt: 0, soughtIds: ["person"] });
    expect(writesOf(read({ ...ended, soughtIds: ["person"] }, "stranger").writes, "identify")).toEqual([]);
    expect(writesOf(read({ ...ended, mayActLate: false }, "stranger").writes, "identify")).toEqual([]);
    expect(writesOf(read(ended).writes, "identify")).toEqual([]);
  });

  it.each<[string, Partial<BookingState>]>([
    ["the look-up has found", { atProvider: "maybe", soughtIds: ["person"], routeDoubt: 0 }],
    ["another look-up has found meanwhile", { leftAt: NOW - 120_000 }],
  ])("is taken off under the id that %s", (_, patch) => {
    const booking = confirmed({ ...ended, ...patch, person: { id: "new", fault: null } });
    const listed = [{ providerCandidateId: "new", candidateId: "candidate" }];
    const { next } = planned(aState({ bookings: [booking], surroundings: { listed } }), afterSeeing());
    expect(next).toMatchObject({ do: "unassign", providerCandidateId: "new" });
  });
});

describe("an id at the provider by which another candidate is on the shift", () => {
  const first = confirmed({ bookingId: "first", candidateId: "other" });
  const second = aBooking({ person: { id: "person", fault: null } });
  const state = (surroundings = {}) => aState({ bookings: [first, second], surroundings });

  it("is not assigned for a second one, of whom an issue says why", () => {
    const { writes, next } = planned(state(), afterSeeing());
    expect(issues(writes)).toContain("candidate_id_shared");
    expect(next.do).toBe("rest");
  });

  it("does not confirm the second one when a list shows it", () => {
    const listed = [{ providerCandidateId: "person", candidateId: "other" }];
    const { writes } = planned(state({ listed }), afterSeeing());
    expect(writesOf(writes, "notify").filter(({ kind }) => kind === "booking_confirmed")).toEqual([]);
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
    expect(patchOf(writes)).toEqual({ routeDoubt: 0, soughtIds: ["person"] });
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

  it("does not end a withdrawal while the look-up is under way, also if the list has no unknown people: a replica may lag", () => {
    const booking = { atProvider: "maybe", isWithdrawn: true, routeDoubt: 0, person: SOUGHT } as const;
    for (const { writes } of [read(booking, "stranger"), read(booking)])
      expect(writesOf(writes, "booking")).toEqual([]);
  });

  it("to a withdrawal is followed by the end of the look-up, also if that was interrupted and the list shows the person", () => {
    const booking = confirmed({ isWithdrawn: true, routeDoubt: 0, person: SOUGHT });
    const listed = [{ providerCandidateId: "new", candidateId: "candidate" }];
    const { writes, next } = planned(
      aState({ bookings: [booking], surroundings: { listed } }),
      afterSeeing(),
    );
    expect(writesOf(writes, "identify")).toMatchObject([{ candidateId: "candidate", forget: false }]);
    expect(next.do).toBe("rest");
  });

  it("to a withdrawal leads to another one under the new id, also if the list does not show it yet", () => {
    const person = { id: "new", fault: null };
    const { next } = read({ atProvider: "maybe", isWithdrawn: true, routeDoubt: 0, person });
    expect(next).toMatchObject({ do: "unassign", providerCandidateId: "new" });
  });

  it("ends the withdrawal of a person whom the provider knows by no other id", () => {
    const { writes } = called(unassign, { isWithdrawn: true, routeDoubt: 0, soughtIds: ["person"] });
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "withdrawn", routeDoubt: null });
    expect(issues(writes)).toEqual([]);
  });

  it("leads to another look-up if the person was sought by another id before: they were merged once more", () => {
    const again = { isWithdrawn: true, routeDoubt: 0, soughtIds: ["former"] };
    const { writes, next } = called(unassign, again);
    expect(writesOf(writes, "identify")).toMatchObject(LOOK_UP);
    expect(patchOf(writes)).toEqual({ soughtIds: ["former", "person"] });
    expect(next.do).toBe("read");
  });
});

describe("an id that the provider does not know any more, of a withdrawal", () => {
  const unassign = { do: "unassign", bookingId: "booking", providerCandidateId: "person" } as const;
  const call = { ...unassign, isRetry: false, traceId: "trace" } as const;
  const answered = (person: BookingState["person"]) => {
    const booking = confirmed({ isWithdrawn: true, atProvider: "maybe", soughtIds: ["person"], person });
    return planned(aState({ bookings: [booking] }), afterCall(call, UNKNOWN));
  };

  it("ends nothing while the look-up is under way, or after it has found another id", () => {
    expect(writesOf(answered(SOUGHT).writes, "notify")).toEqual([]);
    expect(writesOf(answered({ id: "merged", fault: null }).writes, "notify")).toEqual([]);
  });

  it("ends the withdrawal once the look-up has found no other", () => {
    const { writes } = answered({ id: "person", fault: null });
    expect(writesOf(writes, "notify")).toMatchObject([{ kind: "booking_released", reason: "withdrawn" }]);
  });
});

describe("a 409 to the withdrawal of someone whose assignment had an unknown outcome", () => {
  const unassign = { ...assign(), do: "unassign" } as Call;
  const answered = (...ids: string[]) => {
    const booking = aBooking({ atProvider: "yes", isWithdrawn: true, providerCandidateId: "person" });
    return planned(
      aState({ bookings: [booking], surroundings: listing(...ids) }),
      afterCall(unassign, refusal(409)),
    );
  };

  it("confirms no one whom no list has shown: the next reading decides", () => {
    const { writes, next } = answered();
    expect([notified(writes), issues(writes)]).toEqual([[], []]);
    expect(patchOf(writes)).toMatchObject({ atProvider: "maybe" });
    expect(next.do).toBe("read");
  });

  it("keeps the booking of someone whom the list shows", () => {
    const { writes } = answered("person");
    expect(notified(writes)).toEqual(["booking_confirmed"]);
    expect(issues(writes)).toEqual(["unassign_failed"]);
  });
});
