import { lagOf } from "../../work/ladder.ts";
import { nextForBookings } from "./bookings.ts";
import { isMissingRoute } from "./call-outcome.ts";
import { giveUpCancellation } from "./calls.ts";
import { nextForChanges } from "./changes.ts";
import { type Draft, holdsSeat } from "./draft.ts";
import { refreshJob } from "./job.ts";
import { awaitsRoute } from "./routes.ts";
import type { Call, Next, RunSoFar } from "./state.ts";

/** Returns what the run does next: a call whose preconditions are certain, a reading that is due or that settles a doubt, or rest. */
export function decide(draft: Draft, run: RunSoFar): Next {
  const { state } = draft;
  if (state.integration.isPaused) return rest(draft, run, { isPaused: true });
  const { unavailable, reading } = run;
  const isLost = reading?.outcome.kind === "unavailable" || reading?.witness === "bad";
  const isDown = unavailable?.notAsked === true || isLost;
  const call = isDown ? undefined : nextCall(draft, run);
  // A change sends the whole shift, so the shift is read right before: the change must not undo what the provider has changed since the last reading.
  const mustRead = call?.do === "change" && !run.hasRead && !reading;
  if (call && !(call.do === "change" && (!run.hasRead || needsReading(draft, run)))) return call;
  if (!isDown && (mustRead || needsReading(draft, run))) return { do: "read", traceId: draft.traceId };
  return rest(draft, run, { isPaused: false });
}

/** Whether to read before anything else, because a call's outcome is unknown or a reading is due. The next run covers events that arrive during a reading. */
export function needsReading(draft: Draft, { reading, failed }: RunSoFar): boolean {
  // The shift is read once more after a good witness, in the same run.
  if (reading) return reading.witness === "good" && !draft.waits && draft.state.shift.nextReadAt !== null;
  const { state, now } = draft;
  const { nextReadAt } = state.shift;
  // Events may wait for a planned reading that another conclusion has cancelled.
  const isDue = nextReadAt === null ? state.events.length > 0 : nextReadAt <= now;
  const isActive = state.integration.state === "active";
  return (isActive && (isDue || state.events.some(({ isRead }) => !isRead))) || isInDoubt(draft, failed);
}

function isInDoubt(draft: Draft, failed: ReadonlySet<string>): boolean {
  const { state, isLive, waits } = draft;
  const bookings = state.bookings.filter(
    ({ atProvider, rejection, bookingId }) =>
      atProvider === "maybe" && !failed.has(bookingId) && !(rejection && waits),
  );
  if ((isLive && bookings.length > 0) || (isHalfCancelled(draft) && !waits)) return true;
  const { cancellation } = state;
  if (cancellation && cancellation.sentAt !== null && !failed.has(cancellation.operationId)) return true;
  return state.changes.some(
    ({ sentAt, changeId }) =>
      sentAt !== null && !failed.has(changeId) && !(waits && draft.needsReadingForChange),
  );
}

/** Whether the job is shown as cancelled, and another reading has to settle it before people are released and changes end. */
const isHalfCancelled = ({ job, isSettled, state }: Draft): boolean =>
  job?.status === "cancelled" && (!isSettled || state.changes.length > 0);

/** Whether the outcome of a call, or a cancellation, is unknown. It has to be settled even if the integration is not active. */
const hasDoubts = (draft: Draft): boolean => isHalfCancelled(draft) || hasCallsInDoubt(draft);

const hasCallsInDoubt = ({ state, isLive }: Draft): boolean =>
  (isLive && state.bookings.some(({ atProvider }) => atProvider === "maybe")) ||
  (state.cancellation !== undefined && state.cancellation.sentAt !== null) ||
  state.changes.some(({ sentAt }) => sentAt !== null);

/** Whether a change waits for a reading that is planned: what it builds on may be about to change. */
function awaitsSettling({ needsReadingForChange, state, now, rules }: Draft): boolean {
  const { nextReadAt } = state.shift;
  return (
    needsReadingForChange &&
    nextReadAt !== null &&
    nextReadAt > now &&
    nextReadAt <= now + lagOf(rules.ladderMs)
  );
}

/** Returns the next call that changes something and whose preconditions are certain. */
function nextCall(draft: Draft, run: RunSoFar): Call | undefined {
  if (!draft.isLive) return undefined;
  const cancel = nextForCancellation(draft);
  if (cancel && !run.failed.has(cancel.operationId)) return cancel;
  // The outcome of a cancellation decides whether there is anything to change.
  const change = draft.state.cancellation ? undefined : nextForChanges(draft);
  if (change && !run.failed.has(change.changeId) && !awaitsSettling(draft)) return change;
  const seats = () => draft.state.bookings.filter(holdsSeat).length;
  const before = seats();
  const call = nextForBookings(draft, run.failed);
  // A booking that ended without a call has freed its seat.
  if (seats() < before) refreshJob(draft, draft.traceId, { isChanged: false });
  return call;
}

function nextForCancellation(draft: Draft): Extract<Call, { do: "cancel" }> | undefined {
  const { cancellation } = draft.state;
  if (!cancellation || cancellation.sentAt !== null) return undefined;
  if (draft.hasStarted) {
    giveUpCancellation(draft, { changeReason: "shift_started" });
    return undefined;
  }
  const { operationId, traceId } = cancellation;
  return { do: "cancel", operationId, traceId };
}

function rest(draft: Draft, run: RunSoFar, { isPaused }: { isPaused: boolean }): Next {
  const { state, now } = draft;
  const priority = priorityOf(draft);
  if (isPaused) return { do: "rest", afterMs: 0, priority };
  const failed = failureOf(run);
  if (failed) noteGivenUp(draft, run);
  const isActive = state.integration.state === "active";
  // Background work pauses until the activation, but its due time must be kept.
  const times = [
    ...((isActive || priority > 0 || hasDoubts(draft)) && !failed && state.shift.nextReadAt !== null
      ? [state.shift.nextReadAt]
      : []),
    ...(draft.isLive && !draft.hasStarted && draft.job ? [draft.job.startTime] : []),
    // Nothing reports that a gateway has a route again.
    ...(failed && awaitsRoute(draft) ? [now + lagOf(draft.rules.ladderMs)] : []),
  ];
  // The events of an inactive integration wait for its activation; those that came during the reading, for the next one.
  if (!isActive && state.events.length > 0 && priority > 0) times.push(now);
  if (isActive && !failed && state.events.some(({ isRead }) => !isRead)) times.push(now);
  const soonest = times.length > 0 ? Math.max(0, Math.min(...times) - now) : undefined;
  return { do: "rest", afterMs: soonest, priority, ...(failed && { failed }) };
}

function failureOf(run: RunSoFar) {
  const isImplausible = run.reading?.witness === "bad" && run.reading.outcome.kind === "absent";
  return run.unavailable ?? (isImplausible ? {} : undefined);
}

/** Raises an issue once, after the last attempt. Work goes on each hour, and as soon as the provider responds. */
function noteGivenUp(draft: Draft, { attempts, made }: RunSoFar): void {
  if (attempts !== draft.rules.tries || made === undefined || isMissingRoute(made.outcome)) return;
  draft.issue("provider_gave_no_answer", draft.subject, { attempts }, made.call.traceId);
}

function priorityOf({ state, isLive }: Draft): 0 | 1 | 2 {
  const { cancellation, changes, bookings, events } = state;
  const awaitsCall = bookings.some(
    (booking) =>
      booking.atProvider === "maybe" ||
      (holdsSeat(booking) && (booking.status === "pending" || booking.isWithdrawn)) ||
      (!holdsSeat(booking) && booking.atProvider === "yes"),
  );
  if (cancellation || changes.length > 0 || (isLive && awaitsCall)) return 0;
  return events.length > 0 ? 1 : 2;
}
