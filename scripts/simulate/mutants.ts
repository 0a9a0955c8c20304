import { HOUR_MS } from "../../src/contract/timestamp.ts";
import type { Belief } from "../../src/platform/shifts/plan/believe.ts";
import { plan } from "../../src/platform/shifts/plan/plan.ts";
import type { BookingState, Reading, RunSoFar, ShiftState } from "../../src/platform/shifts/plan/state.ts";
import type { Write } from "../../src/platform/shifts/plan/writes.ts";
import type { Planner } from "./runs.ts";

/** Plans with one rule disabled: the simulator must find a counterexample for each. */
export const MUTANTS: Record<string, Planner> = {
  "confirms an assignment whose outcome is unknown without reading": (state, run, now, rules) =>
    plan(state, madeKnown(run), now, rules),
  "releases the seat when a retry is rejected": (state, run, now, rules) =>
    plan(state, asFirstAttempt(run), now, rules),
  "accepts a 404 as absence without a second call": (state, run, now, rules) =>
    plan(state, witnessedAlways(run), now, { ...rules, ladderMs: [] }),
  "never reads a shift without events": (state, run, now, rules) =>
    without((write) => write.write === "shift" && (write.patch.nextReadAt ?? 0) > now + 600_000)(
      state,
      run,
      now,
      rules,
    ),
  "does not count the provider's own people": (state, run, now, rules) =>
    plan({ ...state, surroundings: { ...state.surroundings, listed: [] } }, run, now, rules),
  "reports a move as a removal": (state, run, now, rules) =>
    plan({ ...state, surroundings: { ...state.surroundings, moved: [] } }, run, now, rules),
  "changes the state that it was given": (state, run, now, rules) => {
    state.shift.belief.notices.push(now);
    return plan(state, run, now, rules);
  },
  "offers nothing": (state, run, now, rules) =>
    without((write) => write.write === "offer")(state, run, now, rules),
  "leaves old offers open": (state, run, now, rules) =>
    without((write) => write.write === "withdraw_offers")(state, run, now, rules),
  "makes the same offer again when a seat becomes free": (state, run, now, rules) => {
    const { writes, next } = plan(state, run, now, rules);
    const round = (state.job?.offerRound ?? 0) + 1;
    const isFreed = (write: Write) => write.write === "job" && write.patch.status === "open";
    if (!writes.some(isFreed)) return { writes, next };
    const patch = { offerRound: round, renewedRound: round };
    return { writes: [{ write: "job", jobId: state.job?.jobId, patch }, ...writes], next };
  },
  "believes a replica that lags after a confirmed change": (state, run, now, rules) =>
    plan(withoutEarlier(state), run, now, rules),
  "repeats a change with another number of positions": (state, run, now, rules) => {
    const { writes, next } = plan(state, run, now, rules);
    if (next.do !== "change" || run.attempts === 1) return { writes, next };
    return { writes, next: { ...next, values: { ...next.values, positions: next.values.positions + 1 } } };
  },
  "sends a change without reading the shift before": (state, run, now, rules) =>
    plan(state, { ...run, hasRead: true }, now, rules),
  "sends a change over what the provider has set": (state, run, now, rules) =>
    plan({ ...state, changes: state.changes.map((change) => ({ ...change, base: null })) }, run, now, rules),
  "believes a deletion that GET does not confirm": (state, run, now, rules) =>
    plan(state, deletionsBelieved(state, run), now, rules),
  "takes a refused cancellation for a success": (state, run, now, rules) =>
    plan(state, refusedCancellationDone(run), now, rules),
  "books two candidates as one person at the provider": (state, run, now, rules) =>
    plan({ ...state, bookings: state.bookings.map(withOwnId) }, run, now, rules),
  "refuses a person whom the provider has merged": (state, run, now, rules) =>
    plan(state, withoutOtherId(run), now, rules),
  "confirms no one again when a shift comes back": (state, run, now, rules) =>
    plan(
      { ...state, bookings: state.bookings.filter((booking) => !isEndedWithShift(booking)) },
      run,
      now,
      rules,
    ),
  "notifies people of seconds": (state, run, now, rules) => {
    const { writes, next } = plan(state, run, now, rules);
    const moved = writes.some((write) => write.write === "job" && write.patch.startTime !== undefined);
    const candidateIds = state.bookings.flatMap(({ status, candidateId }) =>
      status === "confirmed" ? candidateId : [],
    );
    if (!state.job || !moved || candidateIds.length === 0 || writes.some(isOfChange)) return { writes, next };
    const notice = {
      write: "notify",
      kind: "shift_changed",
      changeKey: "",
      candidateIds,
      traceId: "seconds",
    } as const;
    return { writes: [...writes, notice], next };
  },
  "never settles an event": (state, run, now, rules) =>
    without((write) => write.write === "events")(state, run, now, rules),
};

/** Releases people whom an empty list lacks. Too rare in random schedules: it is tried with one of its own. */
export const releasingEmptied: Planner = (state, run, now, rules) => {
  const { removed: _, ...surroundings } = state.surroundings;
  return plan({ ...state, surroundings }, run, now, rules);
};

const isOfChange = (write: Write) => write.write === "notify" && write.kind === "shift_changed";

const isEndedWithShift = ({ status, atProvider, reason }: BookingState) =>
  status === "released" &&
  atProvider === "maybe" &&
  (reason === "shift_deleted" || reason === "shift_cancelled");

/** The rule knows a shared id by the fault of the person, and by the id of the other's booking. */
function withOwnId(booking: BookingState): BookingState {
  const { person, providerCandidateId } = booking;
  return {
    ...booking,
    person: person.fault?.kind === "shared" ? { ...person, fault: null } : person,
    providerCandidateId: providerCandidateId === person.id ? null : providerCandidateId,
  };
}

/** Forgets what a replica that lags may still show. */
const withoutEarlier = ({ shift, ...state }: ShiftState): ShiftState => ({
  ...state,
  shift: { ...shift, belief: { ...shift.belief, earlier: [], own: null } },
});

/** Plans that show a change too late, and that everything else may forgive. */
export const LATE_MUTANTS: Record<string, Planner> = {
  "reads a shift only once after a notice": waiting((afterMs) => Math.max(afterMs, HOUR_MS)),
  "reads a shift seven seconds late": waiting((afterMs) => afterMs + 7_000),
};

function waiting(restMs: (afterMs: number) => number): Planner {
  return (state, run, now, rules) => {
    const { writes, next } = plan(state, run, now, rules);
    if (next.do !== "rest" || next.afterMs === undefined || next.failed) return { writes, next };
    return { writes, next: { ...next, afterMs: restMs(next.afterMs) } };
  };
}

const without =
  (isDropped: (write: Write) => boolean): Planner =>
  (state, run, now, rules) => {
    const { writes, next } = plan(state, run, now, rules);
    return { writes: writes.filter((write) => !isDropped(write)), next };
  };

function madeKnown(run: RunSoFar): RunSoFar {
  if (run.made?.call.do !== "assign" || run.made.outcome.kind !== "unavailable") return run;
  return { ...run, made: { ...run.made, outcome: { kind: "done" } } };
}

function asFirstAttempt(run: RunSoFar): RunSoFar {
  if (run.made?.call.do !== "assign") return run;
  return { ...run, made: { ...run.made, call: { ...run.made.call, isRetry: false } } };
}

function withoutOtherId(run: RunSoFar): RunSoFar {
  if (run.made?.outcome.kind !== "refused") return run;
  const { assignedAs: _, ...outcome } = run.made.outcome;
  return { ...run, made: { ...run.made, outcome } };
}

function deletionsBelieved({ events }: ShiftState, run: RunSoFar): RunSoFar {
  const { reading } = run;
  const isReported = events.some(
    ({ eventId, event }) => event === "shift.delete" && reading?.covers.includes(eventId),
  );
  if (reading?.outcome.kind !== "shift" || !isReported) return run;
  return {
    ...run,
    reading: { ...reading, outcome: { kind: "absent", final: false, code: "shift_not_found" } },
  };
}

function refusedCancellationDone(run: RunSoFar): RunSoFar {
  if (run.made?.call.do !== "cancel" || run.made.outcome.kind !== "refused") return run;
  return { ...run, made: { ...run.made, outcome: { kind: "done" } } };
}

function witnessedAlways(run: RunSoFar): RunSoFar {
  if (run.reading?.outcome.kind !== "absent") return run;
  const reading: Reading = { ...run.reading, witness: "good" };
  return { ...run, reading };
}

// Plans with one row of the table of `believe` disabled each, in the order of the table. Random schedules meet too rarely what the rows about older versions,
// and about an unknown order, decide: `believe.test.ts` has both.

const UNANNOUNCED = "believes at once that a shift is gone, although no deletion was announced";
const NOT_AGAIN = "does not read again what is believed while an announced change is not shown";
export const GONE_RETURNS = "believes a replica that shows a deleted shift once more";
const OWN_UNDONE = "believes a replica that shows what its own change has replaced";
const NEW_WAITS = "does not believe at once what it has never seen";

export const BELIEVE_MUTANTS: Record<string, Planner> = {
  [UNANNOUNCED]: (state, run, now, rules) => plan(state, goneForCertain(run), now, rules),
  [NOT_AGAIN]: (state, run, now, rules) =>
    plan({ ...state, events: state.events.map((event) => ({ ...event, receivedAt: 0 })) }, run, now, rules),
  [GONE_RETURNS]: (state, run, now, rules) => plan(believing(state, { since: 0 }), run, now, rules),
  [OWN_UNDONE]: (state, run, now, rules) => {
    const earlier = state.shift.belief.earlier.map(({ isReplaced: _, ...each }) => each);
    return plan(believing(state, { own: null, earlier }), run, now, rules);
  },
  [NEW_WAITS]: (state, run, now, rules) => {
    const at = Math.max(...state.events.map(({ receivedAt }) => receivedAt), ...state.shift.belief.notices);
    return plan(believing(state, { own: { at, values: { positions: -1 } } }), run, now, rules);
  },
};

const believing = (state: ShiftState, patch: Partial<Belief>): ShiftState => ({
  ...state,
  shift: { ...state.shift, belief: { ...state.shift.belief, ...patch } },
});

function goneForCertain(run: RunSoFar): RunSoFar {
  if (run.reading?.outcome.kind !== "absent") return run;
  const outcome = { kind: "absent", final: true, code: "shift_not_found" } as const;
  const reading: Reading = { ...run.reading, outcome };
  return { ...run, reading };
}
