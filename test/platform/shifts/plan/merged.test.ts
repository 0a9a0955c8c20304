import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import type { BookingState, Call, CallOutcome } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBooking,
  afterCall,
  afterSeeing,
  aJob,
  aState,
  assign,
  confirmed,
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

describe("an acknowledgement of an assignment that names another candidate on the right shift", () => {
  const OTHER = { ...refusal(200, "assignment_of_another"), assignedAs: "survivor" };
  const waiting = inDoubt({
    rejection: { status: 200, code: "assignment_of_another", assignedAs: "survivor" },
    soughtIds: ["person"],
    routeDoubt: 0,
    person: SOUGHT,
  });
  const ended = (person: Partial<BookingState["person"]>, patch: Partial<BookingState> = {}) =>
    aBooking({ ...waiting, person: { id: "survivor", fault: null, ...person }, ...patch });
  const next = (...bookings: BookingState[]) => planned(aState({ bookings }), firstStep);

  it.each([["the first", false, inDoubt()] as const, ["a repeated", true, inDoubt()] as const])(
    "leads to a look-up, and to no conclusion: to %s call",
    (_, isRetry, booking) => {
      const { writes, next } = planned(aState({ bookings: [booking] }), afterCall(assign(isRetry), OTHER));
      expect(writesOf(writes, "identify")[0]).toMatchObject({ forget: true, keep: true });
      expect(patchOf(writes)).toEqual({
        rejection: waiting.rejection,
        soughtIds: ["person"],
        routeDoubt: 0,
      });
      expect([issues(writes), notified(writes), next.do]).toEqual([[], [], "rest"]);
    },
  );

  it("concludes nothing before the look-up has ended, whatever a list shows", () => {
    expect(writesOf(next(waiting).writes, "booking")).toEqual([]);
    for (const ids of [[], ["survivor"], ["stranger"]]) {
      const state = aState({ bookings: [waiting], surroundings: listing(...ids) });
      const { writes } = planned(state, afterSeeing());
      expect([patchOf(writes), notified(writes)]).toEqual([{}, []]);
    }
  });

  it("confirms the booking under that id, without another call, if the look-up finds it alone", () => {
    const { writes, next: then } = next(ended({}));
    expect(patchOf(writes)).toMatchObject({
      status: "confirmed",
      atProvider: "yes",
      providerCandidateId: "survivor",
      rejection: null,
      routeDoubt: null,
    });
    expect([notified(writes), then.do]).toEqual([["booking_confirmed"], "rest"]);
  });

  it("unassigns under that id someone who has withdrawn meanwhile", () => {
    const { next: then } = next(ended({}, { isWithdrawn: true }));
    expect(then).toMatchObject({ do: "unassign", providerCandidateId: "survivor" });
  });

  it.each<[string, BookingState[]]>([
    ["finds the person under the old id", [ended({ id: "person" })]],
    ["finds the person under a third id", [ended({ id: "third" })]],
    ["finds several people", [ended({ id: null, fault: { kind: "ambiguous", matches: 2 } })]],
    ["finds an id that belongs to another candidate", [ended({ fault: { kind: "shared" } })]],
    [
      "finds an id under which another candidate is on the shift",
      [
        confirmed({
          bookingId: "first",
          candidateId: "other",
          providerCandidateId: "SURVIVOR",
          sentAt: null,
        }),
        ended({}),
      ],
    ],
  ])("fails the booking, with an issue that names the id, if the look-up %s", (_, bookings) => {
    const { writes } = next(...bookings);
    expect(patchOf(writes)).toMatchObject({
      status: "failed",
      reason: "assignment_refused",
      rejection: null,
    });
    expect(writesOf(writes, "issue")).toMatchObject([
      { code: "assigned_as_another", params: { providerCandidateId: "survivor" } },
    ]);
    expect(notified(writes)).toEqual(["booking_released"]);
  });

  it("fails the booking after the start of the shift, when no one is looked up any more", () => {
    const { writes } = planned(aState({ bookings: [waiting] }), afterSeeing(), START + 1);
    expect(patchOf(writes)).toMatchObject({ status: "failed", reason: "assignment_refused" });
    expect(issues(writes)).toEqual(["assigned_as_another"]);
  });

  it("confirms no one on a shift that is gone", () => {
    const job = aJob({ status: "cancelled", cancelledBy: "provider" });
    const { writes } = planned(aState({ job, bookings: [ended({})] }), firstStep);
    expect(notified(writes)).toEqual([]);
  });

  it("has its issue resolved by the next booking that the provider confirms", () => {
    const state = aState({ bookings: [inDoubt()], shift: { hasIssues: true } });
    const { writes } = planned(state, afterCall(assign(), { kind: "done" }));
    expect(writesOf(writes, "resolve_issues").flatMap(({ codes = [] }) => codes)).toContain(
      "assigned_as_another",
    );
  });
});

describe("a booking that was confirmed under the id of a merged person", () => {
  const merged = confirmed({ providerCandidateId: "survivor", soughtIds: ["person"], sentAt: NOW - 1_000 });
  const known = { ...merged, person: { id: "survivor", fault: null } };

  it.each([
    ["the new id", { providerCandidateId: "survivor", candidateId: "candidate" }],
    [
      "the old id, as a replica or a provider that stores what it was asked for does",
      { providerCandidateId: "person" },
    ],
  ])("stays when a list shows %s, and takes one position", (_, entry) => {
    for (const sentAt of [NOW - 1_000, NOW - HOUR_MS]) {
      const state = aState({ bookings: [{ ...known, sentAt }], surroundings: { listed: [entry] } });
      const { writes, next } = planned(state, afterSeeing());
      expect(patchOf(writes)).not.toHaveProperty("missingSince");
      expect(jobOf(writes)).toEqual({});
      expect(next.do).toBe("rest");
    }
  });

  it("ends with an unassignment under the new id", () => {
    const { next } = planned(aState({ bookings: [{ ...known, isWithdrawn: true }] }), firstStep);
    expect(next).toMatchObject({ do: "unassign", providerCandidateId: "survivor" });
  });

  it("leaves another booking of the person, under the old id, as it is: a list that shows the new one renames it", () => {
    const other = confirmed({ person: { id: "survivor", fault: null } });
    const listed = [{ providerCandidateId: "survivor", candidateId: "candidate" }];
    const read = (surroundings: { listed: typeof listed }) =>
      planned(aState({ bookings: [other], surroundings }), afterSeeing());
    expect(patchOf(read({ listed }).writes)).toMatchObject({ providerCandidateId: "survivor" });
    expect(
      patchOf(planned(aState({ bookings: [other], surroundings: listing("person") }), afterSeeing()).writes),
    ).toEqual({});
  });
});
