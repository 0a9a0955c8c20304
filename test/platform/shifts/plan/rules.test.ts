import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import type { BookingState, RunSoFar } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBooking,
  aCancellation,
  afterAbsence,
  afterCall,
  afterReading,
  afterSeeing,
  aJob,
  aState,
  assign,
  confirmed,
  cut,
  firstStep,
  inDoubt,
  issues,
  jobOf,
  listing,
  NOW,
  nextReadAt,
  notified,
  patchOf,
  planned,
  RULES,
  refusal,
  START,
  writesOf,
} from "./states.ts";

describe("a call whose outcome is unknown", () => {
  it("is followed by a reading instead of another call", () => {
    expect(planned(aState({ bookings: [inDoubt()] }), firstStep).next.do).toBe("read");
    const { writes, next } = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), cut));
    expect(next.do).toBe("rest");
    expect(notified(writes)).toEqual([]);
    expect(patchOf(writes)).not.toHaveProperty("status");
  });

  it("confirms the booking when the provider lists the person", () => {
    const state = aState({ bookings: [inDoubt()], surroundings: listing("person") });
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
    expect(patchOf(planned(aState({ bookings: [inDoubt()] }), run).writes)).toMatchObject({
      atProvider: "no",
    });
  });

  it("is read again also while the integration is suspended, and after the start", () => {
    const state = aState({ bookings: [inDoubt()], integration: { state: "suspended" } });
    const { next } = planned(state, afterAbsence({ code: "shift_not_found" }), START + 1);
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
  });

  it("leads to a later reading and another unassignment when it takes effect after a withdrawal", () => {
    const unassign = { ...assign(), do: "unassign" } as ReturnType<typeof assign>;
    const withdrawn = confirmed({ isWithdrawn: true, atProvider: "maybe" });
    const { writes, next } = planned(
      aState({ bookings: [withdrawn] }),
      afterCall(unassign, { kind: "done" }),
    );
    expect(patchOf(writes)).toMatchObject({ status: "released", atProvider: "no" });
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000 });
    const ended = confirmed({
      status: "released",
      atProvider: "no",
      mayActLate: true,
      leftAt: NOW - 120_000,
    });
    const state = aState({ bookings: [ended], surroundings: listing("person") });
    const late = planned(state, afterSeeing());
    expect([late.next.do, patchOf(late.writes)]).toMatchObject(["unassign", { mayActLate: false }]);
  });

  it.each([
    [
      "may still take effect after a withdrawal, also if a list has shown the person: the provider may have put them there",
      2_000,
      true,
    ],
    ["takes no effect later than two minutes", 120_000, false],
  ] as const)("%s", (_, ms, mayActLate) => {
    const seen = planned(
      aState({ bookings: [inDoubt({ sentAt: NOW - ms })], surroundings: listing("person") }),
      afterSeeing(),
    );
    const shown = { ...inDoubt({ sentAt: NOW - ms }), ...(patchOf(seen.writes) as Partial<BookingState>) };
    expect(shown).toMatchObject({ status: "confirmed", mayActLate });
    const unassign = { ...assign(), do: "unassign" } as ReturnType<typeof assign>;
    const left = (now: number) => {
      const booking = { ...shown, isWithdrawn: true, atProvider: "maybe", mayActLate: true } as const;
      return patchOf(
        planned(aState({ bookings: [booking] }), afterCall(unassign, { kind: "done" }), now).writes,
      );
    };
    expect({ mayActLate: true, ...left(NOW) }).toMatchObject({ status: "released", mayActLate });
  });

  it("never leads to an unassignment of a person whom the provider has put on the shift again", () => {
    const left = (ms: number) => confirmed({ status: "released", atProvider: "no", leftAt: NOW - ms });
    const read = (ms: number) =>
      planned(aState({ bookings: [left(ms)], surroundings: listing("person") }), afterSeeing());
    // For two minutes it may be a replica that lags: the person counts as neither.
    const early = read(3_000);
    expect([early.next, jobOf(early.writes)]).toMatchObject([{ do: "rest", afterMs: 2_000 }, {}]);
    const late = read(120_000);
    expect([late.next, jobOf(late.writes)]).toMatchObject([{ do: "rest" }, { ownPeopleCount: 1 }]);
  });

  it.each([
    [
      "a list without them settles a withdrawal",
      inDoubt({ isWithdrawn: true, soughtIds: ["person"] }),
      "released",
    ],
    [
      "a list without them is the first since the shift is back",
      confirmed({ status: "released", reason: "shift_deleted", atProvider: "maybe" }),
      undefined,
    ],
  ] as const)(
    "is no reason to unassign whom the provider puts on the shift after %s",
    (_, booking, status) => {
      const withOther = { bookings: [booking], surroundings: listing("other") };
      const { writes } = planned(aState(withOther), afterSeeing());
      const patch = patchOf(writes) as Partial<BookingState>;
      expect([patch.status, patch.atProvider, patch.leftAt]).toEqual([status, "no", NOW]);
      const ended = { ...booking, ...patch, status: "released" } as const;
      const lacks = planned(aState({ bookings: [ended] }), afterSeeing(), NOW + 120_000);
      const after = { ...ended, ...patchOf(lacks.writes) };
      const listed = aState({ bookings: [after], surroundings: listing("person") });
      expect(planned(listed, afterSeeing(), NOW + 180_000).next.do).toBe("rest");
    },
  );

  it("leaves no one on the shift who was listed before a look-up found them, and withdraws", () => {
    const unknown = { id: null, fault: { kind: "refused", status: 404 } } as const;
    const booking = aBooking({ person: unknown, providerCandidateId: null });
    const listed = { listed: [{ providerCandidateId: "p0", candidateId: "candidate" }] };
    const { writes } = planned(aState({ bookings: [booking], surroundings: listed }), afterSeeing());
    const patch = patchOf(writes) as Partial<BookingState>;
    expect(patch).toMatchObject({ status: "confirmed", providerCandidateId: "p0" });
    const withdrawn = { ...booking, ...patch, isWithdrawn: true };
    const { next } = planned(aState({ bookings: [withdrawn], surroundings: listed }), afterSeeing());
    expect(next).toMatchObject({ do: "unassign", providerCandidateId: "p0" });
  });

  it("is not sent for someone who cannot be identified any more: who lists them then is the provider", () => {
    const fault = { kind: "refused", status: 409 } as const;
    const removed = confirmed({ atProvider: "no", isReassigned: true, person: { id: null, fault } });
    const failing = (patch: Partial<BookingState>) => {
      const { writes } = planned(aState({ bookings: [{ ...removed, ...patch }] }), afterSeeing());
      return { ...removed, ...patch, ...(patchOf(writes) as Partial<BookingState>) };
    };
    const listed = (booking: BookingState) =>
      planned(aState({ bookings: [booking], surroundings: listing("person") }), afterSeeing());
    const { writes, next } = listed(failing({}));
    expect([next.do, jobOf(writes)]).toMatchObject(["rest", { ownPeopleCount: 1 }]);
    // An earlier attempt may take effect.
    expect(listed(failing({ mayActLate: true })).next.do).toBe("unassign");
  });

  it("keeps a look-up going whose person withdraws meanwhile", () => {
    const booking = inDoubt({ rejection: { status: 409 }, soughtIds: ["person"], isWithdrawn: true });
    const sought = { ...booking, person: { id: null, fault: { kind: "forgotten", id: "person" } } as const };
    const state = aState({ bookings: [sought], surroundings: listing("stranger") });
    const { writes } = planned(state, afterSeeing());
    expect(patchOf(writes)).toEqual({ routeDoubt: 0 });
    expect(writesOf(writes, "identify")).toMatchObject([{ forget: false }]);
  });

  it("is settled by the next reading if it was a DELETE", () => {
    const cancellation = aCancellation({ sentAt: NOW - 1_000 });
    expect(planned(aState({ cancellation }), firstStep).next.do).toBe("read");
    expect(planned(aState({ cancellation }), afterSeeing()).next.do).toBe("cancel");
  });
});

describe("a rejection", () => {
  it("of the first call is followed by one reading, because the provider may have assigned the person itself", () => {
    const first = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), refusal(409, "shift_full")));
    expect(first.next.do).toBe("read");
    expect(patchOf(first.writes)).not.toHaveProperty("status");
    const rejected = inDoubt(patchOf(first.writes));
    const read = (surroundings?: ReturnType<typeof listing>) =>
      planned(aState({ bookings: [rejected], ...(surroundings && { surroundings }) }), afterSeeing());
    const full = read();
    expect(patchOf(full.writes)).toMatchObject({ status: "released", reason: "shift_full" });
    expect(full.next).not.toMatchObject({ afterMs: 120_000 });
    expect(patchOf(read(listing("person")).writes)).toMatchObject({ status: "confirmed" });
  });

  it.each([404, 410, 422])("with status %d releases the seat when the call was the first", (status) => {
    const code = status === 422 ? undefined : "shift_not_found";
    const { writes } = planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), refusal(status, code)));
    expect(patchOf(writes)).toMatchObject({ status: "released" });
  });

  it("of a retry is followed by a reading, because the first call may have taken effect", () => {
    const state = aState({ bookings: [inDoubt()] });
    const { writes, next } = planned(state, afterCall(assign(true), refusal(422)));
    expect(patchOf(writes)).not.toHaveProperty("status");
    expect(next.do).toBe("read");
  });

  it("of a retry does not count when the provider lists the person", () => {
    const rejected = inDoubt({ rejection: { status: 409 } });
    const { writes } = planned(
      aState({ bookings: [rejected], surroundings: listing("person") }),
      afterSeeing(),
    );
    expect(patchOf(writes)).toMatchObject({ status: "confirmed" });
  });

  it("of a retry releases the seat two minutes after the first call, and reads once more later", () => {
    const state = (sentAt: number) => aState({ bookings: [inDoubt({ rejection: { status: 409 }, sentAt })] });
    const early = planned(state(NOW - 6_000), afterSeeing());
    expect([patchOf(early.writes), early.next]).toMatchObject([{}, { do: "rest", afterMs: 24_000 }]);
    const { writes, next } = planned(state(NOW - 120_000), afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "released" });
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000 });
  });
});

describe("a 409 to an assignment for a reason that the contract does not have", () => {
  const ODD = refusal(409, "record_locked");
  const first = () => planned(aState({ bookings: [inDoubt()] }), afterCall(assign(), ODD));
  const refused = (patch: Partial<BookingState> = {}): BookingState =>
    inDoubt({ ...patchOf(first().writes), ...patch });
  const read = (booking: BookingState, ids: string[] = []) => {
    const listed = ids.map((id) => ({ providerCandidateId: id, candidateId: `candidate of ${id}` }));
    return planned(aState({ bookings: [booking], surroundings: { listed } }), afterSeeing(), NOW + 1_000);
  };

  it("is followed by a reading a second later, and by nothing before", () => {
    const { writes, next } = first();
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
    expect([notified(writes), issues(writes)]).toEqual([[], []]);
    const shift = { nextReadAt: NOW + 1_000 };
    const hinted = planned(aState({ bookings: [refused()], shift }), firstStep, NOW + 500);
    expect(hinted.next).toMatchObject({ do: "rest", afterMs: 500 });
  });

  it("is asked once more if the shift has room", () => {
    const { writes, next } = read(refused(), ["own one"]);
    expect(next).toMatchObject({ do: "assign", isRetry: false });
    expect([notified(writes), issues(writes)]).toEqual([[], []]);
    expect(patchOf(writes)).toMatchObject({ atProvider: "no", isReassigned: true, rejection: null });
  });

  it("releases the seat the second time, with an issue, and is not asked again", () => {
    const again = aBooking({ ...refused(), isReassigned: true });
    const second = planned(aState({ bookings: [again] }), afterCall(assign(), ODD));
    const { writes, next } = read({ ...again, ...patchOf(second.writes) } as BookingState);
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "assignment_refused" });
    expect(writesOf(writes, "issue")).toMatchObject([
      { code: "provider_refused", params: { status: 409, providerCode: "record_locked" } },
    ]);
    expect(next.do).toBe("rest");
  });

  it.each<[string, BookingState, string[]]>([
    ["the list fills the shift", refused(), ["own one", "own two"]],
    ["the contract has the code", refused({ rejection: { status: 409, code: "shift_full" } }), []],
    ["it has no code", refused({ rejection: { status: 409 } }), []],
    ["the person withdraws", refused({ isWithdrawn: true, soughtIds: ["person"] }), []],
  ])("releases the seat without another call, and without an issue, if %s", (_, booking, ids) => {
    const { writes, next } = read(booking, ids);
    expect(patchOf(writes)).toMatchObject({ status: "released" });
    expect([issues(writes), next.do]).toEqual([[], "rest"]);
  });

  it("confirms the booking if the list shows the person", () => {
    expect(patchOf(read(refused(), ["person"]).writes)).toMatchObject({ status: "confirmed" });
  });

  it("does not count against a booking that is confirmed then, and removed later", () => {
    const again = inDoubt({ isReassigned: true });
    const { writes } = planned(aState({ bookings: [again] }), afterCall(assign(), { kind: "done" }));
    expect(patchOf(writes)).toMatchObject({ status: "confirmed", isReassigned: false });
    const removed = confirmed({ atProvider: "maybe", isReassigned: true });
    const kept = planned(aState({ bookings: [removed] }), afterCall(assign(true), { kind: "done" }));
    expect(patchOf(kept.writes)).not.toHaveProperty("isReassigned");
  });
});

describe("a list that shows the id of a candidate with another personal number", () => {
  const code = "candidate_number_changed";
  const entry = { providerCandidateId: "person", candidateId: "candidate" };
  const read = (renumbered: string[], listed = [entry]) => {
    const state = { shift: { hasIssues: true }, surroundings: { listed, renumbered } };
    const job = aJob({ ownPeople: [{ providerCandidateId: "own", candidateId: "former" }] });
    return planned(aState({ bookings: [confirmed()], job, ...state }), afterSeeing()).writes;
  };
  const resolved = (writes: ReturnType<typeof read>) =>
    writesOf(writes, "resolve_issues").flatMap(({ codes, subject }) =>
      codes?.includes(code) ? subject.candidateId : [],
    );

  it("keeps the booking, with an issue that names the id", () => {
    const writes = read(["candidate"]);
    const subject = { kind: "booking", shiftId: "shift", candidateId: "candidate" };
    expect(writesOf(writes, "issue")).toMatchObject([
      { code, subject, params: { providerCandidateId: "person" } },
    ]);
    expect([notified(writes), patchOf(writes)]).toEqual([[], {}]);
    expect(resolved(writes)).toEqual(["former"]);
  });

  it("has its issue closed by a list with the right number, or without the person", () => {
    expect(resolved(read([])).sort()).toEqual(["candidate", "former"]);
    expect(resolved(read([], [])).sort()).toEqual(["candidate", "former"]);
    expect(issues(read([]))).toEqual([]);
  });
});

describe("a future shift with a job", () => {
  it.each([
    ["that shows it unchanged", afterSeeing()],
    [
      "that cannot be used",
      afterReading({ kind: "unusable", unusable: { fault: "text_unstorable", pointer: "/outletName" } }),
    ],
    ["that refuses the call", afterReading(refusal(422))],
  ])("is read again about an hour after a response %s", (_response, run) => {
    const delay = (nextReadAt(planned(aState({ shift: { nextReadAt: NOW } }), run).writes) ?? 0) - NOW;
    expect(Math.abs(delay - HOUR_MS)).toBeLessThanOrEqual(HOUR_MS / 10);
  });
});

describe("free seats", () => {
  it("are the positions minus the people on the provider's list", () => {
    const state = aState({ surroundings: listing("own one", "own two") });
    const job = jobOf(planned(state, afterSeeing()).writes);
    expect(job).toMatchObject({ status: "filled", ownPeopleCount: 2 });
  });

  it("count a person who is booked and listed once", () => {
    const state = aState({ bookings: [confirmed()], surroundings: listing("person") });
    const { writes } = planned(state, afterSeeing());
    expect({ ...aJob(), ...jobOf(writes) }).toMatchObject({ status: "open", ownPeopleCount: 0 });
  });

  it("count a withdrawn person with another id on the list as the provider's own", () => {
    const ended = confirmed({ status: "released", atProvider: "no" });
    const own = { providerCandidateId: "another id", candidateId: ended.candidateId };
    const state = aState({ bookings: [ended], surroundings: { listed: [own] } });
    const { writes, next } = planned(state, afterSeeing());
    expect(next.do).toBe("rest");
    expect(jobOf(writes)).toMatchObject({ ownPeopleCount: 1 });
  });

  it("count one of the provider's own people with two ids once", () => {
    const candidateId = "candidate";
    const listed = ["id", "other id"].map((providerCandidateId) => ({ providerCandidateId, candidateId }));
    const { writes } = planned(aState({ surroundings: { listed } }), afterSeeing());
    expect({ ...aJob(), ...jobOf(writes) }).toMatchObject({ status: "open", ownPeopleCount: 1 });
  });

  it("count an accepted person whom the provider has assigned itself once: the booking is confirmed without a call", () => {
    const state = aState({ bookings: [aBooking()], surroundings: listing("person") });
    const { writes, next } = planned(state, afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "confirmed", atProvider: "yes" });
    expect(jobOf(writes)).not.toMatchObject({ ownPeopleCount: 1 });
    expect(next.do).toBe("rest");
  });

  it("do not confirm a person who was just unassigned and has accepted again: a replica may lag", () => {
    const ended = confirmed({ status: "released", atProvider: "no", sentAt: NOW - 1_000 });
    const again = aBooking({ bookingId: "again" });
    const state = aState({ bookings: [ended, again], surroundings: listing("person") });
    const { writes } = planned(state, afterSeeing());
    const ofAgain = writes.filter((each) => each.write === "booking" && each.bookingId === "again");
    expect(ofAgain).not.toContainEqual(
      expect.objectContaining({ patch: expect.objectContaining({ status: "confirmed" }) }),
    );
  });

  it("are stored with every candidate among the provider's own people, and up to 100 people in all", () => {
    const others = Array.from({ length: 120 }, (_, nth) => ({ providerCandidateId: `own ${nth}` }));
    const known = { providerCandidateId: "known", candidateId: "candidate" };
    const state = aState({ surroundings: { listed: [...others, known] } });
    const job = jobOf(planned(state, afterSeeing()).writes);
    expect(job).toMatchObject({ ownPeopleCount: 121 });
    expect(job?.ownPeople).toHaveLength(100);
    expect(job?.ownPeople?.[0]).toEqual(known);
  });

  it("count a booking that is in progress", () => {
    const state = aState({ bookings: [aBooking()], surroundings: listing("own one") });
    expect(jobOf(planned(state, afterSeeing()).writes)).toMatchObject({ status: "filled" });
  });

  it("are offered to no one when every seat is taken", () => {
    const { writes } = planned(aState({ surroundings: listing("own one", "own two") }), afterSeeing());
    expect(writesOf(writes, "offer")).toEqual([]);
    expect(writesOf(writes, "withdraw_offers")).toHaveLength(1);
  });
});

describe("a confirmed booking whose person the list lacks", () => {
  const booking = confirmed({ sentAt: NOW - 180_000 });
  const read = (patch: Partial<typeof booking> = {}, listsBooked = true) =>
    planned(aState({ bookings: [{ ...booking, ...patch }], integration: { listsBooked } }), afterSeeing());

  it.each([
    [0, 1_000],
    [1_000, 4_000],
    [5_000, 25_000],
    [30_000, 90_000],
  ])("is read again, and kept, %d ms after the first such reading", (ms, afterMs) => {
    const { writes, next } = read(ms === 0 ? {} : { missingSince: NOW - ms });
    expect(patchOf(writes)).toEqual(ms === 0 ? { missingSince: NOW } : {});
    expect(next).toMatchObject({ do: "rest", afterMs });
  });

  it("is assigned once more after two minutes, however many readings there were, and then released", () => {
    const missingSince = NOW - 120_000;
    const { writes, next } = read({ missingSince });
    expect(next).toMatchObject({ do: "assign", isRetry: true });
    expect(patchOf(writes)).toMatchObject({ isReassigned: true, sentAt: NOW });
    expect(patchOf(writes)).not.toHaveProperty("missingSince");
    const again = { missingSince, isReassigned: true };
    expect(read({ ...again, sentAt: NOW - 119_000 }).next).toMatchObject({ do: "rest", afterMs: 1_000 });
    expect(patchOf(read(again).writes)).toMatchObject({ status: "released", reason: "removed_by_provider" });
  });

  it("is missing no longer once a list shows the person", () => {
    const state = aState({
      bookings: [{ ...booking, missingSince: NOW - 1_000 }],
      surroundings: listing("person"),
    });
    expect(patchOf(planned(state, afterSeeing()).writes)).toMatchObject({ missingSince: null });
  });

  it("is read again for two minutes first, because a replica may lag", () => {
    const { writes, next } = read({ sentAt: NOW - 10_000 });
    expect(writesOf(writes, "booking")).toEqual([]);
    expect(next).toMatchObject({ do: "rest", afterMs: 20_000 });
  });

  it("is kept at a provider whose lists have never shown a booked person: they may have other ids", () => {
    expect(writesOf(read({ missingSince: NOW - 120_000 }, false).writes, "booking")).toEqual([]);
  });

  it("marks the provider as one that lists booked people, once a list has shown one", () => {
    const seen = (listsBooked: boolean) =>
      planned(
        aState({ bookings: [booking], integration: { listsBooked }, surroundings: listing("person") }),
        afterSeeing(),
      );
    expect(writesOf(seen(false).writes, "listsBooked")).toHaveLength(1);
    expect(writesOf(seen(true).writes, "listsBooked")).toEqual([]);
  });
});

describe("a seat that becomes free", () => {
  const filled = (bookings: BookingState[], rest: Parameters<typeof aState>[0] = {}) =>
    aState({
      job: aJob({ status: "filled", positions: 2, offerRound: 3, renewedRound: 1 }),
      bookings,
      ...rest,
    });
  const RENEWED = { offerRound: 4, renewedRound: 4 };
  const gone = confirmed({ missingSince: NOW - 120_000, isReassigned: true });

  it("is offered to everyone", () => {
    const { writes } = planned(filled([]), afterSeeing());
    expect(jobOf(writes)).toMatchObject({ status: "open" });
    expect(writesOf(writes, "offer")).toHaveLength(1);
  });

  it.each<[end: string, state: ReturnType<typeof aState>, run: RunSoFar, isNew: boolean]>([
    ["of a confirmed booking makes it a new offer", filled([gone]), afterSeeing(), true],
    [
      "of a refused booking leaves it the same offer",
      filled([aBooking()]),
      afterCall(assign(), refusal(409)),
      false,
    ],
    ["of the provider's own assignment leaves it the same offer", filled([]), afterSeeing(), false],
    [
      "of one of several confirmed bookings leaves it the same offer while the job is open",
      aState({ job: aJob({ status: "open", offerRound: 3, renewedRound: 1 }), bookings: [gone] }),
      afterSeeing(),
      false,
    ],
    [
      "of a shift with a confirmed booking makes it a new offer, should the shift reappear",
      aState({ job: aJob({ status: "open", offerRound: 3 }), bookings: [confirmed()] }),
      afterSeeing({ cancelled: true }),
      true,
    ],
  ])("at the end %s", (_, state, run, isNew) => {
    const written = jobOf(planned(state, run).writes);
    if (isNew) expect(written).toMatchObject(RENEWED);
    else expect(written).not.toHaveProperty("offerRound");
  });

  it("is offered at each reading, so that it reaches candidates who became free", () => {
    expect(writesOf(planned(aState(), afterSeeing()).writes, "offer")).toHaveLength(1);
  });

  it("is not offered while the integration is suspended or the job is being cancelled", () => {
    const cancellation = aCancellation();
    const states = [aState({ integration: { state: "suspended" } }), aState({ cancellation })];
    for (const state of states) expect(writesOf(planned(state, afterSeeing()).writes, "offer")).toEqual([]);
  });
});

describe("more bookings than positions", () => {
  it("stay, with an issue until they fit again, and offers to no one", () => {
    const state = (overfilled: boolean) =>
      aState({
        job: aJob({ status: "filled", positions: 1, overfilled }),
        bookings: [confirmed()],
        surroundings: listing("person", "own"),
        shift: { hasIssues: overfilled },
      });
    const { writes } = planned(state(false), afterSeeing({ positions: 1 }));
    expect(jobOf(writes)).toMatchObject({ overfilled: true });
    expect([issues(writes), patchOf(writes), notified(writes)]).toEqual([["shift_overfilled"], {}, []]);
    expect(writesOf(writes, "offer")).toEqual([]);
    const fitting = planned(state(true), afterSeeing({ positions: 2 }));
    expect(jobOf(fitting.writes)).toMatchObject({ overfilled: false });
    expect(writesOf(fitting.writes, "resolve_issues")).toContainEqual(
      expect.objectContaining({ codes: ["shift_overfilled"] }),
    );
  });
});

describe("an outlet or a role that is not mapped", () => {
  it.each([
    [{ workplaceId: null }, "outlet_not_mapped"],
    [{ competenceId: null }, "role_not_mapped"],
  ])("blocks the job, with an issue, and offers it to no one: %j", (unmapped, code) => {
    const { writes } = planned(aState({ job: undefined, surroundings: unmapped }), afterSeeing());
    expect(jobOf(writes)).toMatchObject({ status: "blocked_mapping" });
    expect([issues(writes), writesOf(writes, "offer")]).toEqual([[code], []]);
  });
});

describe("a call without a usable response", () => {
  const cutAt = (attempts: number) =>
    planned(aState({ bookings: [inDoubt()] }), { ...afterCall(assign(), cut), attempts });

  it("raises an issue after the last attempt in a row, and keeps the booking", () => {
    expect(issues(cutAt(RULES.tries - 1).writes)).toEqual([]);
    const { writes } = cutAt(RULES.tries);
    expect(issues(writes)).toEqual(["provider_gave_no_answer"]);
    expect(patchOf(writes)).not.toHaveProperty("status");
  });
});

describe("many people who are gone from the lists at once", () => {
  const people = (count: number) =>
    Array.from({ length: count }, (_, nth) =>
      confirmed({ bookingId: `b${nth}`, candidateId: `c${nth}`, providerCandidateId: `p${nth}` }),
    );
  const lacking = (
    count: number,
    removed: { missing: number; booked: number } | undefined,
    own: string[] = [],
  ) =>
    planned(
      aState({
        bookings: people(count),
        surroundings: { ...listing(...own), ...(removed && { removed }) },
      }),
      afterSeeing(),
    );

  it.each([
    ["a list with three of them becomes empty", 3, { missing: 0, booked: 50 }, []],
    ["more than five, and more than a fifth, are missing", 1, { missing: 5, booked: 28 }, ["own"]],
  ] as const)("are held, with an issue, when %s", (_, count, removed, own) => {
    const { writes, next } = lacking(count, removed, [...own]);
    expect(writesOf(writes, "hold")).toEqual([
      { write: "hold", params: { count: removed.missing + count, booked: removed.booked + count } },
    ]);
    // Beside an unknown person, the missing one is looked up: the provider may have merged them.
    const isSought = own.length > 0;
    expect(writesOf(writes, "booking").map(({ patch }) => patch)).toEqual(
      Array(count).fill({ missingSince: NOW, ...(isSought && { soughtIds: ["person"] }) }),
    );
    expect(next).toMatchObject({ do: "rest", afterMs: isSought ? 1_000 : 120_000 });
  });

  it.each([
    ["a list with two of them becomes empty", 2, { missing: 0, booked: 50 }, []],
    ["a list keeps others", 3, { missing: 0, booked: 50 }, ["own"]],
    ["they are few of many", 1, { missing: 5, booked: 29 }, ["own"]],
    ["they are five", 1, { missing: 4, booked: 10 }, ["own"]],
    ["an operator has confirmed it", 3, undefined, []],
  ] as const)("are not held when %s", (_, count, removed, own) => {
    const { writes } = lacking(count, removed, [...own]);
    expect(writesOf(writes, "hold")).toEqual([]);
    expect(writesOf(writes, "booking")).toHaveLength(count);
  });

  it("are looked for again after as long again as they have been missing", () => {
    const bookings = people(3).map((each, nth) => ({ ...each, missingSince: NOW - (nth + 1) * 300_000 }));
    const removed = { missing: 0, booked: 50 };
    const state = aState({ bookings, surroundings: { ...listing(), removed } });
    expect(planned(state, afterSeeing()).next).toMatchObject({ do: "rest", afterMs: 900_000 });
  });

  it.each([
    ["two minutes", 120_000, 1],
    ["less", 119_000, 0],
  ])("are held although no list has shown them, %s after they were assigned", (_, ms, holds) => {
    const bookings = people(3).map((booking) => ({ ...booking, sentAt: NOW - ms }));
    const state = aState({
      bookings,
      integration: { listsBooked: true },
      surroundings: { removed: { missing: 0, booked: 50 } },
    });
    expect(writesOf(planned(state, afterSeeing()).writes, "hold")).toHaveLength(holds);
  });

  it("are looked for on other shifts once one person is missing", () => {
    const { writes } = lacking(1, { missing: 0, booked: 10 }, ["own"]);
    expect(writesOf(writes, "sample")).toEqual([{ write: "sample", count: 7 }]);
    expect(writesOf(lacking(1, { missing: 1, booked: 10 }, ["own"]).writes, "sample")).toEqual([]);
  });

  it("leave the seats of the provider's own people taken: the list has lost these too", () => {
    const own = { ownPeople: [{ providerCandidateId: "own" }], ownPeopleCount: 1 };
    const read = (count: number) =>
      planned(
        aState({
          job: aJob({ ...own, positions: count + 1, status: "filled" }),
          bookings: people(count),
          surroundings: { ...listing(), removed: { missing: 0, booked: 50 } },
        }),
        afterSeeing({ positions: count + 1 }),
      );
    expect(jobOf(read(3).writes)).not.toHaveProperty("ownPeopleCount");
    expect([jobOf(read(3).writes).status, writesOf(read(3).writes, "offer")]).toEqual([undefined, []]);
    expect(jobOf(read(2).writes)).toMatchObject({ ownPeopleCount: 0, status: "open" });
  });

  it("are held one by one while the integration holds, and no longer once the list shows them", () => {
    const state = aState({
      bookings: people(1),
      integration: { isHeld: true },
      surroundings: { ...listing("own"), removed: { missing: 0, booked: 50 } },
    });
    expect(writesOf(planned(state, afterSeeing()).writes, "hold")).toHaveLength(1);
    const back = { ...state, surroundings: { ...state.surroundings, ...listing("p0") } };
    const { writes } = planned(back, afterSeeing());
    expect(writesOf(writes, "hold")).toEqual([]);
    expect(writesOf(writes, "end_hold")).toHaveLength(1);
  });
});

describe("a material change", () => {
  const moved = afterSeeing({ startTime: new Date(START + HOUR_MS).toISOString() });

  it("notifies everyone booked, and withdraws the offers with the old times", () => {
    const state = aState({ bookings: [confirmed()], surroundings: listing("person") });
    const { writes } = planned(state, moved);
    expect(notified(writes)).toEqual(["shift_changed"]);
    const kinds = writes.map(({ write }) => write);
    expect(kinds.indexOf("withdraw_offers")).toBeGreaterThanOrEqual(0);
    expect(kinds.indexOf("offer")).toBeGreaterThan(kinds.indexOf("withdraw_offers"));
    expect(jobOf(writes)).toMatchObject({ offerRound: 1 });
  });

  it.each([
    [{ endTime: new Date(START + 9 * HOUR_MS).toISOString() }, true],
    [{ outletId: "other" }, true],
    [{ roleId: "other" }, true],
    [{ startTime: new Date(START + 30_000).toISOString() }, true],
    [{ startTime: new Date(START + 29_999).toISOString() }, false],
    [{ startTime: new Date(START - 1).toISOString() }, false],
    [{ positions: 5 }, false],
    [{ outletName: "Kajen", roleName: "Waiter" }, false],
  ])("is one of the times as people read them, the outlet or the role: %j %s", (changed, isMaterial) => {
    const state = aState({ bookings: [confirmed()], surroundings: listing("person") });
    const { writes } = planned(state, afterSeeing(changed));
    expect(notified(writes)).toEqual(isMaterial ? ["shift_changed"] : []);
    expect(writesOf(writes, "withdraw_offers")).toHaveLength(isMaterial ? 1 : 0);
  });

  it("raises an issue for each person who is booked elsewhere at that time, or lacks the competence", () => {
    const overlaps = [{ candidateId: "candidate", otherJobId: "other" }];
    const surroundings = { ...listing("person"), overlaps, lacking: ["candidate"] };
    const { writes } = planned(aState({ bookings: [confirmed()], surroundings }), moved);
    expect(issues(writes)).toEqual(["booking_overlaps", "competence_missing"]);
  });

  it.each([
    ["booking_overlaps", { lacking: ["candidate"] }],
    ["competence_missing", { overlaps: [{ candidateId: "candidate", otherJobId: "other" }] }],
  ])("has its issue %s resolved by a reading after its cause is gone", (code, surroundings) => {
    const state = aState({
      bookings: [confirmed()],
      shift: { hasIssues: true },
      surroundings: { ...listing("person"), ...surroundings },
    });
    const { writes } = planned(state, afterSeeing());
    const ofBooking = writesOf(writes, "resolve_issues").filter(({ subject }) => subject.kind === "booking");
    expect(ofBooking.map(({ codes }) => codes)).toContainEqual([code]);
    expect(ofBooking.flatMap(({ codes }) => codes)).not.toContain(
      code === "booking_overlaps" ? "competence_missing" : "booking_overlaps",
    );
  });

  it("resolves its issues once the booking has ended", () => {
    const bookings = [confirmed({ atProvider: "maybe", isWithdrawn: true, soughtIds: ["person"] })];
    const state = aState({ bookings, shift: { hasIssues: true }, surroundings: listing("other") });
    const { writes } = planned(state, afterSeeing());
    expect(patchOf(writes)).toMatchObject({ status: "released", reason: "withdrawn" });
    expect(writesOf(writes, "resolve_issues")).toContainEqual({
      write: "resolve_issues",
      subject: { kind: "booking", shiftId: state.shiftId, candidateId: "candidate" },
      codes: ["booking_overlaps", "competence_missing", "provider_gave_no_answer"],
    });
  });

  it("notifies no one when nothing has changed", () => {
    const state = aState({ bookings: [confirmed()], surroundings: listing("person") });
    expect(notified(planned(state, afterSeeing()).writes)).toEqual([]);
  });
});
