import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { Holds } from "./checks/check.ts";
import { CouldNotRun } from "./could-not-run.ts";
import type { Exchange } from "./exchange.ts";
import type { Cancellable, Run, Search } from "./run.ts";
import { hasStarted, isGone, readShiftOf, shiftBodyOf } from "./shift.ts";

export const NO_CANCELLABLE =
  "no shift that may be cancelled: provide --fixtures with a cancellableShiftId, --create-shift, or --states-url";
export const USED_UP =
  "it is already cancelled or unknown: provide another cancellableShiftId, or --create-shift";

/** Returns the first fixture shift that still exists, or a newly created shift, or the last fixture shift, which is gone. */
export async function findCancellable(run: Run): Promise<Search> {
  let last: Search = { missing: NO_CANCELLABLE };
  for (const shiftId of [run.fixtures.cancellableShiftId ?? []].flat()) {
    last = await lookAt(run, shiftId);
    if (!("missing" in last) && !last.isUsedUp) return last;
  }
  return run.createShift ? makeOne(run) : last;
}

/** Creates another shift that may be cancelled. */
export async function makeOne(run: Run): Promise<Search> {
  try {
    return run.createShift ? await lookAt(run, await run.createShift()) : { missing: NO_CANCELLABLE };
  } catch (error) {
    if (error instanceof CouldNotRun) return { missing: error.message };
    throw error;
  }
}

async function lookAt(run: Run, shiftId: string): Promise<Search> {
  const read = await readShiftOf(run, shiftId);
  const body = shiftBodyOf(read);
  if (isGone(read)) return { shiftId, body, isCancelled: true, isUsedUp: true };
  return body
    ? { shiftId, body, isCancelled: false, isUsedUp: false }
    : { missing: "the shift that may be cancelled cannot be read", read };
}

/** Records the cancellation, and returns whether the exchange was one. */
export function noteCancelled({ known: { cancellable } }: Run, { probe }: Exchange): boolean {
  if (probe.operation !== "cancelShift" || !cancellable || "missing" in cancellable) return false;
  if (probe.path?.shiftId === cancellable.shiftId) cancellable.isCancelled = true;
  return true;
}

/** Returns the shift that may be cancelled, until it is cancelled. */
export function standing({ known: { cancellable } }: Run): (Cancellable & { body: ShiftBody }) | undefined {
  if (!cancellable || "missing" in cancellable || cancellable.isCancelled) return undefined;
  return cancellable.body ? { ...cancellable, body: cancellable.body } : undefined;
}

/** Returns a shift that may be changed while other checks use the fixture shift: the cancellable shift, or else the same one. */
export function secondStageOf(run: Run): string | undefined {
  const cancellable = standing(run);
  const isStage = cancellable && !hasStarted(run, cancellable.body);
  return isStage ? cancellable.shiftId : run.fixtures.shiftId;
}

/** Reserves the second shift. */
export const onSecondStage = (run: Run): Holds =>
  secondStageOf(run) === run.fixtures.shiftId ? { shift: "changes" } : { cancellable: "changes" };
