import type { SkipCode } from "./codes/codes.ts";
import { type Outcome, type Skipped, skipped } from "./finding.ts";
import { personOf } from "./person.ts";
import type { Run } from "./run.ts";
import { assign, isAssigned, type Seat, seatOf, unassign } from "./seat.ts";
import { isGone, readShiftOf, shiftBodyOf, updateOf } from "./shift.ts";
import { type Exchange, isReply, type OperationId, type Probe } from "./target.ts";

/**
 * A request to one operation that a correct provider serves, to be sent as it is (the control) and then with one thing wrong: a check
 * that refuses every request would otherwise look like one that refuses the wrong ones.
 */
export interface Exercise {
  operation: OperationId;
  probe: Probe;
  /** Makes the request possible, before each time it is sent. */
  prepare: () => Promise<unknown>;
  /** Takes its effect back, after each time it was served. */
  undo: () => Promise<unknown>;
  /** Whether the request, as it is, is served: sent once in a run. A cancellation is for good: there the shift is read instead. */
  isServed: () => Promise<boolean>;
  /** Whether the request, prepared and refused, took effect all the same. Undefined where that cannot be seen. */
  hasEffect?: () => Promise<boolean>;
}

/** An operation that cannot be called, and why. */
export interface Missing {
  operation: OperationId;
  code: SkipCode;
  reason: string;
}

const nothing = () => Promise.resolve();

/** One exercise for each operation for which there is what it needs. */
export async function exercisesOf(run: Run): Promise<{ exercises: Exercise[]; missing: Missing[] }> {
  const all = [
    ...(await reads(run)),
    readingShift(run),
    await updating(run),
    ...(await seatCalls(run)),
    await creating(run),
    cancelling(run),
  ];
  return {
    exercises: all.filter((each): each is Exercise => "probe" in each),
    missing: all.filter((each): each is Missing => "reason" in each),
  };
}

/** The same request again finds the person who is there: 409 shows as well as a success that it was looked at. */
export function wasServed(exchange: Exchange): boolean {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return (
    (status >= 200 && status < 300) || (status === 409 && exchange.probe.operation === "createCandidate")
  );
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
  const control = async () => {
    await prepare();
    const exchange = await run.send(probe);
    await undo();
    return wasServed(exchange);
  };
  return { operation, probe, prepare, undo, isServed: once(run, operation, control), ...parts };
}

function once(run: Run, operation: OperationId, control: () => Promise<boolean>): () => Promise<boolean> {
  return () => {
    const known = run.known.served.get(operation) ?? control();
    run.known.served.set(operation, known);
    return known;
  };
}

const missing = (operation: OperationId, code: SkipCode, reason: string): Missing => ({
  operation,
  code,
  reason,
});
const unprepared = (operation: OperationId, reason: string) =>
  missing(operation, "skipped_not_prepared", reason);
const readOnly = (operation: OperationId) => missing(operation, "skipped_read_only", "--read-only");

async function reads(run: Run): Promise<(Exercise | Missing)[]> {
  const number = run.fixtures.knownPersonalNumber ?? run.known.number ?? (await createdNumber(run));
  return [
    exerciseOf(run, { operation: "listOutlets" }),
    exerciseOf(run, { operation: "listRoles" }),
    run.forms.registry === "absent"
      ? missing("getCandidateRegistry", "skipped_not_offered", "the provider offers none")
      : exerciseOf(run, { operation: "getCandidateRegistry" }),
    number === undefined
      ? unprepared("findCandidates", "no personal number that the provider knows")
      : exerciseOf(run, { operation: "findCandidates", query: { personalNumber: number } }),
  ];
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

const NO_SHIFT = "no shift: give --fixtures with a shiftId, or --states-url";

/** One position more: with an effect, so that a refusal that stores all the same can be seen. */
export async function updating(run: Run): Promise<Exercise | Missing> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return readOnly("updateShift");
  if (shiftId === undefined) return unprepared("updateShift", NO_SHIFT);
  const body = run.known.shift ?? shiftBodyOf(await readShiftOf(run, shiftId));
  if (!body) return missing("updateShift", "skipped_after_failure", "the shift cannot be read");
  const { slots } = updateOf(body);
  const more = updateOf(body, { slots: slots < 100 ? slots + 1 : slots - 1 });
  const request = { operation: "updateShift" as const, path: { shiftId } };
  const undo = () => run.send({ ...request, json: updateOf(body) });
  const has = async (positions: number) => {
    const now = shiftBodyOf(await readShiftOf(run, shiftId));
    return now !== undefined && updateOf(now).slots === positions;
  };
  // A shift that cannot be put back has its positions from somewhere else.
  const hasEffect = async () => {
    if (!(await has(more.slots))) return false;
    await undo();
    return has(slots);
  };
  return exerciseOf(run, { ...request, json: more }, { undo, hasEffect });
}

function cancelling(run: Run): Exercise | Missing {
  const { cancellableShiftId: shiftId } = run.fixtures;
  if (!run.mayChange) return readOnly("cancelShift");
  if (shiftId === undefined) {
    const reason =
      "no shift that may be cancelled: give --fixtures with a cancellableShiftId, or --states-url";
    return unprepared("cancelShift", reason);
  }
  if (run.known.cancelled) {
    return missing("cancelShift", "skipped_after_failure", "the shift was cancelled by an earlier check");
  }
  const read = () => readShiftOf(run, shiftId);
  const isThere = async () => shiftBodyOf(await read()) !== undefined;
  return exerciseOf(
    run,
    { operation: "cancelShift", path: { shiftId } },
    {
      isServed: once(run, "cancelShift", isThere),
      hasEffect: async () => isGone(await read()),
    },
  );
}

async function seatCalls(run: Run): Promise<(Exercise | Missing)[]> {
  const operations = ["assignCandidate", "unassignCandidate", "deleteAssignment"] as const;
  if (!run.mayChange) return operations.map(readOnly);
  const seat = await seatOf(run);
  if ("missing" in seat) return operations.map((operation) => unprepared(operation, seat.missing));
  const [assignment, ...unassignments] = operations;
  return [assigning(run, seat, assignment), ...unassignments.map((each) => unassigning(run, seat, each))];
}

function assigning(run: Run, seat: Seat, operation: "assignCandidate"): Exercise {
  const undo = () => unassign(run, seat);
  // Who cannot be taken off is there for another reason.
  const hasEffect = async () => {
    if ((await isAssigned(run, seat)) !== true) return false;
    await undo();
    return (await isAssigned(run, seat)) === false;
  };
  return exerciseOf(run, { operation, path: { ...seat } }, { undo, hasEffect });
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
  // Who cannot be assigned at all is not there for another reason.
  const hasEffect = async () => {
    if ((await isAssigned(run, seat)) !== false) return false;
    await prepare();
    return (await isAssigned(run, seat)) === true;
  };
  return exerciseOf(run, { operation, path: { ...seat } }, { prepare, undo, hasEffect });
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
