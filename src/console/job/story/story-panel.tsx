import type { Event, Job, Trace } from "../../../../generated/operations/types.ts";
import { api } from "../../data/api.ts";
import { useNames } from "../../data/names.ts";
import { ask } from "../../data/trouble.ts";
import { useQuery } from "../../data/use-query.ts";
import { Empty, Shown } from "../../parts/shown.tsx";
import { StoryStep } from "./story-step.tsx";
import { furtherStories, type Story, storiesOf, type Timeline, timelineOf } from "./timeline.ts";
import "./story.css";

/** Each story is a call of its own; the latest are what somebody looks for. */
const MOST_STORIES = 30;

/** What happened to the job, step by step, from the first webhook on. */
export function StoryPanel({ job }: { job: Job }) {
  const { jobId, providerId, shiftId } = job;
  const { integration } = useNames();
  const query = useQuery(
    `story of ${jobId}`,
    () => readStory(job),
    ({ type, data }) => data.jobId === jobId || (type === "event" && data.shiftId === shiftId),
  );
  const zone = integration(providerId)?.timeZone;
  return (
    <section class="panel" aria-labelledby="story-title">
      <h2 id="story-title">Its story</h2>
      <Shown query={query} lines={12}>
        {({ timeline, isCut }) => (
          <>
            {isCut && <p class="notice">Only the latest {MOST_STORIES} stories of this job are shown.</p>}
            <Told timeline={timeline} zone={zone} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Told({
  timeline: { entries, stories, longestMs },
  zone,
}: {
  timeline: Timeline;
  zone: string | undefined;
}) {
  if (entries.length === 0) {
    return (
      <Empty title="Nothing is recorded of this job any more">
        <p>Steps are kept for a while only; the next thing that happens to it is shown here.</p>
      </Empty>
    );
  }
  const firsts = new Set(
    stories.map(({ traceId }) => entries.find(({ story }) => story.traceId === traceId)),
  );
  return (
    <div class="stack">
      <Legend stories={stories} zone={zone} />
      <ol class="timeline">
        {entries.map((entry, place) => (
          <StoryStep
            key={`${entry.story.traceId} ${place}`}
            entry={entry}
            longestMs={longestMs}
            zone={zone}
            {...(firsts.has(entry) && { id: `story-${entry.story.traceId}` })}
          />
        ))}
      </ol>
    </div>
  );
}

function Legend({ stories, zone }: { stories: readonly Story[]; zone: string | undefined }) {
  return (
    <div class="hint story-legend">
      <span>{stories.length === 1 ? "One story:" : `${stories.length} stories, each with its mark:`}</span>
      <ul>
        {stories.map(({ number, name, traceId, eventId }) => (
          <li key={traceId}>
            <span class="story-mark">{number}</span>{" "}
            {eventId ? <a href={`/console/events/${eventId}`}>{name}</a> : name}
          </li>
        ))}
      </ul>
      <span>
        Times since the first step, bars of what the provider was asked for on one scale
        {zone !== undefined && `; exact times in ${zone}`}.
      </span>
    </div>
  );
}

async function readStory(job: Job): Promise<{ timeline: Timeline; isCut: boolean }> {
  const { providerId, shiftId } = job;
  const query = { providerId, shiftId, limit: MOST_STORIES };
  const { items: events, nextCursor } = await ask(api.listEvents({ params: { query } }));
  const ids = storiesOf(job, events);
  const first = await readTraces(ids.slice(0, MOST_STORIES));
  const further = furtherStories(first).slice(0, MOST_STORIES);
  const traces = [...first, ...(await readTraces(further))];
  return {
    timeline: timelineOf(traces, events as Event[], shiftId),
    isCut: nextCursor !== undefined || ids.length > MOST_STORIES,
  };
}

function readTraces(traceIds: readonly string[]): Promise<Trace[]> {
  return Promise.all(traceIds.map((traceId) => ask(api.getTrace({ params: { path: { traceId } } }))));
}
