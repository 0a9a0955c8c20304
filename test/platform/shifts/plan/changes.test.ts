import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import { continued } from "../../../../src/platform/shifts/act.ts";
import { CANCELLED, called } from "../../../../src/platform/shifts/plan/believe.ts";
import { seenIn } from "../../../../src/platform/shifts/plan/seen.ts";
import type { CallOutcome, ChangeState } from "../../../../src/platform/shifts/plan/state.ts";
import {
  aBelief,
  aCancellation,
  afterCall,
  afterSeeing,
  aJob,
  anEvent,
  aShift,
  aState,
  assign,
  beliefOf,
  cancel,
  cut,
  firstStep,
  issues,
  jobOf,
  NOW,
  planned,
  refusal,
  START,
  writesOf,
} from "./states.ts";

const iso = (ms: number) => new Date(ms).toISOString();

const BASE = { startTime: START, endTime: START + 8 * HOUR_MS, positions: 2 };

/** A change of the start and the end of `aJob` by an hour, whose call was cut a second ago. */
const aChange = (patch: Partial<ChangeState> = {}): ChangeState => ({
  changeId: "change",
  traceId: "trace-of-change",
  named: ["startTime", "endTime"],
  startTime: START + HOUR_MS,
  endTime: START + 9 * HOUR_MS,
  positions: 2,
  base: BASE,
  sentAt: NOW - 1_000,
  createdAt: NOW - 2_000,
  ...patch,
});

const changing = (patch: Partial<ChangeState> = {}, job = aJob()) =>
  aState({ job, changes: [aChange(patch)] });
const moved = { startTime: iso(START + HOUR_MS), endTime: iso(START + 9 * HOUR_MS) };
const patches = (writes: ReturnType<typeof planned>["writes"]) =>
  writesOf(writes, "change").map(({ patch }) => patch);

describe("a change whose outcome is unknown", () => {
  it("is followed by a reading", () => {
    expect(planned(changing(), firstStep).next.do).toBe("read");
  });

  it("is confirmed by a reading that shows the requested values, whatever the others are", () => {
    const { writes, next } = planned(changing(), afterSeeing({ ...moved, positions: 5 }));
    expect(patches(writes)).toEqual([{ status: "confirmed", reason: null }]);
    expect(next.do).toBe("rest");
  });

  it("is confirmed also by a reading that shows no number of positions", () => {
    const seen = afterSeeing({ ...moved, positions: 1, warnings: ["positions_missing"] });
    const { writes } = planned(
      changing({ named: ["startTime", "endTime", "positions"], positions: 3 }),
      seen,
    );
    expect(patches(writes)).toEqual([{ status: "confirmed", reason: null }]);
  });

  it("is made again at once when a reading shows that nothing has changed", () => {
    const { next } = planned(changing(), afterSeeing());
    expect(next).toMatchObject({ do: "change", values: { ...moved, positions: 2 } });
  });

  it("is made again with the other values that the provider has set meanwhile", () => {
    const { next } = planned(changing(), afterSeeing({ positions: 1 }));
    expect(next).toMatchObject({ do: "change", values: { ...moved, positions: 1 } });
  });

  it("ends when the provider has changed the same value meanwhile", () => {
    const { writes, next } = planned(changing(), afterSeeing({ startTime: iso(START + 3 * HOUR_MS) }));
    expect(patches(writes)).toMatchObject([{ status: "refused", reason: "changed_by_provider" }]);
    expect(jobOf(writes)).toMatchObject({ startTime: START + 3 * HOUR_MS });
    // The call may still take effect.
    expect(next).toMatchObject({ do: "rest", afterMs: 120_000 });
  });

  describe("while notices come in a burst", () => {
    /** Two came within two minutes, and this reading is the first to show something else. */
    const notices = [NOW - 5_000, NOW - 500];
    const disputed = (seen: Parameters<typeof afterSeeing>[0], patch: Partial<ChangeState> = {}) => {
      const belief = aBelief({
        notices,
        basis: NOW - 500,
        expected: 1,
        isConfirmed: false,
        since: NOW - 600,
      });
      return planned({ ...changing(patch), shift: { ...aState().shift, belief } }, afterSeeing(seen));
    };

    it.each([
      ["is not made again", { positions: 1 }, {}],
      ["is not ended", { startTime: iso(START + 3 * HOUR_MS) }, {}],
      ["is not sent for the first time", { positions: 1 }, { sentAt: null, base: null }],
    ])("%s, but the shift is read again", (_, seen, patch) => {
      const { writes, next } = disputed(seen, patch);
      expect([patches(writes), next]).toMatchObject([[], { do: "rest", afterMs: 500, priority: 0 }]);
    });

    it("is not made shortly before the start either: it would send what a replica that lags has shown", () => {
      const job = aJob({ startTime: NOW + HOUR_MS, endTime: NOW + 9 * HOUR_MS });
      const belief = aBelief({ notices, basis: NOW - 500, expected: 1 });
      const state = { ...changing({ sentAt: null, base: null }, job), shift: { ...aState().shift, belief } };
      const seen = { startTime: iso(job.startTime), endTime: iso(job.endTime) };
      expect(planned(state, afterSeeing(seen)).next).toMatchObject({ do: "rest", afterMs: 500 });
    });
  });

  it("is looked for once more when it ended after an attempt that was cut, also after other readings", () => {
    const { next: call } = planned(changing({ sentAt: null }), afterSeeing());
    if (call.do !== "change") throw new Error(call.do);
    const run = { ...afterCall(call, refusal(409)), attempts: 2 };
    const { writes } = planned(changing(), run);
    const after = aState({ shift: { belief: beliefOf(writes) ?? aBelief() } });
    expect(planned(after, afterSeeing()).next).toMatchObject({ do: "rest", afterMs: 120_000 });
    const first = planned(changing(), { ...run, attempts: 1 });
    expect(beliefOf(first.writes)).toBeUndefined();
  });

  it("ends at once when it was to be sent again, and the provider has changed the same value", () => {
    const { writes } = planned(
      changing({ sentAt: null }),
      afterSeeing({ startTime: iso(START + 3 * HOUR_MS) }),
    );
    expect(patches(writes)).toMatchObject([{ status: "refused", reason: "changed_by_provider" }]);
  });

  it("is confirmed by a reading although it was to be sent again", () => {
    const { writes } = planned(changing({ sentAt: null }), afterSeeing(moved));
    expect(patches(writes)).toEqual([{ status: "confirmed", reason: null }]);
  });

  it("keeps a later change waiting", () => {
    const later = aChange({ changeId: "later", named: ["positions"], positions: 3, sentAt: null });
    const state = aState({ changes: [aChange(), later] });
    expect(planned(state, afterSeeing({ positions: 1 })).next).toMatchObject({ changeId: "change" });
  });

  it("is tried again by the retry policy, and not within the same run", () => {
    const run = { ...afterCall(CALL, cut), failed: new Set(["change"]) };
    const { writes, next } = planned(changing(), run);
    expect(patches(writes)).toEqual([]);
    expect(next).toMatchObject({ do: "rest", failed: cut });
  });
});

describe("a change that the provider confirmed a second ago", () => {
  const HAS_IT = aJob({ startTime: START + HOUR_MS, endTime: START + 9 * HOUR_MS });
  const read = (reading: Parameters<typeof afterSeeing>[0], ago = 1_000, parts = {}) => {
    const belief = called(aBelief(), NOW - ago, seenIn(aShift(moved), []), { startTime: START + HOUR_MS });
    return planned(aState({ job: HAS_IT, shift: { belief }, ...parts }), afterSeeing(reading));
  };

  it("is kept when a reading shows the shift as it was before, and the shift is read again", () => {
    const { writes, next } = read({});
    expect(jobOf(writes)).toEqual({});
    expect(next).toMatchObject({ do: "rest", afterMs: 4_000 });
  });

  it("is kept also when an update was announced, which may be its echo", () => {
    const events = [anEvent("shift.update")];
    expect(jobOf(read({}, 1_000, { events }).writes)).toEqual({});
  });

  it("lets no other change be sent over what the provider may have set since", () => {
    const other = aChange({
      changeId: "other",
      named: ["positions"],
      positions: 4,
      sentAt: null,
      base: null,
    });
    const moved = { startTime: iso(START + 3 * HOUR_MS) };
    const { next } = read(moved, 1_000, { changes: [other] });
    expect(next).toMatchObject({ do: "rest", afterMs: 4_000 });
    expect(read({}, 1_000, { changes: [other] }).next).toMatchObject({
      do: "change",
      values: { positions: 4 },
    });
  });

  it("is not kept when a reading two minutes after the call does not show it", () => {
    expect(jobOf(read({}, 120_000).writes)).toMatchObject({ startTime: START, endTime: START + 8 * HOUR_MS });
  });

  it("gives way to what the shift has never been before", () => {
    expect(jobOf(read({ ...moved, positions: 1 }).writes)).toMatchObject({ positions: 1 });
    // Without what the change has set, it may be what the change has replaced before anyone read it.
    expect(jobOf(read({ positions: 1 }).writes)).toEqual({});
    expect(jobOf(read({ positions: 1 }, 120_000).writes)).toMatchObject({ positions: 1, startTime: START });
  });
});

describe("a change before which the shift is read as it was before what is believed", () => {
  const next = (patch: { isReplaced?: true }) => {
    const at = NOW - 30_000;
    const earlier = { version: seenIn(aShift({ positions: 5 }), []).version, believedAt: at, olderSince: at };
    const belief = aBelief({ basis: at, earlier: [{ ...earlier, ...patch }] });
    const state = { ...changing({ sentAt: null, base: null }), shift: aState({ shift: { belief } }).shift };
    return planned(state, afterSeeing({ positions: 5 })).next;
  };

  it("waits for a reading that settles it: replicas may have shown the two in the wrong order", () => {
    expect(next({})).toMatchObject({ do: "rest", afterMs: 90_000 });
  });

  it("is sent if a call of the platform has replaced that", () => {
    expect(next({ isReplaced: true }).do).toBe("change");
  });
});

describe("a change that asks for what the shift has already", () => {
  it("is its own all the same: a replica that lags does not undo it, also after webhooks", () => {
    const job = aJob({ startTime: START + HOUR_MS, endTime: START + 9 * HOUR_MS });
    const base = { ...BASE, startTime: job.startTime, endTime: job.endTime };
    const state = aState({
      job,
      changes: [aChange({ base })],
      shift: { belief: aBelief(seenIn(aShift(moved), [])) },
    });
    const call = { changeId: "change", traceId: "trace-of-change", values: { ...moved, positions: 2 }, base };
    const { outcome } = afterSeeing(moved).reading ?? expect.unreachable();
    const { writes } = planned(state, afterCall({ do: "change", ...call }, outcome));
    const events = ["shift.update", "shift.create"].map((name) => anEvent(name));
    const covers = events.map(({ eventId }) => eventId);
    const after = aState({ job, events, shift: { belief: beliefOf(writes) ?? aBelief() } });
    expect(jobOf(planned(after, afterSeeing({}, { covers }), NOW + 1_000).writes)).toEqual({});
  });
});

/** The call of `aChange`. */
const CALL = {
  do: "change",
  changeId: "change",
  traceId: "trace-of-change",
  base: BASE,
  values: { ...moved, positions: 2 },
} as const;

describe("a change that the provider refuses", () => {
  const refused = (outcome: CallOutcome, patch: Partial<ChangeState> = {}) =>
    planned(changing(patch), afterCall(CALL, outcome));

  it.each([409, 422])(
    "with %d ends with the reason, and the shift is read: it may have changed",
    (status) => {
      const { writes, next } = refused(refusal(status));
      expect(patches(writes)).toMatchObject([
        { status: "refused", reason: "provider_refused", reasonParams: { status } },
      ]);
      expect([issues(writes), jobOf(writes), next.do]).toEqual([[], {}, "read"]);
    },
  );

  it.each([
    ["after the request was answered", refusal(409), { createdAt: NOW - HOUR_MS }, "change_refused"],
    ["for no reason of the contract", refusal(400), {}, "provider_refused"],
    [
      "in a response that cannot be used",
      { kind: "unusable", unusable: { fault: "text_unstorable", pointer: "/outletName" } },
      {},
      "shift_unusable",
    ],
  ] as const)("has an issue when it is refused %s", (_, outcome, patch, code) => {
    const { writes } = refused(outcome, patch);
    expect(issues(writes)).toEqual([code]);
    expect(patches(writes)).toMatchObject([{ status: "refused" }]);
  });

  it.each([401, 403])("because of the token (%d) is sent again", (status) => {
    expect(patches(refused(refusal(status)).writes)).toEqual([{ sentAt: null }]);
  });
});

describe("a change that cannot be carried out any more", () => {
  const asked = { sentAt: null, base: null };

  it("ends with the job", () => {
    const cancelled = planned(changing(asked), afterSeeing({ cancelled: true }));
    expect(patches(cancelled.writes)).toMatchObject([{ status: "refused", reason: "shift_gone" }]);
    const state = { ...changing(asked), cancellation: aCancellation({ sentAt: NOW - 1_000 }) };
    const { writes } = planned(state, afterCall(cancel, { kind: "done" }));
    expect(patches(writes)).toMatchObject([{ status: "refused", reason: "job_cancelled" }]);
  });

  it.each([
    [
      "its end precedes the start that the shift has now",
      {},
      afterSeeing({ startTime: iso(START + 7 * HOUR_MS) }),
      NOW,
      "end_not_after_start",
    ],
    ["the shift has started", {}, afterSeeing(), START, "shift_started"],
  ] as const)("ends when %s", (_, patch, run, now, reason) => {
    const named = ["endTime"] as const;
    const change = { ...asked, named: [...named], endTime: START + 2 * HOUR_MS, ...patch };
    const { writes, next } = planned(changing(change), run, now);
    expect(patches(writes)).toMatchObject([{ status: "refused", reason }]);
    expect(next.do).not.toBe("change");
  });
});

describe("a change whose response shows the shift as it was before", () => {
  const answered = (shown: Parameters<typeof afterSeeing>[0]) => {
    const { outcome } = afterSeeing(shown).reading ?? expect.unreachable();
    return planned(changing(), afterCall(CALL, outcome));
  };

  it("is confirmed, and the shift is read again soon: the provider may carry it out later", () => {
    const { writes, next } = answered({});
    expect(patches(writes)).toEqual([{ status: "confirmed", reason: null }]);
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
    const shift = { nextReadAt: NOW, belief: beliefOf(writes) ?? expect.unreachable() };
    const again = planned(aState({ shift }), afterSeeing(), NOW + 1_000);
    expect(again.next).toMatchObject({ afterMs: 4_000 });
  });

  it("is not read again if it shows the change, whatever its other values are", () => {
    expect(answered({ ...moved, positions: 1 }).next).toMatchObject({ afterMs: HOUR_MS });
  });
});

describe("a change that was not sent", () => {
  const asked = { sentAt: null, base: null };

  it.each([true, false])("is sent after a reading in the same run alone (first step: %s)", (isFirst) => {
    const run = { ...firstStep, isFirst };
    const state = changing(asked);
    expect(planned({ ...state, shift: { ...state.shift, nextReadAt: null } }, run).next.do).toBe("read");
    expect(planned(state, { ...run, hasRead: true }).next).toMatchObject({ do: "change", base: BASE });
  });

  it("is sent after another reading if a call was made since: the shift may have changed meanwhile", () => {
    expect(continued(afterSeeing(), { do: "read", traceId: "trace" })).toMatchObject({ hasRead: true });
    expect(continued(afterSeeing(), assign())).not.toHaveProperty("hasRead");
  });

  it("waits for the outcome of a cancellation", () => {
    const cancellation = aCancellation();
    const run = { ...afterSeeing(), failed: new Set([cancellation.operationId]) };
    expect(planned(changing(asked), run).next.do).toBe("change");
    expect(planned({ ...changing(asked), cancellation }, run).next.do).toBe("rest");
  });

  it("is pending while the reading before it fails", () => {
    const run = { ...firstStep, isFirst: false, unavailable: cut, reading: undefined };
    const { next } = planned(changing(asked), run as never);
    expect(next.do).not.toBe("change");
  });

  it("takes the values that it does not name from that reading", () => {
    const { next } = planned(changing(asked), afterSeeing({ positions: 7 }));
    expect(next).toMatchObject({ do: "change", values: { ...moved, positions: 7 } });
  });
});

describe("a change of a job whose shift the provider has cancelled", () => {
  it("is ended by a reading, also while the integration is suspended", () => {
    const cancelled = aJob({ status: "cancelled", cancelledBy: "provider" });
    const shift = {
      belief: aBelief({ version: CANCELLED, since: NOW - HOUR_MS, isConfirmed: true }),
      nextReadAt: NOW,
    };
    const integration = { state: "suspended" } as const;
    const state = aState({ job: cancelled, changes: [aChange({ sentAt: null })], shift, integration });
    expect(planned(state, firstStep).next.do).toBe("read");
    const { writes } = planned(state, afterSeeing({ cancelled: true }));
    expect(writesOf(writes, "change")).toMatchObject([
      { patch: { status: "refused", reason: "shift_gone" } },
    ]);
  });
});
