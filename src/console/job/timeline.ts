import type { Event, Job, Trace, TraceStep } from "../../../generated/operations/types.ts";
import { outcomeText } from "../../contract/operator-text.ts";
import { type EntryTone, toneOf } from "./tones.ts";

/** One of the traces of a job: its own, and those of its bookings, events, and changes. */
export interface NumberedTrace {
  traceId: string;
  /** From 1, in order of the first step. */
  number: number;
  /** What started it: `shift.update`, `Change requested`. */
  name: string;
  /** The event that started it, if one did. */
  eventId?: string;
}

export interface Entry {
  step: TraceStep;
  trace: NumberedTrace;
  /** Since the first entry. Milliseconds. */
  sinceMs: number;
  /** Since the entry before, if that is long enough to be shown. Milliseconds. */
  pauseMs?: number;
  tone: EntryTone;
}

export interface Timeline {
  entries: Entry[];
  traces: NumberedTrace[];
  /** The full length of a bar. Milliseconds. */
  longestMs: number;
}

const SHOWN_PAUSE_MS = 60_000;

/** The traceIds of a job, each once: its own, those of its bookings, and those of its events in the order given. */
export function traceIdsOf(job: Job, events: readonly Event[]): string[] {
  const own = [job.traceId, ...job.bookings.map(({ traceId }) => traceId)].filter((id) => id !== undefined);
  return [...new Set([...own, ...events.map(({ traceId }) => traceId)])];
}

/** The traceIds that steps refer to and that are not read yet: a requested change has a trace of its own. */
export function furtherTraceIds(traces: readonly Trace[]): string[] {
  const read = new Set(traces.map(({ traceId }) => traceId));
  const named = traces.flatMap(({ steps }) => steps).map(({ verdict }) => verdict.params.traceId);
  return [...new Set(named.filter((id) => id !== undefined))].filter((id) => !read.has(id));
}

/** Merges the traces in order of time; simultaneous steps keep the order of their trace. */
export function timelineOf(traces: readonly Trace[], events: readonly Event[], shiftId: string): Timeline {
  const own = traces
    // A provider may use one traceId for several shifts.
    .map(({ traceId, steps }) => ({ traceId, steps: steps.filter((step) => isOf(step, shiftId)) }))
    .filter(({ steps }) => steps.length > 0)
    .sort((one, other) => timeOf(one.steps[0]) - timeOf(other.steps[0]));
  const numbered = own.map((trace, place) => numberedTrace(trace, place + 1, events));
  const steps = own
    .flatMap((trace, place) => trace.steps.map((step) => ({ step, trace: numbered[place] as NumberedTrace })))
    .sort((one, other) => timeOf(one.step) - timeOf(other.step));
  const start = timeOf(steps[0]?.step);
  const entries = steps.map(({ step, trace }, place): Entry => {
    const pauseMs = place === 0 ? 0 : timeOf(step) - timeOf(steps[place - 1]?.step);
    return {
      step,
      trace,
      sinceMs: timeOf(step) - start,
      tone: toneOf(step.verdict),
      ...(pauseMs >= SHOWN_PAUSE_MS && { pauseMs }),
    };
  });
  const longestMs = Math.max(0, ...steps.map(({ step }) => step.durationMs ?? 0));
  return { entries, traces: numbered, longestMs };
}

const isOf = (step: TraceStep, shiftId: string) => step.shiftId === undefined || step.shiftId === shiftId;
const timeOf = (step: TraceStep | undefined) => (step ? Date.parse(step.at) : 0);

function numberedTrace({ traceId, steps }: Trace, number: number, events: readonly Event[]): NumberedTrace {
  const event = events.filter((each) => each.traceId === traceId).at(-1);
  const [first] = steps;
  const name = event?.event ?? (first ? outcomeText(first.verdict, first.step) : traceId);
  return { traceId, number, name, ...(event && { eventId: event.eventId }) };
}
