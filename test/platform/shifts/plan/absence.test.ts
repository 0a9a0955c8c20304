import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import { type Belief, NO_BELIEF } from "../../../../src/platform/shifts/plan/believe.ts";
import type { KnownShift } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBelief,
  aCancellation,
  afterAbsence,
  afterSeeing,
  aJob,
  anEvent,
  aState,
  beliefOf,
  cancel,
  confirmed,
  firstStep,
  goneFor,
  issues,
  jobOf,
  listing,
  missedFor,
  NOW,
  nextReadAt,
  notified,
  patchOf,
  planned,
  RULES,
  writesOf,
} from "./states.ts";

/** Every reading since then has missed it: the last rung is over. */
const PATIENT = missedFor(120_000);

describe("a shift that GET does not find", () => {
  it("is read again after 1 s, 5 s, 30 s and 2 min before its job is cancelled", () => {
    const shift = { nextReadAt: NOW };
    const first = planned(
      aState({ shift, bookings: [confirmed()] }),
      afterAbsence({ code: "shift_not_found" }),
    );
    expect([notified(first.writes), first.next]).toMatchObject([[], { do: "rest", afterMs: 1_000 }]);
    for (const [rung, waitedMs] of RULES.ladderMs.slice(0, -1).entries()) {
      const state = aState({ shift: missedFor(waitedMs), bookings: [confirmed()] });
      const { writes, next } = planned(state, afterAbsence({ code: "shift_not_found" }));
      expect(notified(writes)).toEqual([]);
      expect(next).toMatchObject({ do: "rest", afterMs: (RULES.ladderMs[rung + 1] ?? 0) - waitedMs });
    }
  });

  it("does not count as gone sooner for a hint, which has it read before the next rung", () => {
    const event = anEvent("shift.update", { isReplayed: true });
    const state = aState({ shift: missedFor(117_000), events: [event], bookings: [confirmed()] });
    const run = afterAbsence({ code: "shift_not_found", covers: [event.eventId] });
    const { writes, next } = planned(state, run);
    expect(writesOf(writes, "events")).toMatchObject([
      {
        status: "queued",
        verdict: { code: "will_recheck", params: { recheck: "absent", afterMs: 3_000 } },
      },
    ]);
    expect(next).toMatchObject({ do: "rest", afterMs: 3_000 });
  });

  it.each([
    ["since the last reading", PATIENT],
    ["between two of its readings", missedFor(20_000)],
  ])("has all of its time again after an update that came %s", (_, shift) => {
    const event = anEvent("shift.update");
    const run = afterAbsence({ code: "shift_not_found", covers: [event.eventId] });
    const { writes, next } = planned(aState({ shift, events: [event], bookings: [confirmed()] }), run);
    expect(notified(writes)).toEqual([]);
    expect(next).toMatchObject({ do: "rest", afterMs: 980 });
  });

  it("has no more time after a replay, a deletion, or an update that a reading has covered before", () => {
    for (const event of [
      anEvent("shift.update", { isReplayed: true }),
      anEvent("shift.delete"),
      anEvent("shift.update", { isRead: true }),
    ]) {
      const run = afterAbsence({ code: "shift_not_found", covers: [event.eventId] });
      const { writes } = planned(aState({ shift: PATIENT, events: [event], bookings: [confirmed()] }), run);
      expect(jobOf(writes)).toMatchObject({ status: "cancelled" });
    }
  });

  it("counts as absent with the contract's code", () => {
    const run = afterAbsence({ code: "shift_not_found" });
    const { writes } = planned(aState({ shift: PATIENT, bookings: [confirmed()] }), run);
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", cancelledBy: "absence" });
    expect(notified(writes)).toEqual(["shift_cancelled"]);
    expect(beliefOf(writes)).toMatchObject({ version: "gone", since: NOW });
  });

  it("counts as deleted at once with a 410 and a problem document", () => {
    const run = afterAbsence({ code: "gone", final: true });
    const { writes } = planned(aState({ bookings: [confirmed()] }), run);
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", cancelledBy: "absence" });
    expect(planned(aState({ bookings: [confirmed()] }), afterAbsence({ final: true })).next.do).toBe(
      "witness",
    );
  });

  it("changes nothing when its job is cancelled already", () => {
    const event = anEvent("shift.delete");
    const job = aJob({ status: "cancelled", cancelledBy: "absence" });
    const run = afterAbsence({ code: "shift_not_found", covers: [event.eventId] });
    const { writes } = planned(aState({ job, events: [event], shift: { belief: goneFor(HOUR_MS) } }), run);
    expect(jobOf(writes)).toEqual({});
    expect(notified(writes)).toEqual([]);
    const verdict = { code: "already_cancelled" };
    expect(writesOf(writes, "events")).toMatchObject([{ status: "processed", verdict }]);
  });

  it.each([0, 1_000, 120_000])("needs a witness without the code, also after %d ms", (ms) => {
    const state = aState({ shift: missedFor(ms), bookings: [confirmed()] });
    const { writes, next } = planned(state, afterAbsence());
    expect(next.do).toBe("witness");
    expect(writes).toEqual([]);
  });

  it.each([{}, missedFor(1_000), PATIENT])(
    "is an outage when the witness fails, which does not count as an absence: %j",
    (shift) => {
      const state = aState({ shift, bookings: [confirmed()] });
      const { writes, next } = planned(state, afterAbsence({ witness: "bad" }));
      expect(beliefOf(writes)).toBeUndefined();
      expect(writesOf(writes, "health")).toEqual([{ write: "health", health: "implausible" }]);
      expect(jobOf(writes)).toEqual({});
      expect(next).toMatchObject({ do: "rest", failed: {} });
    },
  );

  it("is read once more after a good witness, because the outage may have ended in between", () => {
    const state = aState({ shift: PATIENT, bookings: [confirmed()] });
    const { writes, next } = planned(state, afterAbsence({ witness: "good" }));
    expect(jobOf(writes)).toEqual({});
    expect(next.do).toBe("read");
    const again = planned(state, { ...afterAbsence(), isWitnessed: true });
    expect(jobOf(again.writes)).toMatchObject({ status: "cancelled" });
  });

  it("counts as deleted at once when the provider has announced the deletion", () => {
    const event = anEvent("shift.delete");
    const run = afterAbsence({ code: "shift_not_found", covers: [event.eventId] });
    expect(jobOf(planned(aState({ events: [event] }), run).writes)).toMatchObject({ status: "cancelled" });
  });

  it("ends every issue about it once it is gone", () => {
    const state = aState({ job: aJob({ overfilled: true }), shift: { ...PATIENT, hasIssues: true } });
    const { writes } = planned(state, afterAbsence({ code: "shift_not_found" }));
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", overfilled: false });
    const subject = { kind: "shift", shiftId: "shift" };
    expect(writesOf(writes, "resolve_issues")).toContainEqual({ write: "resolve_issues", subject });
  });

  it("ends the event of its deletion also if it has no job", () => {
    const event = anEvent("shift.delete");
    const run = afterAbsence({ code: "shift_not_found", covers: [event.eventId] });
    const shift = { nextReadAt: null, belief: NO_BELIEF };
    const { writes } = planned(aState({ job: undefined, events: [event], shift }), run);
    const verdict = { code: "no_job" };
    expect(writesOf(writes, "events")).toMatchObject([{ status: "processed", verdict }]);
    expect([jobOf(writes), issues(writes)]).toEqual([{}, []]);
  });
});

describe("a 404 to the platform's DELETE", () => {
  const cancellation = aCancellation({ sentAt: NOW });
  const made = (outcome: object) =>
    ({
      isFirst: false,
      failed: new Set<string>(),
      attempts: 1,
      made: { call: cancel, outcome, durationMs: 1 },
    }) as never;

  it("confirms the cancellation with the contract's code", () => {
    const { writes } = planned(
      aState({ cancellation }),
      made({ kind: "absent", final: false, code: "shift_not_found" }),
    );
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", cancelledBy: "employer" });
  });

  it("does not count as a refusal, which ends the cancellation with an issue and keeps the bookings", () => {
    const state = aState({ cancellation, bookings: [confirmed()] });
    const { writes } = planned(state, made({ kind: "refused", status: 409, code: undefined }));
    expect([jobOf(writes), patchOf(writes), notified(writes)]).toEqual([{}, {}, []]);
    expect(issues(writes)).toEqual(["cancellation_refused"]);
    expect(writesOf(writes, "forget_operation")).toHaveLength(1);
  });

  it("cancels nothing without the code until the shift counts as deleted", () => {
    const run = afterAbsence({ code: "shift_not_found" });
    const early = planned(aState({ cancellation, bookings: [confirmed()] }), run);
    expect(jobOf(early.writes)).toEqual({});
    expect(early.next).toMatchObject({ do: "rest", afterMs: RULES.ladderMs[0] });
    const { writes } = planned(aState({ cancellation, shift: PATIENT, bookings: [confirmed()] }), run);
    expect(jobOf(writes)).toMatchObject({ status: "cancelled", cancelledBy: "employer" });
  });
});

describe("the webhook of a call of the platform that comes while the shift is missing", () => {
  it("is that of the call once: the next one announces a change", () => {
    const missed = (belief: Belief | undefined, name: string) => {
      const events = [anEvent(name)];
      const covers = events.map(({ eventId }) => eventId);
      const state = aState({ events, shift: { belief: belief ?? expect.unreachable() } });
      return beliefOf(planned(state, afterAbsence({ code: "shift_not_found", covers })).writes);
    };
    const first = missed(aBelief({ calledAt: NOW - 1_000, awaitsEcho: true }), "shift.update");
    expect(first).toMatchObject({ expected: 0, awaitsEcho: false });
    expect(missed(first, "shift.update")).toMatchObject({ expected: 1 });
  });
});

describe("many shifts that disappear at once", () => {
  const run = afterAbsence({ code: "shift_not_found" });
  const state = (missing: number, known: number, isHeld = false) =>
    aState({
      shift: PATIENT,
      bookings: [confirmed()],
      integration: { isHeld },
      surroundings: { vanished: { missing, known } },
    });

  it("are held, with an issue, when they are more than 5 and more than a fifth", () => {
    const { writes } = planned(state(6, 29), run);
    expect(writesOf(writes, "hold")).toEqual([{ write: "hold", params: { count: 6, positions: 29 } }]);
    expect(jobOf(writes)).toEqual({});
    expect(notified(writes)).toEqual([]);
  });

  it("are held only after a second reading that follows a good witness: the outage may have ended in between", () => {
    const first = planned(state(6, 29), afterAbsence({ witness: "good" }));
    expect([writesOf(first.writes, "hold"), first.next.do]).toEqual([[], "read"]);
    const { writes } = planned(state(6, 29), { ...afterAbsence(), isWitnessed: true });
    expect(writesOf(writes, "hold")).toHaveLength(1);
  });

  it.each([
    [1_000, 120_000],
    [240_000, 240_000],
    [1_200_000, 1_200_000],
  ])("are read again after as long again, at least two minutes: missing for %d ms", (ms, after) => {
    const held = { ...state(6, 29), shift: { ...state(6, 29).shift, ...missedFor(ms) } };
    expect(nextReadAt(planned(held, run).writes)).toBe(NOW + after);
  });

  it("are read again in about an hour at the latest", () => {
    const held = { ...state(6, 29), shift: { ...state(6, 29).shift, ...missedFor(24 * HOUR_MS) } };
    const next = nextReadAt(planned(held, run).writes) ?? 0;
    expect([next > NOW + 0.8 * HOUR_MS, next < NOW + 1.2 * HOUR_MS]).toEqual([true, true]);
  });

  it.each([
    [5, 10],
    [6, 30],
  ])("count as deleted when they are %d of %d", (missing, known) => {
    expect(jobOf(planned(state(missing, known), run).writes)).toMatchObject({ status: "cancelled" });
  });

  it("stay held until the operator confirms it", () => {
    expect(jobOf(planned(state(1, 30, true), run).writes)).toEqual({});
  });

  it("are counted by reading others when the first one is missing", () => {
    const { writes } = planned(aState({ surroundings: { vanished: { missing: 1, known: 20 } } }), run);
    expect(writesOf(writes, "sample")).toEqual([{ write: "sample", count: 9 }]);
  });
});

describe("events that contradict each other", () => {
  const announced = (names: string[], shift: Partial<KnownShift> = {}) => {
    const events = names.map((name) => anEvent(name));
    const covers = events.map(({ eventId }) => eventId);
    const state = aState({
      job: undefined,
      events,
      shift: { nextReadAt: null, belief: NO_BELIEF, ...shift },
    });
    return planned(state, afterAbsence({ code: "shift_not_found", covers }));
  };

  it("wait for a missing shift if the last of them is a create", () => {
    const { writes, next } = announced(["shift.delete", "shift.create"]);
    expect(writesOf(writes, "events")[0]).toMatchObject({ status: "queued" });
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
  });

  it("do not count as a loss of data if they include a deletion", () => {
    const events = ["shift.delete", "shift.update"].map((name) => anEvent(name, { isRead: true }));
    const covers = events.map(({ eventId }) => eventId);
    const surroundings = { vanished: { missing: 20, known: 40 } };
    const state = aState({ events, surroundings, shift: PATIENT, integration: { isHeld: true } });
    const { writes } = planned(state, afterAbsence({ code: "shift_not_found", covers }));
    expect(jobOf(writes)).toMatchObject({ status: "cancelled" });
    expect(writesOf(writes, "hold")).toEqual([]);
  });

  it("lead to more readings, because they may be out of order", () => {
    expect(nextReadAt(announced(["shift.create", "shift.delete"]).writes)).toBe(NOW - 20 + 1_000);
    expect(nextReadAt(announced(["shift.delete"]).writes) ?? null).toBeNull();
  });

  it("are processed at once if the shift was gone before, and the shift is read again", () => {
    const { writes } = announced(["shift.create"], { belief: goneFor(HOUR_MS) });
    expect(writesOf(writes, "events")[0]).toMatchObject({ status: "processed" });
    expect(nextReadAt(writes)).toBe(NOW - 20 + 1_000);
  });
});

describe("a 404 without the code for a shift that was gone before", () => {
  const event = anEvent("shift.create");
  /** Applies it, with an event that reports the shift, or without. */
  const concluded = (
    reading: Parameters<typeof afterAbsence>[0],
    {
      isReported = true,
      isWitnessed = false,
      ...parts
    }: Parameters<typeof aState>[0] & { isReported?: boolean; isWitnessed?: boolean } = {},
  ) => {
    const events = isReported ? [event] : [];
    const shift = { belief: goneFor(HOUR_MS), nextReadAt: NOW };
    const covers = events.map(({ eventId }) => eventId);
    const run = { ...afterAbsence({ ...reading, covers }), ...(isWitnessed && { isWitnessed }) };
    return planned(aState({ job: undefined, events, shift, ...parts }), run);
  };

  it("needs a witness when an event reports the shift again", () => {
    expect(concluded({}).next.do).toBe("witness");
  });

  it("keeps that event waiting when the witness fails", () => {
    const { writes, next } = concluded({ witness: "bad" });
    expect(writesOf(writes, "events").filter(({ status }) => status === "processed")).toEqual([]);
    expect(next).toMatchObject({ do: "rest", failed: {} });
  });

  it("is read once more after a good witness, and then ends the event", () => {
    const first = concluded({ witness: "good" });
    expect(writesOf(first.writes, "events")).toMatchObject([{ status: "queued" }]);
    expect(first.next.do).toBe("read");
    const { writes } = concluded({}, { isWitnessed: true });
    expect(writesOf(writes, "events")).toMatchObject([{ status: "processed" }]);
    expect(nextReadAt(writes)).toBe(NOW - 20 + 1_000);
  });

  it("needs a witness at the reading that follows such an event, but no second one", () => {
    expect(concluded({}, { isReported: false }).next.do).toBe("witness");
    const { writes } = concluded({ witness: "good" }, { isReported: false });
    expect(nextReadAt(writes)).toBeNull();
  });

  it("needs no witness at the hourly reading", () => {
    const job = aJob({ status: "cancelled", cancelledBy: "absence" });
    const { writes, next } = concluded({}, { isReported: false, job });
    expect(next.do).toBe("rest");
    expect(nextReadAt(writes)).toBeGreaterThan(NOW + 0.8 * HOUR_MS);
  });
});

describe("a shift that comes back", () => {
  const job = (by: "absence" | "employer" | "provider") => aJob({ status: "cancelled", cancelledBy: by });
  const gone = { belief: goneFor(HOUR_MS), nextReadAt: NOW };

  it.each(["absence", "provider"] as const)("reopens its job, which was cancelled by %s", (by) => {
    const { writes } = planned(aState({ job: job(by), shift: gone }), afterSeeing());
    expect(jobOf(writes)).toMatchObject({ status: "open", cancelledBy: null });
    expect(writesOf(writes, "offer")).toHaveLength(1);
  });

  it("waits for later readings if it was gone less than two minutes ago: a replica that lags may have shown it", () => {
    const event = anEvent("shift.update");
    const goneSince = (ms: number, seen: Parameters<typeof afterSeeing>[0] = {}) => {
      const shift = { nextReadAt: NOW, belief: goneFor(ms) };
      const state = aState({ job: job("absence"), events: [event], shift });
      return planned(state, afterSeeing(seen, { covers: [event.eventId] }));
    };
    const { writes, next } = goneSince(3_000);
    expect(jobOf(writes)).toEqual({});
    expect(writesOf(writes, "offer")).toEqual([]);
    const verdict = { code: "will_recheck", params: { recheck: "reappeared", afterMs: 980 } };
    expect(writesOf(writes, "events")).toMatchObject([{ status: "queued", verdict }]);
    expect(next).toMatchObject({ do: "rest", afterMs: 980 });
    expect(jobOf(goneSince(120_000).writes)).toMatchObject({ status: "open" });
    // That a shift is cancelled is never older than that it is gone.
    expect(writesOf(goneSince(3_000, { cancelled: true }).writes, "events")).toMatchObject([
      { status: "processed" },
    ]);
  });

  it("is not even new within these two minutes", () => {
    const state = aState({ job: undefined, shift: { nextReadAt: NOW, belief: goneFor(3_000) } });
    expect(writesOf(planned(state, afterSeeing()).writes, "job")).toEqual([]);
  });

  it("does not reopen a job that was cancelled by the employer: an issue says so, and it is read each hour", () => {
    const { writes } = planned(aState({ job: job("employer"), shift: gone }), afterSeeing());
    expect(jobOf(writes)).toEqual({});
    expect(issues(writes)).toEqual(["delete_not_confirmed"]);
    expect(nextReadAt(writes)).toBeGreaterThan(NOW + 0.8 * HOUR_MS);
  });

  it("does not reopen a job when it is reported as cancelled", () => {
    const { writes } = planned(
      aState({ job: job("absence"), shift: gone }),
      afterSeeing({ cancelled: true }),
    );
    expect(jobOf(writes)).toEqual({});
  });

  it.each([
    ["missing", { shift: PATIENT }, afterAbsence({ code: "shift_not_found" })],
    ["cancelled", {}, afterSeeing({ cancelled: true })],
  ])(
    "is noticed without a webhook, because a %s shift is read each hour until its start",
    (_, parts, run) => {
      const { writes, next } = planned(aState(parts), run);
      expect(nextReadAt(writes)).toBeGreaterThan(NOW + 0.8 * HOUR_MS);
      expect(next).toMatchObject({ do: "rest", priority: 2 });
      expect(planned(aState({ job: job("absence"), shift: gone }), firstStep).next.do).toBe("read");
    },
  );

  describe("with its people", () => {
    const ended = (patch = {}) =>
      confirmed({ status: "released", reason: "shift_cancelled", atProvider: "maybe", ...patch });
    const back = (bookings = [ended()], surroundings = {}, shift = gone) =>
      planned(
        aState({
          job: job("provider"),
          shift,
          bookings,
          surroundings: { ...listing("person"), ...surroundings },
        }),
        afterSeeing(),
      );

    it.each([
      ["missing", { shift: PATIENT }, afterAbsence({ code: "shift_not_found" }), "shift_deleted"],
      ["cancelled", {}, afterSeeing({ cancelled: true }), "shift_cancelled"],
    ])("does not know who of them is on it while it is %s", (_, parts, run, reason) => {
      const { writes } = planned(aState({ ...parts, bookings: [confirmed()] }), run);
      expect(patchOf(writes)).toMatchObject({ status: "released", reason, atProvider: "maybe" });
    });

    it("confirms again who is still listed, and notifies them", () => {
      const { writes, next } = back();
      expect(patchOf(writes)).toMatchObject({ status: "confirmed", reason: null, atProvider: "yes" });
      expect(writesOf(writes, "notify")).toMatchObject([
        { kind: "booking_confirmed", candidateIds: ["candidate"], changeKey: "" },
      ]);
      expect(next.do).toBe("rest");
    });

    it("confirms no one, and takes no one off, before it is settled that the shift is back", () => {
      const notices = { notices: [NOW - 30_000, NOW - 10_000], basis: NOW - 10_000 };
      const { writes, next } = back([ended()], {}, { ...gone, belief: { ...gone.belief, ...notices } });
      expect([patchOf(writes), notified(writes), next.do]).toEqual([{}, [], "rest"]);
    });

    it.each([
      ["has ended for another reason", { reason: "removed_by_provider" }],
      ["was being withdrawn", { isWithdrawn: true }],
    ] as const)("does not confirm a booking that %s, and takes the person off", (_, patch) => {
      const { writes, next } = back([ended(patch)]);
      expect([notified(writes), next.do]).toEqual([[], "unassign"]);
    });

    it("confirms one of several bookings of a person: the last", () => {
      const bookings = [ended({ bookingId: "first" }), ended({ bookingId: "last" })];
      const confirmedIds = writesOf(back(bookings).writes, "booking").flatMap(({ bookingId, patch }) =>
        patch.status === "confirmed" ? [bookingId] : [],
      );
      expect(confirmedIds).toEqual(["last"]);
    });

    it("confirms and counts once who is listed under two ids", () => {
      const ids = ["person", "another id"];
      const listed = ids.map((providerCandidateId) => ({ providerCandidateId, candidateId: "candidate" }));
      const { writes, next } = back([ended()], { listed });
      expect(patchOf(writes)).toMatchObject({ status: "confirmed" });
      expect({ ...aJob(), ...jobOf(writes) }).toMatchObject({ status: "open", ownPeopleCount: 0 });
      expect(next.do).toBe("rest");
    });

    it("does not confirm who is no longer listed", () => {
      expect(notified(back([ended()], { listed: [] }).writes)).toEqual([]);
    });

    it("leaves on it who is booked elsewhere meanwhile, as the provider's own, with an issue", () => {
      const overlaps = [{ candidateId: "candidate", otherJobId: "other" }];
      const { writes, next } = back([ended()], { overlaps });
      expect(issues(writes)).toEqual(["booking_overlaps"]);
      expect(jobOf(writes)).toMatchObject({ ownPeopleCount: 1 });
      expect([notified(writes), next.do]).toEqual([[], "rest"]);
    });
  });

  it("keeps a person on its list who has accepted again", () => {
    const released = confirmed({ bookingId: "old", status: "released", atProvider: "yes" });
    const next = confirmed({ bookingId: "new", status: "pending", atProvider: "no" });
    const { writes, ...rest } = planned(aState({ bookings: [released, next] }), firstStep);
    expect(writesOf(writes, "booking")).toMatchObject([
      { bookingId: "old", patch: { atProvider: "no" } },
      { bookingId: "new", patch: { atProvider: "maybe" } },
    ]);
    expect(rest.next.do).toBe("read");
  });
});

describe("a reading that contradicts the hint", () => {
  /** A webhook came so long ago, and no reading has shown what it announced. */
  const covered = (name: string, ms: number) => {
    const event = anEvent(name, { isRead: true });
    const notices = { notices: [NOW - ms], basis: NOW - ms, expected: 1 };
    const state = aState({ events: [event], shift: { belief: aBelief(notices) } });
    return planned(state, afterSeeing({}, { covers: [event.eventId] }));
  };

  it.each(["shift.delete", "shift.update"])("of %s is repeated after 1 s, 5 s, 30 s and 2 min", (name) => {
    for (const [rung, ms] of [0, ...RULES.ladderMs.slice(0, -1)].entries()) {
      const { writes, next } = covered(name, ms);
      expect(next).toMatchObject({ do: "rest", afterMs: (RULES.ladderMs[rung] ?? 0) - ms });
      expect(issues(writes)).toEqual([]);
    }
  });

  it("ends in an issue when the deleted shift stays visible", () => {
    const { writes } = covered("shift.delete", 120_000);
    expect(issues(writes)).toEqual(["delete_not_confirmed"]);
    expect(writesOf(writes, "events")).toMatchObject([{ status: "ignored" }]);
  });

  it("ends that issue once an update is read, and not before", () => {
    const event = anEvent("shift.update");
    const resolved = (events: (typeof event)[]) => {
      const run = afterSeeing({}, { covers: events.map(({ eventId }) => eventId) });
      const { writes } = planned(aState({ events, shift: { hasIssues: true } }), run);
      return writesOf(writes, "resolve_issues").flatMap(({ codes = [] }) => codes);
    };
    expect(resolved([event])).toContain("delete_not_confirmed");
    expect(resolved([])).not.toContain("delete_not_confirmed");
  });

  it("is accepted in the end when an update shows nothing new", () => {
    const { writes } = covered("shift.update", 120_000);
    expect(issues(writes)).toEqual([]);
    expect(writesOf(writes, "events")).toMatchObject([{ status: "processed" }]);
  });

  it("is not repeated when no event announced anything", () => {
    const { next } = planned(aState({ shift: { nextReadAt: NOW } }), afterSeeing());
    expect(next).toMatchObject({ do: "rest", priority: 2 });
    expect(next.do === "rest" && next.afterMs).toBeGreaterThan(0.8 * HOUR_MS);
  });

  it("is repeated for an event that waits although no reading is planned any more", () => {
    const event = anEvent("shift.update", { isRead: true });
    expect(planned(aState({ events: [event], shift: { nextReadAt: null } }), firstStep).next.do).toBe("read");
  });
});
