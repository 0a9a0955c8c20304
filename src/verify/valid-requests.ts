import type { ShiftUpdate } from "../../generated/provider/types.ts";
import { assign, isAssigned, type Seat, seatOf, unassign } from "./assignment.ts";
import type { SkipCode } from "./codes/codes.ts";
import type { Exchange, OperationId, Probe } from "./exchange.ts";
import { type Outcome, type Skipped, skipped } from "./finding.ts";
import { type Run, wasServed } from "./run.ts";
import { isGone, readShiftOf, shiftBodyOf, updateOf } from "./shift.ts";
import { personOf } from "./test-candidates.ts";

/**
 * A request to one operation that a correct provider serves, to be sent as it is (the control) and then with one thing wrong: a check
 * that refuses every request would otherwise look like one that refuses the wrong ones.
 */
export interface Exercise {
  operation: OperationId;
  probe: Probe;
  /** The update that changes nothing, of an update. */
  unchanged?: ShiftUpdate;
  /** Makes the request possible, before each time it is sent. */
  prepare: () => Promise<unknown>;
  /** Takes its effect back, after each time it was served. */
  undo: () => Promise<unknown>;
  /** Whether the request, as it is, is served: sent at most once in a run. A cancellation is for good: there the shift is read instead. */
  isServed: () => Promise<boolean>;
  /** Whether the request, prepared and refused, took effect all the same. Undefined where that cannot be seen. */
  hasEffect?: () => Promise<boolean>;
  /** What is wrong with the request is tried one thing after another, because one that is served changes what the next one meets. */
  isInTurn: boolean;
}

/** An operation that cannot be called, and why. */
export interface Missing {
  operation: OperationId;
  code: SkipCode;
  reason: string;
}

/** Something took effect while others looked at the same shift: each must try again, alone. */
export class Disturbed extends Error {}

/** @throws Disturbed when a request that should have been refused was served while others try theirs */
export function assertUndisturbed({ arranged }: Run, exchange: Exchange): void {
  if (arranged && wasServed(exchange)) throw new Disturbed();
}

const nothing = () => Promise.resolve();

/** What to send to the operation, or why nothing can be sent. */
export async function exerciseFor(run: Run, operation: OperationId): Promise<Exercise | Missing> {
  switch (operation) {
    case "listOutlets":
    case "listRoles":
      return exerciseOf(run, { operation });
    case "getCandidateRegistry":
      return run.forms.registry === "absent"
        ? missing(operation, "skipped_not_offered", "the provider offers none")
        : exerciseOf(run, { operation });
    case "findCandidates":
      return lookingUp(run);
    case "getShift":
      return readingShift(run);
    case "createCandidate":
      return creating(run);
    case "updateShift":
      return updating(run);
    case "cancelShift":
      return cancelling(run);
    default:
      return seating(run, operation);
  }
}

/** What a check says of an operation that it cannot exercise. */
export function skippedAs(title: string, { code, operation, reason }: Missing): Skipped {
  return skipped(code, operation, title, reason);
}

/** What a check says of an operation whose right request is not served. */
function skippedUnserved(title: string, operation: OperationId): Skipped {
  const reason = "the right request to this operation is not served";
  return skipped("skipped_after_failure", operation, title, reason);
}

/** Goes on with the exercise when there is one and it is served; says what is skipped when not. */
export async function* ifServed(
  title: string,
  exercise: Exercise | Missing,
  goOn: (exercise: Exercise) => AsyncIterable<Outcome>,
): AsyncGenerator<Outcome> {
  if ("reason" in exercise) return yield skippedAs(title, exercise);
  if (!(await exercise.isServed())) return yield skippedUnserved(title, exercise.operation);
  yield* goOn(exercise);
}

type Parts = Partial<Omit<Exercise, "operation" | "probe">>;

function exerciseOf(run: Run, probe: Probe, parts: Parts = {}): Exercise {
  const { operation } = probe;
  const { prepare = nothing, undo = nothing } = parts;
  const isServed = async () => {
    if (run.known.served.has(operation)) return true;
    await prepare();
    const exchange = await run.send(probe);
    await undo();
    return wasServed(exchange);
  };
  return { operation, probe, prepare, undo, isServed, isInTurn: false, ...parts };
}

interface OnShift extends Pick<Exercise, "undo"> {
  prepare?: Exercise["prepare"];
  /** Whether the shift shows the effect. */
  shows: () => Promise<boolean>;
  /** Undoes the effect. Returns whether it is gone: what stays has another cause. */
  takeBack: () => Promise<boolean>;
}

/** While others try theirs the shift stands as it must, and nothing else may change it. */
function onShift(run: Run, probe: Probe, { shows, takeBack, ...rest }: OnShift): Exercise {
  if (!run.arranged) {
    const hasEffect = async () => (await shows()) && takeBack();
    return exerciseOf(run, probe, { ...rest, hasEffect, isInTurn: true });
  }
  const hasEffect = async () => {
    if (await shows()) throw new Disturbed();
    return false;
  };
  return exerciseOf(run, probe, { hasEffect, isServed: async () => run.known.served.has(probe.operation) });
}

const missing = (operation: OperationId, code: SkipCode, reason: string): Missing => ({
  operation,
  code,
  reason,
});
const unprepared = (operation: OperationId, reason: string) =>
  missing(operation, "skipped_not_prepared", reason);
const readOnly = (operation: OperationId) => missing(operation, "skipped_read_only", "--read-only");

async function lookingUp(run: Run): Promise<Exercise | Missing> {
  const personalNumber = run.fixtures.knownPersonalNumber ?? run.known.number ?? (await createdNumber(run));
  return personalNumber === undefined
    ? unprepared("findCandidates", "no personal number that the provider knows")
    : exerciseOf(run, { operation: "findCandidates", query: { personalNumber } });
}

async function createdNumber(run: Run): Promise<string | undefined> {
  if (!run.mayChange) return undefined;
  const { candidateId, number } = await personOf(run);
  return candidateId === undefined ? undefined : number;
}

function readingShift(run: Run): Exercise | Missing {
  const { shiftId } = run.fixtures;
  if (shiftId === undefined) return unprepared("getShift", NO_SHIFT);
  return exerciseOf(run, { operation: "getShift", path: { shiftId } });
}

const NO_SHIFT = "no shift: provide --fixtures with a shiftId, or --states-url";

/** One position more: with an effect, so that a refusal that stores all the same can be seen. */
export async function updating(run: Run): Promise<Exercise | Missing> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return readOnly("updateShift");
  if (shiftId === undefined) return unprepared("updateShift", NO_SHIFT);
  const body = run.arranged?.body ?? run.known.shift ?? shiftBodyOf(await readShiftOf(run, shiftId));
  if (!body) return missing("updateShift", "skipped_after_failure", "the shift cannot be read");
  const { slots } = updateOf(body);
  const more = updateOf(body, { slots: slots < 100 ? slots + 1 : slots - 1 });
  const request = { operation: "updateShift" as const, path: { shiftId } };
  const undo = () => run.send({ ...request, json: updateOf(body) });
  const has = async (positions: number) => {
    const now = shiftBodyOf(await readShiftOf(run, shiftId));
    return now !== undefined && updateOf(now).slots === positions;
  };
  const takeBack = async () => {
    await undo();
    return has(slots);
  };
  const exercise = onShift(run, { ...request, json: more }, { undo, shows: () => has(more.slots), takeBack });
  return { ...exercise, unchanged: updateOf(body) };
}

function cancelling(run: Run): Exercise | Missing {
  const { cancellable } = run.known;
  if (!run.mayChange) return readOnly("cancelShift");
  if (!cancellable || "missing" in cancellable)
    return unprepared("cancelShift", cancellable?.missing ?? NO_SHIFT);
  if (cancellable.isCancelled) {
    return missing("cancelShift", "skipped_after_failure", "the shift was cancelled by an earlier check");
  }
  const { shiftId } = cancellable;
  const read = () => readShiftOf(run, shiftId);
  return exerciseOf(
    run,
    { operation: "cancelShift", path: { shiftId } },
    {
      isInTurn: true,
      isServed: async () => shiftBodyOf(await read()) !== undefined,
      hasEffect: async () => isGone(await read()),
    },
  );
}

async function seating(run: Run, operation: SeatOperation): Promise<Exercise | Missing> {
  if (!run.mayChange) return readOnly(operation);
  const { arranged, fixtures } = run;
  const { shiftId } = fixtures;
  if (arranged && shiftId !== undefined) {
    const candidateId = operation === "assignCandidate" ? arranged.standing : arranged.seated;
    return seatCall(run, { shiftId, candidateId }, operation);
  }
  const free = await seatOf(run);
  return "missing" in free ? unprepared(operation, free.missing) : seatCall(run, free.seat, operation);
}

type SeatOperation = "assignCandidate" | "unassignCandidate" | "deleteAssignment";

function seatCall(run: Run, seat: Seat, operation: SeatOperation): Exercise | Missing {
  return operation === "assignCandidate" ? assigning(run, seat) : unassigning(run, seat, operation);
}

function assigning(run: Run, seat: Seat): Exercise {
  const undo = () => unassign(run, seat);
  const takeBack = async () => {
    await undo();
    return (await isAssigned(run, seat)) === false;
  };
  const shows = async () => (await isAssigned(run, seat)) === true;
  return onShift(run, { operation: "assignCandidate", path: { ...seat } }, { undo, shows, takeBack });
}

function unassigning(
  run: Run,
  seat: Seat,
  operation: "unassignCandidate" | "deleteAssignment",
): Exercise | Missing {
  if (!run.known.offered.has(operation)) {
    return missing(operation, "skipped_not_offered", "the provider offers the other form");
  }
  const prepare = () => assign(run, seat);
  const undo = () => unassign(run, seat);
  const takeBack = async () => {
    await prepare();
    return (await isAssigned(run, seat)) === true;
  };
  const shows = async () => (await isAssigned(run, seat)) === false;
  return onShift(run, { operation, path: { ...seat } }, { prepare, undo, shows, takeBack });
}

/** The person who was created for this run, once more. */
export async function creating(run: Run): Promise<Exercise | Missing> {
  if (!run.mayChange) return readOnly("createCandidate");
  const { payload, candidateId } = await personOf(run);
  if (candidateId === undefined) {
    return missing("createCandidate", "skipped_after_failure", "creating a candidate failed");
  }
  return exerciseOf(run, { operation: "createCandidate", json: payload });
}
