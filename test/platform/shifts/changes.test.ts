import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { plan } from "../../../src/platform/shifts/plan.ts";
import type { ChangeState, RunSoFar, ShiftState } from "../../../src/platform/shifts/state.ts";
import {
  afterCall,
  afterSeeing,
  aJob,
  anEvent,
  aState,
  cut,
  firstStep,
  jobOf,
  NOW,
  RULES,
  START,
  writesOf,
} from "./states.ts";

const planned = (state: ShiftState, run: RunSoFar, now = NOW) => plan(state, run, now, RULES);
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

  it("is made again at once when a reading shows that nothing has changed", () => {
    const { next } = planned(changing(), afterSeeing());
    expect(next).toMatchObject({ do: "change", values: { ...moved, positions: 2 } });
  });

  it("waits for later readings when one shows other values that were not requested, as a replica might", () => {
    const state = changing();
    const { writes, next } = planned(state, afterSeeing({ positions: 1 }));
    expect(patches(writes)).toEqual([]);
    expect(next).toMatchObject({ do: "rest", afterMs: 4_000, priority: 0 });
    // The next run finds the job as it was read, and calls no one before the reading is due.
    const waiting = {
      ...state,
      job: aJob({ positions: 1 }),
      shift: { ...state.shift, nextReadAt: NOW + 4_000 },
    };
    expect(planned(waiting, firstStep).next).toMatchObject({ do: "rest", afterMs: 4_000 });
    expect(planned(waiting, firstStep, NOW + 4_000).next.do).toBe("read");
  });

  it("is read at once when an event reports the shift during that wait", () => {
    const state = changing({}, aJob({ positions: 1 }));
    expect(planned({ ...state, events: [anEvent("shift.update")] }, firstStep).next.do).toBe("read");
  });

  it("is made with the other values once a reading after two minutes still shows them", () => {
    const state = changing({ sentAt: NOW - 120_000 }, aJob({ positions: 1 }));
    const { next } = planned(state, afterSeeing({ positions: 1 }));
    expect(next).toMatchObject({ do: "change", values: { ...moved, positions: 1 } });
  });

  it("ends when the provider has changed the same value meanwhile, once no replica can have shown it", () => {
    const other = { startTime: iso(START + 3 * HOUR_MS) };
    const early = planned(changing(), afterSeeing(other));
    expect([patches(early.writes), early.next.do]).toEqual([[], "rest"]);
    const state = changing({ sentAt: NOW - 120_000 });
    const { writes, next } = planned(state, afterSeeing(other));
    expect(patches(writes)).toMatchObject([{ status: "refused", reason: "changed_by_provider" }]);
    expect(jobOf(writes)).toMatchObject({ startTime: START + 3 * HOUR_MS });
    expect(next.do).toBe("rest");
  });

  it("ends at once when it was to be sent again, and the provider has changed the same value", () => {
    const { writes } = planned(
      changing({ sentAt: null }),
      afterSeeing({ startTime: iso(START + 3 * HOUR_MS) }),
    );
    expect(patches(writes)).toMatchObject([{ status: "refused", reason: "changed_by_provider" }]);
  });

  it("is confirmed by a reading although it was to be sent again, and is remembered as of now", () => {
    const { writes } = planned(changing({ sentAt: null }), afterSeeing(moved));
    expect(patches(writes)).toEqual([{ sentAt: NOW, status: "confirmed", reason: null }]);
  });

  it("keeps a later change waiting", () => {
    const later = aChange({ changeId: "later", named: ["positions"], positions: 3, sentAt: null });
    const state = aState({ changes: [aChange(), later] });
    expect(planned(state, afterSeeing({ positions: 1 })).next.do).toBe("rest");
  });

  it("is tried again by the retry policy, and not within the same run", () => {
    const call = {
      do: "change",
      changeId: "change",
      traceId: "trace-of-change",
      base: BASE,
      values: { ...moved, positions: 2 },
    } as const;
    const run = { ...afterCall(call, cut), failed: new Set(["change"]) };
    const { writes, next } = planned(changing(), run);
    expect(patches(writes)).toEqual([]);
    expect(next).toMatchObject({ do: "rest", failed: cut });
  });
});

describe("a change that the provider confirmed a second ago", () => {
  const HAS_IT = aJob({ startTime: START + HOUR_MS, endTime: START + 9 * HOUR_MS });
  const read = (reading: Parameters<typeof afterSeeing>[0], patch: Partial<ChangeState> = {}) =>
    planned(aState({ job: HAS_IT, confirmedChanges: [aChange(patch)] }), afterSeeing(reading));

  it("is kept when a reading does not show it, and the shift is read again", () => {
    const { writes, next } = read({ positions: 1 });
    expect(jobOf(writes)).toEqual({});
    expect(next).toMatchObject({ do: "rest", afterMs: 4_000 });
  });

  it("is not kept when a reading two minutes after the call does not show it", () => {
    const { writes } = read({}, { sentAt: NOW - 120_000 });
    expect(jobOf(writes)).toMatchObject({ startTime: START, endTime: START + 8 * HOUR_MS });
  });

  it("leaves other values to a reading that shows it", () => {
    expect(jobOf(read({ ...moved, positions: 1 }).writes)).toMatchObject({ positions: 1 });
  });

  it("is shown by a reading of what the provider made of it", () => {
    const rounded = { startTime: START + 2 * HOUR_MS, endTime: START + 10 * HOUR_MS };
    const { writes } = read({ ...moved, positions: 1 }, rounded);
    expect(jobOf(writes)).toMatchObject({ positions: 1 });
  });

  it("counts only for the values that no later one has changed", () => {
    const later = aChange({
      changeId: "later",
      startTime: START + 2 * HOUR_MS,
      endTime: START + 10 * HOUR_MS,
    });
    const state = aState({ job: aJob(), confirmedChanges: [aChange(), later] });
    const shown = { startTime: iso(START + 2 * HOUR_MS), endTime: iso(START + 10 * HOUR_MS) };
    const { writes } = planned(state, afterSeeing(shown));
    expect(jobOf(writes)).toMatchObject({ startTime: START + 2 * HOUR_MS });
    expect(jobOf(planned(state, afterSeeing(moved)).writes)).toEqual({});
  });

  it("does not bring a cancelled job's times back", () => {
    const job = { ...HAS_IT, status: "cancelled", cancelledBy: "absence" } as const;
    const state = aState({ job, confirmedChanges: [aChange()] });
    expect(jobOf(planned(state, afterSeeing()).writes)).toMatchObject({ status: "open", startTime: START });
  });
});

describe("a change whose response shows the shift as it was before", () => {
  const values = { ...moved, positions: 2 };
  const call = {
    do: "change",
    changeId: "change",
    traceId: "trace-of-change",
    values,
    base: BASE,
  } as const;
  const answered = (shown: Parameters<typeof afterSeeing>[0]) => {
    const { outcome } = afterSeeing(shown).reading ?? expect.unreachable();
    return planned(changing(), afterCall(call, outcome));
  };

  it("is confirmed, and the shift is read again soon: the provider may carry it out later", () => {
    const { writes, next } = answered({});
    expect(patches(writes)).toEqual([{ status: "confirmed", reason: null }]);
    expect(next).toMatchObject({ do: "rest", afterMs: 1_000 });
    const reading = { nextReadAt: NOW, rechecks: 1 };
    expect(planned(aState({ shift: reading }), afterSeeing()).next).toMatchObject({ afterMs: 5_000 });
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
