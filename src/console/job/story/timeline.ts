import type { Event, Job, Trace, TraceStep } from "../../../../generated/operations/types.ts";

/** One of the stories that a job has: its own, and that of each event and change. */
export interface Story {
  traceId: string;
  /** From 1, in order of their beginning. */
  number: number;
  /** What it began with: `shift.update`, `change requested`. */
  name: string;
  /** The event that it began with, when it was one. */
  eventId?: string;
}

export interface Entry {
  step: TraceStep;
  story: Story;
  /** Since the first step of all. Milliseconds. */
  sinceMs: number;
  /** Since the step before, when nothing happened for so long that it is worth a word. Milliseconds. */
  pauseMs?: number;
  tone: "echo" | "bad" | "warn" | "good" | "plain";
}

export interface Timeline {
  entries: Entry[];
  stories: Story[];
  /** What the bars are measured by. Milliseconds. */
  longestMs: number;
}

const WORTH_A_WORD_MS = 60_000;

/** The traceIds of what is known of a job, each once: its own story and its bookings' first, then the events', the newest first. */
export function storiesOf(job: Job, events: readonly Event[]): string[] {
  const own = [job.traceId, ...job.bookings.map(({ traceId }) => traceId)].filter((id) => id !== undefined);
  return [...new Set([...own, ...events.map(({ traceId }) => traceId)])];
}

/** A change of ours is a story of its own, which the job's story names. */
export function furtherStories(traces: readonly Trace[]): string[] {
  const read = new Set(traces.map(({ traceId }) => traceId));
  const named = traces.flatMap(({ steps }) => steps).map(({ detail }) => detail?.traceId);
  return [...new Set(named.filter((id) => typeof id === "string"))].filter((id) => !read.has(id));
}

/** The stories as one, in order of time; what happened at once stays in the order of its story. */
export function timelineOf(traces: readonly Trace[], events: readonly Event[], shiftId: string): Timeline {
  const told = traces
    // A provider may use a traceId for more than one shift.
    .map(({ traceId, steps }) => ({ traceId, steps: steps.filter((step) => isOf(step, shiftId)) }))
    .filter(({ steps }) => steps.length > 0)
    .sort((one, other) => timeOf(one.steps[0]) - timeOf(other.steps[0]));
  const stories = told.map((trace, place) => storyOf(trace, place + 1, events));
  const steps = told
    .flatMap((trace, place) => trace.steps.map((step) => ({ step, story: stories[place] as Story })))
    .sort((one, other) => timeOf(one.step) - timeOf(other.step));
  const start = timeOf(steps[0]?.step);
  const entries = steps.map(({ step, story }, place): Entry => {
    const pauseMs = place === 0 ? 0 : timeOf(step) - timeOf(steps[place - 1]?.step);
    return {
      ...{ step, story, sinceMs: timeOf(step) - start, tone: toneOf(step) },
      ...(pauseMs >= WORTH_A_WORD_MS && { pauseMs }),
    };
  });
  return { entries, stories, longestMs: Math.max(0, ...steps.map(({ step }) => step.durationMs ?? 0)) };
}

const isOf = (step: TraceStep, shiftId: string) => step.shiftId === undefined || step.shiftId === shiftId;
const timeOf = (step: TraceStep | undefined) => (step ? Date.parse(step.at) : 0);

function storyOf({ traceId, steps }: Trace, number: number, events: readonly Event[]): Story {
  const began = events.filter((event) => event.traceId === traceId).at(-1);
  const name = began?.event ?? steps[0]?.verdict ?? traceId;
  return { traceId, number, name, ...(began && { eventId: began.eventId }) };
}

/** The words of a verdict are the platform's own (operations document, "traces"). */
function toneOf({ step, verdict }: TraceStep): Entry["tone"] {
  if (/\becho\b/.test(verdict)) return "echo";
  if (/again|waits|blocked|expired/.test(verdict)) return "warn";
  if (/fail|refus|dead|kept the shift/.test(verdict)) return "bad";
  if (/confirmed/.test(verdict) || (step === "job" && /: filled$/.test(verdict))) return "good";
  return "plain";
}
