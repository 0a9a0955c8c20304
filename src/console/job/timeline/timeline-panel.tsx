import type { Event, Job, Trace } from "../../../../generated/operations/types.ts";
import { api } from "../../data/api.ts";
import { isAbout } from "../../data/live.ts";
import { useNames } from "../../data/names.ts";
import { ask } from "../../data/trouble.ts";
import { useQuery } from "../../data/use-query.ts";
import { Empty, Shown } from "../../parts/shown.tsx";
import { furtherTraceIds, type NumberedTrace, type Timeline, timelineOf, traceIdsOf } from "./timeline.ts";
import { TimelineEntry } from "./timeline-entry.tsx";
import "./timeline.css";

/** Each trace is a call; operators look for the latest. */
const MOST_TRACES = 30;

/** What happened to the job, step by step, from the first webhook. */
export function TimelinePanel({ job }: { job: Job }) {
  const { jobId, providerId, shiftId } = job;
  const { integration } = useNames();
  const query = useQuery(
    `timeline of ${jobId}`,
    () => readTimeline(job),
    (message) => isAbout(message, { jobId, ...(message.type === "event" && { shiftId }) }),
  );
  const zone = integration(providerId)?.timeZone;
  return (
    <section class="panel" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline</h2>
      <Shown query={query} lines={12}>
        {({ timeline, isCut }) => (
          <>
            {isCut && <p class="notice">Only the latest {MOST_TRACES} traces of this job are shown.</p>}
            <Entries timeline={timeline} zone={zone} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Entries({
  timeline: { entries, traces, longestMs },
  zone,
}: {
  timeline: Timeline;
  zone: string | undefined;
}) {
  if (entries.length === 0) {
    return (
      <Empty title="No steps are recorded any more">
        <p>Steps are kept for a limited time. New ones appear here.</p>
      </Empty>
    );
  }
  const firsts = new Set(traces.map(({ traceId }) => entries.find(({ trace }) => trace.traceId === traceId)));
  return (
    <div class="stack">
      <Legend traces={traces} zone={zone} />
      <ol class="timeline">
        {entries.map((entry, place) => (
          <TimelineEntry
            key={`${entry.trace.traceId} ${place}`}
            entry={entry}
            longestMs={longestMs}
            zone={zone}
            {...(firsts.has(entry) && { id: `trace-${entry.trace.traceId}` })}
          />
        ))}
      </ol>
    </div>
  );
}

function Legend({ traces, zone }: { traces: readonly NumberedTrace[]; zone: string | undefined }) {
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
      <span>
        Times count from the first step. Bars show the calls to the provider on one scale.
        {zone !== undefined && ` Exact times are in ${zone}.`}
      </span>
    </div>
  );
}

async function readTimeline(job: Job): Promise<{ timeline: Timeline; isCut: boolean }> {
  const { providerId, shiftId } = job;
  const query = { providerId, shiftId, limit: MOST_TRACES };
  const { items: events, nextCursor } = await ask(api.listEvents({ params: { query } }));
  const ids = traceIdsOf(job, events);
  const first = await readTraces(ids.slice(0, MOST_TRACES));
  const further = furtherTraceIds(first).slice(0, MOST_TRACES);
  const traces = [...first, ...(await readTraces(further))];
  return {
    timeline: timelineOf(traces, events as Event[], shiftId),
    isCut: nextCursor !== undefined || ids.length > MOST_TRACES,
  };
}

function readTraces(traceIds: readonly string[]): Promise<Trace[]> {
  return Promise.all(traceIds.map((traceId) => ask(api.getTrace({ params: { path: { traceId } } }))));
}
