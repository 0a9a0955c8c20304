import { reportsDeletion } from "../../../contract/shift.ts";
import { concludeCall } from "./calls.ts";
import { decide, needsReading } from "./decide.ts";
import { Draft } from "./draft.ts";
import { noteMapping, refreshJob } from "./job.ts";
import { concludeReading } from "./reading.ts";
import { separatePeople } from "./routes.ts";
import type { Next, Rules, RunSoFar, ShiftState } from "./state.ts";
import type { Write } from "./writes.ts";

export interface Plan {
  writes: Write[];
  next: Next;
}

/**
 * Returns what to write about a shift and what to do next, given the stored state, the latest response, and the time (milliseconds since 1970).
 * This folder contains every rule of convergence. It is pure and total: it uses no database, no HTTP, and no clock, and throws for no state.
 *
 * 1. `believe.ts` decides what a reading means, which may be older than what is believed.
 * 2. `derive` applies to a copy of the state (`draft.ts`) what follows from a belief or a response. A reading: `reading.ts`, and `absence.ts` without the shift;
 *    `job.ts`; its people in `list.ts`, those that many lists lack in `vanished.ts`, those moved in `moves.ts`. A response to a call: `calls.ts`, and
 *    `changes.ts`; `routes.ts` if it may be about the route. `close.ts` ends bookings and jobs.
 * 3. `decide.ts` chooses the next call (`bookings.ts`, `changes.ts`), the next reading, or rest.
 * 4. `writes.ts` returns the rows that differ.
 *
 * The lag is two minutes: no replica is older, and no call takes effect later. The ladder has the delays of further readings, up to the lag. A belief is settled
 * once no reading can contradict it, or the shift starts soon: only then do people hear of it. A draft waits while the next reading is not due.
 */
export function plan(state: ShiftState, run: RunSoFar, now: number, rules: Rules): Plan {
  const draft = new Draft(state, run, now, rules);
  separatePeople(draft);
  skipEchoes(draft);
  const { traceId } = draft;
  if (isReadFirst(draft, run)) return { writes: draft.writes, next: { do: "read", traceId: draft.traceId } };
  if (!derive(draft, run)) return { writes: [], next: { do: "witness", traceId: draft.traceId } };
  const next = decide(draft, run);
  noteMapping(draft, state.job, traceId);
  return { writes: draft.writes, next };
}

/** Applies the response, and updates the job. Returns false if only another call to the provider can show what the response means. */
function derive(draft: Draft, run: RunSoFar): boolean {
  const { reading, made } = run;
  if (reading && concludeReading(draft, reading, run)) return false;
  if (made && !reading) concludeCall(draft, made, run);
  if (!draft.isRefreshed) refreshJob(draft, draft.traceId, { isChanged: run.isFirst });
  return true;
}

/** Returns the reading that a run starts with, if nothing has to be written before it. */
export function firstReading(state: ShiftState, run: RunSoFar, now: number, rules: Rules) {
  const draft = new Draft(state, run, now, rules);
  skipEchoes(draft);
  if (draft.writes.length > 0 || !isReadFirst(draft, run)) return undefined;
  return { do: "read", traceId: draft.traceId } as const;
}

const isReadFirst = (draft: Draft, run: RunSoFar): boolean =>
  run.isFirst && !draft.state.integration.isPaused && needsReading(draft, run);

/** decisions, "shift.delete": the echo of the platform's DELETE is skipped, once for each. */
function skipEchoes(draft: Draft): void {
  const { state } = draft;
  if (state.integration.state !== "active") return;
  for (const event of [...state.events]) {
    if (!reportsDeletion(event.event) || event.isReplayed) continue;
    const operationId = state.echoes.shift();
    if (operationId === undefined) return;
    draft.push({ write: "operation", operationId, patch: { consumedBy: event.eventId } });
    if (state.cancellation?.operationId === operationId) state.cancellation.consumedBy = event.eventId;
    draft.endEvents([event], "skipped_echo", { code: "echo_of_delete", params: {} });
  }
}
