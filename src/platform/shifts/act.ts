import type { ProviderClient } from "../../clients/provider/client.ts";
import type { ShiftValues } from "../db/schema.ts";
import { orMissingRoute, witnessedTwice } from "../work/witness.ts";
import { showsValues } from "./plan/changes.ts";
import type { Call, CallOutcome, Made, Next, RunSoFar } from "./plan/state.ts";
import type { BookingPatch, Write } from "./plan/writes.ts";

type Action = Exclude<Next, { do: "rest" }>;

export interface Acting {
  client: ProviderClient;
  shiftId: string;
  signal: AbortSignal;
  /** The ids of the events that wait now. */
  waiting: readonly string[];
}

/** Returns what is written before a call is sent: its outcome is not known yet. */
export function intentOf(call: Call, now: number): Write {
  switch (call.do) {
    case "assign":
    case "unassign": {
      const { bookingId, providerCandidateId, isRetry } = call;
      const isFirst = call.do === "assign" && !isRetry;
      const patch: BookingPatch = {
        atProvider: "maybe",
        providerCandidateId,
        ...(isFirst && { sentAt: now }),
      };
      return { write: "booking", bookingId, patch };
    }
    case "cancel":
      return { write: "operation", operationId: call.operationId, patch: { sentAt: now } };
    case "change": {
      const { startTime, endTime, positions } = call.values;
      const values = { startTime: Date.parse(startTime), endTime: Date.parse(endTime), positions };
      return { write: "change", changeId: call.changeId, patch: { ...values, base: call.base, sentAt: now } };
    }
  }
}

/** Carries out the next step of a plan, and returns the run with the response. */
export async function act(next: Action, run: RunSoFar, acting: Acting): Promise<RunSoFar> {
  const { reading } = run;
  const before = continued(run, next);
  if (next.do === "read") return { ...before, ...(await read(next.traceId, acting)) };
  if (next.do === "witness") {
    const witness = await askWitness(next.traceId, acting);
    return { ...before, ...(reading && { reading: { ...reading, witness } }) };
  }
  const startedAt = performance.now();
  const outcome = await call(next, acting);
  acting.signal.throwIfAborted();
  const done: Made = { call: next, outcome, durationMs: performance.now() - startedAt };
  if (outcome.kind !== "unavailable") return { ...before, made: done };
  const failed = new Set([...run.failed, idOf(next)]);
  return { ...before, made: done, failed, unavailable: outcome };
}

/** Returns the run before its next response: what it has learned so far. What it has read may change during a call. */
export function continued(
  { isFirst: _, reading, made: __, hasRead, ...rest }: RunSoFar,
  { do: what }: Action,
): RunSoFar {
  const isWitnessed = reading?.witness === "good" || rest.isWitnessed === true;
  const isRead = hasRead === true && (what === "read" || what === "witness");
  return { ...rest, isFirst: false, ...(isRead && { hasRead }), ...(isWitnessed && { isWitnessed }) };
}

const idOf = (next: Call): string =>
  next.do === "cancel" ? next.operationId : next.do === "change" ? next.changeId : next.bookingId;

async function read(traceId: string, { client, shiftId, signal, waiting }: Acting) {
  const startedAt = performance.now();
  const outcome = await client.getShift(shiftId, { traceId, signal });
  const durationMs = performance.now() - startedAt;
  // It shows in the provider's health whether other calls break the contract too.
  if (outcome.kind === "unavailable" && outcome.failure === "contract_violation")
    await client.listOutlets({ traceId, signal });
  signal.throwIfAborted();
  const reading = { outcome, covers: waiting, durationMs };
  return {
    reading,
    ...(outcome.kind === "shift" && { hasRead: true }),
    ...(outcome.kind === "unavailable" && { unavailable: outcome }),
  };
}

/** Distinguishes a healthy provider, which lists its outlets, from a gateway without a route, which returns 404 here too. */
async function askWitness(traceId: string, { client, signal }: Acting): Promise<"good" | "bad"> {
  const answer = await client.listOutlets({ traceId, signal });
  signal.throwIfAborted();
  return answer.kind === "list" ? "good" : "bad";
}

/** Whether the person is on the shift is open: the provider may know them by another id. */
const UNKNOWN_PERSON = { kind: "refused", status: 404, code: "candidate_not_found" } as const;

async function call(next: Call, { client, shiftId, signal }: Acting): Promise<CallOutcome> {
  const how = { traceId: next.traceId, signal };
  switch (next.do) {
    case "assign": {
      const seat = { shiftId, candidateId: next.providerCandidateId };
      const answer = orMissingRoute(await witnessedTwice(client, () => client.assign(seat, how), how));
      return answer.kind === "assigned" ? { kind: "done" } : answer;
    }
    // The next reading of the shift is better evidence than a witness, also for a cancellation.
    case "unassign": {
      const seat = { shiftId, candidateId: next.providerCandidateId };
      const answer = orMissingRoute(await client.unassign(seat, how));
      if (answer.kind !== "unassigned") return answer;
      return answer.unknownPerson ? UNKNOWN_PERSON : { kind: "done" };
    }
    case "cancel": {
      const answer = orMissingRoute(await client.cancelShift(shiftId, how));
      return answer.kind === "cancelled" ? { kind: "done" } : answer;
    }
    case "change":
      return orNotShown(
        await witnessedTwice(client, () => client.updateShift(shiftId, next.values, how), how),
        next.base,
      );
  }
}

/** Returns the response to a change, unless the shift is still as it was before: a replica may lag. Other values are the provider's answer. */
function orNotShown<Outcome extends CallOutcome>(
  outcome: Outcome & { isShown?: boolean },
  base: ShiftValues,
): CallOutcome {
  if (outcome.kind !== "shift" || outcome.isShown !== false || outcome.shift.cancelled) return outcome;
  if (!showsValues(outcome.shift, base)) return outcome;
  return {
    kind: "unavailable",
    failure: "change_not_shown",
    reason: "the provider does not show the change",
  };
}
