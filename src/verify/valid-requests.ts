import type { ShiftUpdate } from "../../generated/provider/types.ts";
import { assign, freePair, isAssigned, type NoPair, type Pair, unassign } from "./assignment.ts";
import type { ASSIGNMENTS } from "./checks/check.ts";
import { isShownInTime } from "./checks/steady-reads.ts";
import type { SkipCode } from "./codes/codes.ts";
import type { Exchange, OperationId, Probe } from "./exchange.ts";
import { type Outcome, type Skipped, skipped } from "./finding.ts";
import { type Run, sendOnce, wasServed } from "./run.ts";
import { isGone, MOST_POSITIONS, NO_SHIFT, readShiftOf, shiftBodyOf, updateOf } from "./shift.ts";
import { personOf } from "./test-candidates.ts";

/**
 * A request that a correct provider serves. It is sent unchanged first, and then with one error at a time. Otherwise a provider that
 * refuses every request would pass.
 */
export interface ValidRequest {
  operation: OperationId;
  probe: Probe;
  /** The update that changes nothing; only for updates. */
  unchanged?: ShiftUpdate;
  /** Makes the request possible; called before each time it is sent. */
  prepare: () => Promise<unknown>;
  /** Undoes its effect; called after each time it was served. */
  undo: () => Promise<unknown>;
  /** Whether the unchanged request is served; sent at most once in a run. A cancellation is permanent, so the shift is read instead. */
  isServed: () => Promise<boolean>;
  /** Whether a refused request took effect. Undefined if the effect cannot be observed. */
  hasEffect?: () => Promise<boolean>;
  /** Whether variants are sent in sequence, because a served one changes the state for the next. */
  isSequential: boolean;
}

export interface Missing {
  operation: OperationId;
  code: SkipCode;
  reason: string;
}

/** A request took effect during concurrent tests: each test must run again on its own. */
export class Interference extends Error {}

/** @throws Interference when a request that must be refused was served during concurrent tests */
export function assertUndisturbed({ shared }: Run, exchange: Exchange): void {
  if (shared && wasServed(exchange)) throw new Interference();
}

const nothing = () => Promise.resolve();

/** Returns the valid request of the operation, or why none can be made. */
export async function validRequestFor(run: Run, operation: OperationId): Promise<ValidRequest | Missing> {
  switch (operation) {
    case "findCandidates":
      return lookupRequest(run);
    case "getShift":
      return readRequest(run);
    case "createCandidate":
      return creationRequest(run);
    case "updateShift":
      return updateRequest(run);
    case "cancelShift":
      return cancellationRequest(run);
    case "listOutlets":
    case "listRoles":
    case "getCandidateRegistry":
      return operation === "getCandidateRegistry" && run.forms.registry === "absent"
        ? missing(operation, "skipped_not_offered", "the provider has none")
        : validRequest(run, { operation });
    default:
      return pairRequest(run, operation);
  }
}

export function skippedAs(title: string, { code, operation, reason }: Missing): Skipped {
  return skipped(code, operation, title, reason);
}

/** Continues with the request if it is served. Otherwise yields a skipped outcome. */
export async function* ifServed(
  title: string,
  request: ValidRequest | Missing,
  check: (request: ValidRequest) => AsyncIterable<Outcome>,
): AsyncGenerator<Outcome> {
  if ("reason" in request) return yield skippedAs(title, request);
  if (await request.isServed()) return yield* check(request);
  const reason = "the valid request to this operation is not served";
  yield skipped("skipped_after_failure", request.operation, title, reason);
}

type Parts = Partial<Omit<ValidRequest, "operation" | "probe">>;

function validRequest(run: Run, probe: Probe, parts: Parts = {}): ValidRequest {
  const { operation } = probe;
  const { prepare = nothing, undo = nothing } = parts;
  const isServed = async () => {
    if (run.known.served.has(operation)) return true;
    await prepare();
    const exchange = await (parts.undo ? run.send(probe) : sendOnce(run, probe));
    await undo();
    return wasServed(exchange);
  };
  return { operation, probe, prepare, undo, isServed, isSequential: false, ...parts };
}

interface OnShift extends Pick<ValidRequest, "undo"> {
  prepare?: ValidRequest["prepare"];
  isApplied: () => Promise<boolean>;
  revert: () => Promise<unknown>;
  /** Whether the shift shows that the undo succeeded: otherwise the effect has another cause. */
  isReverted: () => Promise<boolean>;
}

/** Returns a request on the fixture shift. During concurrent tests it must not change the shift. */
function onShift(run: Run, probe: Probe, onIt: OnShift): ValidRequest {
  const { isApplied, revert, isReverted, ...rest } = onIt;
  if (!run.shared) {
    const hasEffect = async () => {
      if (await isShownInTime(run, async () => !(await isApplied()))) return false;
      await revert();
      return isShownInTime(run, isReverted);
    };
    return validRequest(run, probe, { ...rest, hasEffect, isSequential: true });
  }
  const hasEffect = async () => {
    if (await isApplied()) throw new Interference();
    return false;
  };
  return validRequest(run, probe, { hasEffect, isServed: async () => run.known.served.has(probe.operation) });
}

const missing = (operation: OperationId, code: SkipCode, reason: string) => ({ operation, code, reason });
const unprepared = (operation: OperationId, reason: string) =>
  missing(operation, "skipped_not_prepared", reason);
const readOnly = (operation: OperationId) => missing(operation, "skipped_read_only", "--read-only");

async function lookupRequest(run: Run): Promise<ValidRequest | Missing> {
  const known = run.fixtures.knownPersonalNumber ?? run.known.number;
  const made = known === undefined && run.mayChange ? await personOf(run) : undefined;
  const personalNumber = made?.candidateId === undefined ? known : made.number;
  return personalNumber === undefined
    ? unprepared("findCandidates", "no personal number of an existing candidate")
    : validRequest(run, { operation: "findCandidates", query: { personalNumber } });
}

function readRequest(run: Run): ValidRequest | Missing {
  const { shiftId } = run.fixtures;
  if (shiftId === undefined) return unprepared("getShift", NO_SHIFT);
  return validRequest(run, { operation: "getShift", path: { shiftId } });
}

/** Other checks add one or two positions: a lagging read of their updates shows none with this number. */
const ADDED_POSITIONS = 3;

/** Returns an update to more positions: its effect shows if a refused update is stored. */
export async function updateRequest(run: Run): Promise<ValidRequest | Missing> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange) return readOnly("updateShift");
  if (shiftId === undefined) return unprepared("updateShift", NO_SHIFT);
  const body = run.shared?.body ?? run.known.shift ?? shiftBodyOf(await readShiftOf(run, shiftId));
  if (!body) return missing("updateShift", "skipped_after_failure", "the shift cannot be read");
  const { slots } = updateOf(body);
  const isRoom = slots + ADDED_POSITIONS <= MOST_POSITIONS;
  const more = updateOf(body, { slots: isRoom ? slots + ADDED_POSITIONS : slots - ADDED_POSITIONS });
  const target = { operation: "updateShift" as const, path: { shiftId } };
  const undo = () => run.send({ ...target, json: updateOf(body) });
  const has = async (positions: number) => {
    const now = shiftBodyOf(await readShiftOf(run, shiftId));
    return now !== undefined && updateOf(now).slots === positions;
  };
  const request = onShift(
    run,
    { ...target, json: more },
    { undo, isApplied: () => has(more.slots), revert: undo, isReverted: () => has(slots) },
  );
  return { ...request, unchanged: updateOf(body) };
}

function cancellationRequest(run: Run): ValidRequest | Missing {
  const { cancellable } = run.known;
  if (!run.mayChange) return readOnly("cancelShift");
  if (!cancellable || "missing" in cancellable)
    return unprepared("cancelShift", cancellable?.missing ?? NO_SHIFT);
  if (cancellable.isCancelled) {
    return missing("cancelShift", "skipped_after_failure", "the shift was cancelled by an earlier check");
  }
  const { shiftId } = cancellable;
  const read = () => readShiftOf(run, shiftId);
  const probe: Probe = { operation: "cancelShift", path: { shiftId } };
  return validRequest(run, probe, {
    isSequential: true,
    isServed: async () => shiftBodyOf(await read()) !== undefined,
    hasEffect: async () => !(await isShownInTime(run, async () => !isGone(await read()))),
  });
}

async function pairRequest(run: Run, operation: PairOperation): Promise<ValidRequest | Missing> {
  if (!run.mayChange) return readOnly(operation);
  const isAssignment = operation === "assignCandidate";
  const pair = await pairFor(run, isAssignment);
  if ("missing" in pair) return unprepared(operation, pair.missing);
  if (!isAssignment && !run.known.offered.has(operation)) {
    return missing(operation, "skipped_not_offered", "the provider offers the other form");
  }
  const [on, off] = [() => assign(run, pair), () => unassign(run, pair)];
  const isListed = (wanted: boolean) => async () => (await isAssigned(run, pair)) === wanted;
  const [isApplied, isReverted] = [isListed(isAssignment), isListed(!isAssignment)];
  const undone = { undo: off, isApplied, isReverted };
  const probe: Probe = { operation, path: { ...pair } };
  return onShift(
    run,
    probe,
    isAssignment ? { ...undone, revert: off } : { ...undone, prepare: on, revert: on },
  );
}

type PairOperation = (typeof ASSIGNMENTS)[number];

async function pairFor({ shared, fixtures, ...run }: Run, isAssignment: boolean): Promise<Pair | NoPair> {
  const { shiftId } = fixtures;
  if (shared && shiftId !== undefined) {
    return { shiftId, candidateId: isAssignment ? shared.unassignedId : shared.assignedId };
  }
  const free = await freePair({ ...run, fixtures });
  return "missing" in free ? free : free.pair;
}

/** Returns the creation of the test candidate again. */
export async function creationRequest(run: Run): Promise<ValidRequest | Missing> {
  if (!run.mayChange) return readOnly("createCandidate");
  const { payload, candidateId } = await personOf(run);
  if (candidateId === undefined) {
    return missing("createCandidate", "skipped_after_failure", "creating a candidate failed");
  }
  return validRequest(run, { operation: "createCandidate", json: payload });
}
