import type { ChangeReason, Params, StepName } from "../../../../generated/operations/types.ts";
import type { Shift } from "../../../contract/shift.ts";
import type { ShiftValues } from "../../db/schema.ts";
import { isSameValue, VALUES } from "./believe.ts";
import { hadNoEffect, isAboutToken } from "./call-outcome.ts";
import { cancelJob, paramsOf } from "./close.ts";
import type { Draft } from "./draft.ts";
import { applyShift } from "./job.ts";
import { seenOn } from "./seen.ts";
import type { Call, ChangeState, Made } from "./state.ts";

type ChangeCall = Extract<Call, { do: "change" }>;

/** Returns the call for the oldest change, unless the outcome of an earlier call is unknown. */
export function nextForChanges(draft: Draft): ChangeCall | undefined {
  const { job, state } = draft;
  while (job && state.changes[0] && state.changes[0].sentAt === null) {
    const [change] = state.changes;
    const values = valuesOf(change, job);
    if (isOverruled(change, job)) return undefined;
    if (draft.hasStarted) refuseChange(draft, change, "shift_started", {});
    else if (values.startTime >= values.endTime) refuseChange(draft, change, "end_not_after_start", {});
    else {
      const { changeId, traceId } = change;
      const [startTime, endTime] = [values.startTime, values.endTime].map((ms) =>
        new Date(ms).toISOString(),
      ) as [string, string];
      const base = { startTime: job.startTime, endTime: job.endTime, positions: job.positions };
      const { positions } = values;
      return { do: "change", changeId, values: { startTime, endTime, positions }, base, traceId };
    }
  }
  return undefined;
}

/** Whether the provider has changed, since the change was sent, a value that the change names: the shift has neither the value before nor the one asked for. */
function isOverruled({ base, named, ...asked }: ChangeState, now: ShiftValues): boolean {
  if (base === null) return false;
  return named.some((name) => !sameAs(asked, now)(name) && !sameAs(base, now)(name));
}

/** Returns the requested values. All others are the job's current ones, so that no other change is undone. */
function valuesOf(change: ChangeState, job: ShiftValues): ShiftValues {
  const pick = (name: keyof ShiftValues) => (change.named.includes(name) ? change[name] : job[name]);
  return { startTime: pick("startTime"), endTime: pick("endTime"), positions: pick("positions") };
}

/** Applies the response to a change. */
export function concludeChange(draft: Draft, call: ChangeCall, made: Made) {
  const change = draft.state.changes.find(({ changeId }) => changeId === call.changeId);
  if (!change) return;
  const { outcome, durationMs } = made;
  switch (outcome.kind) {
    case "shift":
      concludeShown(draft, change, outcome.shift);
      if (outcome.shift.cancelled) return void cancelJob(draft, "provider", call.traceId);
      confirmChange(draft, change, durationMs);
      return void applyShift(draft, outcome.shift, call.traceId);
    case "unusable": {
      const { fault, pointer } = outcome.unusable;
      draft.issue("shift_unusable", draft.subject, { fault, pointer }, call.traceId);
      return refuseChange(draft, change, "shift_unusable", { fault, pointer }, durationMs);
    }
    case "absent":
      draft.readAt(draft.now);
      return refuseChange(draft, change, "shift_gone", { status: outcome.final ? 410 : 404 }, durationMs);
    case "refused":
      if (isAboutToken(outcome)) return draft.patchChange(change, { sentAt: null });
      // The shift may have changed since it was last read.
      draft.readAt(draft.now);
      return refuseChange(draft, change, "provider_refused", paramsOf(outcome), durationMs);
    case "unavailable":
      if (hadNoEffect(outcome)) draft.patchChange(change, { sentAt: null });
  }
}

/** Notes what the response shows. The provider may carry the change out later, and send no webhook for it. */
function concludeShown(draft: Draft, change: ChangeState, shift: Shift): void {
  const shown = valuesShown(shift, change);
  const isDone = change.named.every(sameAs(change, shown));
  const isAsBefore = !isDone && change.base !== null && VALUES.every(sameAs(change.base, shown));
  draft.noteCalled(seenOn(draft, shift), isAsBefore ? undefined : namedOf(change, shown));
  if (shift.cancelled) draft.readAt(draft.now);
  else if (!isDone) draft.expectMore();
}

function confirmChange(draft: Draft, change: ChangeState, durationMs?: number): void {
  const duration = durationMs === undefined ? {} : { durationMs };
  draft.step({ step: "change", code: "change_confirmed", traceId: change.traceId, ...duration });
  draft.patchChange(change, { status: "confirmed", reason: null });
  draft.resolveIssues(draft.subject, ["change_refused"]);
}

/** decisions, "PUT /shifts/{id} response": the operator who requested the change sees these, so they raise no issue. */
const SHOWN = [404, 409, 410, 422];

function refuseChange(
  draft: Draft,
  change: ChangeState,
  changeReason: ChangeReason,
  params: Params,
  durationMs?: number,
): void {
  const step: StepName = "change";
  const duration = durationMs === undefined ? {} : { durationMs };
  const all = { ...params, changeReason };
  draft.step({ step, code: "change_refused", params: all, traceId: change.traceId, ...duration });
  const isLate = draft.now - change.createdAt > draft.rules.answerWithinMs;
  const isUnexpected = changeReason === "provider_refused" && !SHOWN.includes(params.status ?? 0);
  if (isUnexpected) draft.issue("provider_refused", draft.subject, params, change.traceId);
  else if (isLate) draft.issue("change_refused", draft.subject, all, change.traceId);
  draft.patchChange(change, { status: "refused", reason: changeReason, reasonParams: params });
}

/**
 * Ends changes that were sent, now that the shift was read. A change is confirmed if the shift shows the requested values. It ends if the shift has got
 * values that are neither those before nor those requested. Otherwise it is sent again, with the other values that the shift has now.
 */
export function endChanges(draft: Draft, shift: Shift): void {
  for (const change of draft.state.changes.filter(({ base }) => base !== null)) {
    const shown = valuesShown(shift, change);
    if (change.named.every(sameAs(change, shown))) {
      draft.noteCalled(undefined, namedOf(change, shown));
      // The call that was cut may take effect only now.
      draft.expectLateEffect();
      confirmChange(draft, change);
    } else if (draft.needsReadingForChange) continue;
    else if (isOverruled(change, shown)) {
      // It may still take effect.
      if (change.sentAt !== null) draft.expectLateEffect();
      refuseChange(draft, change, "changed_by_provider", {});
    } else if (change.sentAt !== null) draft.patchChange(change, { sentAt: null });
  }
}

/** Whether the shift shows what a change asked for that was sent, and whose outcome is not known. */
export const showsSent = ({ state }: Draft, shift: Shift): boolean =>
  state.changes.some(
    (change) => change.sentAt !== null && change.named.every(sameAs(change, valuesShown(shift, change))),
  );

const namedOf = ({ named }: ChangeState, shown: ShiftValues): Partial<ShiftValues> =>
  Object.fromEntries(named.map((name) => [name, shown[name]]));

const sameAs = (change: ShiftValues, shown: ShiftValues) => (name: keyof ShiftValues) =>
  isSameValue(name, change[name], shown[name]);

/** The values of the shift as it was read. Unless it shows positions, they are those of `otherwise`. */
const valuesShown = (shift: Shift, otherwise: ShiftValues): ShiftValues => ({
  startTime: Date.parse(shift.startTime),
  endTime: Date.parse(shift.endTime),
  positions: shift.warnings.includes("positions_missing") ? otherwise.positions : shift.positions,
});

/** Whether the shift has these values. */
export function showsValues(shift: Shift, values: ShiftValues): boolean {
  return VALUES.every(sameAs(values, valuesShown(shift, values)));
}
