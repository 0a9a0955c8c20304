import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { Holds } from "./checks/check.ts";
import { CouldNotRun } from "./connection-errors.ts";
import type { Exchange } from "./exchange.ts";
import type { Cancellable, CancellableResult, Run } from "./run.ts";
import { hasStarted, isGone, readShiftOf, shiftBodyOf } from "./shift.ts";

export const NO_CANCELLABLE =
  "no shift that may be cancelled: provide --fixtures with a cancellableShiftId, --create-shift, or --states-url";
export const USED_UP =
  "it is already cancelled or unknown: provide another cancellableShiftId, or --create-shift";

/** Returns the first fixture shift that exists, or else a new shift, or else the last fixture shift. */
export async function findCancellable(run: Run): Promise<CancellableResult> {
  let last: CancellableResult = { missing: NO_CANCELLABLE };
  for (const shiftId of [run.fixtures.cancellableShiftId ?? []].flat()) {
    last = await inspect(run, shiftId);
    if (!("missing" in last) && !last.isUsedUp) return last;
  }
  return run.createShift ? createCancellable(run) : last;
}

export async function createCancellable(run: Run): Promise<CancellableResult> {
  try {
    return run.createShift ? await inspect(run, await run.createShift()) : { missing: NO_CANCELLABLE };
  } catch (error) {
    if (error instanceof CouldNotRun) return { missing: error.message };
    throw error;
  }
}

async function inspect(run: Run, shiftId: string): Promise<CancellableResult> {
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
export function uncancelled({ known }: Run): (Cancellable & { body: ShiftBody }) | undefined {
  const { cancellable } = known;
  if (!cancellable || "missing" in cancellable || cancellable.isCancelled) return undefined;
  return cancellable.body ? { ...cancellable, body: cancellable.body } : undefined;
}

/** Returns a second shift to change while checks use the fixture shift: the cancellable one, or else the fixture shift itself. */
export function secondShiftOf(run: Run): string | undefined {
  const cancellable = uncancelled(run);
  const isUsable = cancellable && !hasStarted(run, cancellable.body);
  return isUsable ? cancellable.shiftId : run.fixtures.shiftId;
}

export const secondShiftUse = (run: Run): Holds =>
  secondShiftOf(run) === run.fixtures.shiftId ? { shift: "changes" } : { cancellable: "changes" };
