import type { Job, Trace, TraceStep } from "../../../generated/operations/types.ts";
import { outcomeText, stepText, warningText } from "../../contract/operator-text.ts";
import { Facts } from "../components/facts.tsx";
import { Empty, QueryView } from "../components/query-view.tsx";
import { Section } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { clockOf, formatDuration } from "../components/times.ts";
import { shownZone } from "../components/zone.ts";
import { api } from "../data/api.ts";
import { ask, errorOf } from "../data/errors.ts";
import { isAbout } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { type Entry, furtherTraceIds, type Timeline, timelineOf, traceIdsOf } from "./timeline.ts";
import "./timeline.css";

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
  const first = await readTraces(ids.slice(0, MOST_TRACES));
  const further = furtherTraceIds(first).slice(0, MOST_TRACES);
  const traces = [...first, ...(await readTraces(further))];
  return {
    timeline: timelineOf(traces, events, shiftId),
    isTruncated: nextCursor !== undefined || ids.length > MOST_TRACES,
  };
}

function readTraces(traceIds: readonly string[]): Promise<Trace[]> {
  return Promise.all(traceIds.map(readTrace));
}

/** Without steps once they are older than the platform keeps them. */
async function readTrace(traceId: string): Promise<Trace> {
  try {
    return await ask(api.getTrace({ params: { path: { traceId } } }));
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
