import "./timeline.css";
import type { Event, Job, Trace, TraceStep } from "../../../generated/operations/types.ts";
import { outcomeText, stepText, warningText } from "../../contract/operator-text.ts";
import { Facts } from "../components/cells.tsx";
import { Section } from "../components/section.tsx";
import { Empty, QueryView } from "../components/table.tsx";
import { clockOf, formatDuration, shownZone, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask, errorOf } from "../data/errors.ts";
import { isAbout } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { type EntryTone, toneOf } from "./job.ts";

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

/** Each trace is a call; operators look for the latest. */
const MOST_TRACES = 30;

/** What happened to the job, step by step, from the first webhook. */
export function TimelineSection({ job }: { job: Job }) {
  const { jobId, providerId, shiftId } = job;
  const zone = useNames().integration(providerId)?.timeZone;
  const query = useQuery(
    `timeline of ${jobId}`,
    () => readTimeline(job),
    (message) => isAbout(message, { jobId, ...(message.type === "event" && { shiftId }) }),
  );
  return (
    <Section id="timeline" title="Timeline">
      <QueryView query={query} lines={12}>
        {({ timeline, isTruncated }) => (
          <>
            {isTruncated && <p class="notice">Only the latest {MOST_TRACES} traces of this job are shown.</p>}
            <Entries timeline={timeline} zone={zone} />
          </>
        )}
      </QueryView>
    </Section>
  );
}

async function readTimeline(job: Job): Promise<{ timeline: Timeline; isTruncated: boolean }> {
  const { providerId, shiftId } = job;
  const query = { providerId, shiftId, limit: MOST_TRACES };
  const { items: events, nextCursor } = await ask(api.listEvents({ params: { query } }));
  const ids = traceIdsOf(job, events);
  const readTraces = (some: readonly string[]) => Promise.all(some.map((id) => readTrace(id, providerId)));
  const first = await readTraces(ids.slice(0, MOST_TRACES));
  const further = furtherTraceIds(first).slice(0, MOST_TRACES);
  const traces = [...first, ...(await readTraces(further))];
  return {
    timeline: timelineOf(traces, events, shiftId),
    isTruncated: nextCursor !== undefined || ids.length > MOST_TRACES,
  };
}

/** Without steps once they are older than the platform keeps them. */
async function readTrace(traceId: string, providerId: string): Promise<Trace> {
  try {
    return await ask(api.getTrace({ params: { path: { traceId }, query: { providerId } } }));
  } catch (error) {
    if (errorOf(error).code !== "trace_not_found") throw error;
    return { traceId, steps: [] };
  }
}

interface TimelineProps {
  timeline: Timeline;
  zone: string | undefined;
}

function Entries({ timeline, zone }: TimelineProps) {
  const { entries, longestMs } = timeline;
  if (entries.length === 0) {
    return (
      <Empty title="No steps are recorded any more">
        <p>Steps are kept for a limited time. New ones appear here.</p>
      </Empty>
    );
  }
  const isFirst = (entry: Entry) => entry === entries.find(({ trace }) => trace === entry.trace);
  return (
    <>
      <Legend timeline={timeline} zone={zone} />
      <ol class="timeline">
        {entries.map((entry, place) => (
          <TimelineEntry
            key={`${entry.trace.traceId} ${place}`}
            entry={entry}
            longestMs={longestMs}
            zone={zone}
            id={isFirst(entry) ? `trace-${entry.trace.traceId}` : undefined}
          />
        ))}
      </ol>
    </>
  );
}

function Legend({ timeline: { traces }, zone }: TimelineProps) {
  return (
    <div class="hint timeline-legend">
      <span>{traces.length === 1 ? "One trace:" : `${traces.length} traces:`}</span>
      <ul>
        {traces.map(({ number, name, traceId, eventId }) => (
          <li key={traceId}>
            <span class="trace-number">{number}</span>{" "}
            {eventId ? <a href={`/console/events/${eventId}`}>{name}</a> : name}
          </li>
        ))}
      </ul>
      <span>Bars show the calls to the provider on one scale.{` Times are in ${shownZone(zone)}.`}</span>
    </div>
  );
}

interface EntryProps {
  entry: Entry;
  /** The target of links to the trace. */
  id: string | undefined;
  longestMs: number;
  zone: string | undefined;
}

function TimelineEntry({ entry, id, longestMs, zone }: EntryProps) {
  const { step, trace, sinceMs, pauseMs, tone } = entry;
  const name = stepText(step.step);
  return (
    <>
      {pauseMs !== undefined && <li class="pause">{formatDuration(pauseMs)} later</li>}
      <li data-tone={tone} id={id} tabIndex={id === undefined ? undefined : -1}>
        <time class="since" dateTime={step.at} title={`${formatDuration(sinceMs)} after the first step`}>
          {clockOf(step.at, zone)}
        </time>
        <span class="trace-number" title={`Trace ${trace.number}: ${trace.name}, ${trace.traceId}`}>
          {trace.number}
        </span>
        <span class="step">{name}</span>
        <span class="outcome">
          {outcomeText(step.verdict, step.step)}
          {step.operator !== undefined && <span class="soft">, by {step.operator}</span>}
        </span>
        <Bar ms={step.durationMs} longestMs={longestMs} />
        <details>
          <summary>
            <span class="visually-hidden">{`${name}: `}</span>details
          </summary>
          <Details step={step} traceId={trace.traceId} zone={zone} />
        </details>
      </li>
    </>
  );
}

/** The duration of a measured step: the calls to the provider. */
function Bar({ ms, longestMs }: { ms: number | undefined; longestMs: number }) {
  if (ms === undefined) return <span class="took" />;
  return (
    <span class="took">
      <span class="duration" aria-hidden="true">
        <span style={{ inlineSize: `max(2px, ${(100 * ms) / Math.max(ms, longestMs)}%)` }} />
      </span>
      {formatDuration(ms)}
    </span>
  );
}

function Details({ step, traceId, zone }: { step: TraceStep; traceId: string; zone: string | undefined }) {
  const { warnings = [] } = step.verdict.params;
  return (
    <Facts
      of={{
        At: <Time at={step.at} exact zone={zone} />,
        Trace: <code>{traceId}</code>,
        Warnings: warnings.length > 0 ? warnings.map(warningText).join("; ") : undefined,
      }}
    />
  );
}
