import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift, type Shift } from "../../contract/shift.ts";
import { type FreePair, freePair } from "../assignment.ts";
import { type Outcome, type Place, skipped } from "../finding.ts";
import type { Run } from "../run.ts";
import { hasStarted, NO_SHIFT, STARTED, shiftBodyOf } from "../shift.ts";
import { steadyRead } from "./steady-reads.ts";

/** The fixture shift, for checks that change it. */
export interface FixtureShift {
  shiftId: string;
  body: ShiftBody;
  shift: Shift;
}

/** Returns the fixture shift, or the outcome of a check without one. @param title what cannot be checked without it */
export async function fixtureShift(
  run: Run,
  operation: Place,
  title: string,
  shiftId = run.fixtures.shiftId,
): Promise<FixtureShift | Outcome> {
  if (!run.mayChange) return skipped("skipped_read_only", operation, title, "it would change data");
  if (shiftId === undefined) return skipped("skipped_not_prepared", operation, title, NO_SHIFT);
  const body = shiftBodyOf(await steadyRead(run, shiftId));
  const shift = body && readShift(body, "UTC").shift;
  if (!body || !shift) return skipped("skipped_after_failure", operation, title, "the shift cannot be read");
  if (shiftId === run.fixtures.shiftId) run.known.shift ??= body;
  if (shift.cancelled) return skipped("skipped_not_prepared", operation, title, "the shift is cancelled");
  if (hasStarted(run, shift)) return skipped("skipped_not_prepared", operation, title, STARTED);
  return { shiftId, body, shift };
}

/** Returns a possible assignment to the fixture shift, or the outcome of a check without one. */
export async function fixturePair(run: Run, title: string): Promise<FreePair | Outcome> {
  const free = await freePair(run);
  if (!("missing" in free)) return free;
  const fixture = await fixtureShift(run, "assignCandidate", title);
  return "kind" in fixture
    ? fixture
    : skipped("skipped_not_prepared", "assignCandidate", title, free.missing);
}
