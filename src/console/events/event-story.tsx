import type { Event, TraceStep } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { Shown } from "../parts/shown.tsx";
import { Time } from "../parts/time.tsx";
import { formatDuration } from "../parts/times.ts";
import { addressOf } from "./event-filter.ts";
import { type StoryStep, storyOf } from "./story-steps.ts";
import { useJobIds } from "./use-job-ids.ts";

/** Everything that has the event's traceId, step by step. */
export function EventStory({ event }: { event: Event }) {
  const { traceId, shiftId } = event;
  const jobId = useJobIds([event])(event);
  const query = useQuery(
    `trace ${traceId}`,
    () => ask(api.getTrace({ params: { path: { traceId } } })),
    // Bookings and notifications name their job, everything else the shift.
    ({ data }) => data.shiftId === shiftId || (jobId !== undefined && data.jobId === jobId),
  );
  return (
    <section class="panel" aria-labelledby="story">
      <h2 id="story">Its story</h2>
      <Shown query={query} lines={6}>
        {({ steps }) => <Steps steps={steps} />}
      </Shown>
      <p class="event-links">
        <a href={addressOf({ traceId })}>Events of this story</a>
      </p>
    </section>
  );
}

function Steps({ steps }: { steps: TraceStep[] }) {
  const jobId = steps.find((step) => step.jobId !== undefined)?.jobId;
  return (
    <>
      <ol class="event-story">
        {storyOf(steps).map((each, place) => (
          <Step key={place} {...each} />
        ))}
      </ol>
      {jobId !== undefined && (
        <p class="event-links">
          <a href={`/console/jobs/${jobId}`}>The job of this story</a>
        </p>
      )}
    </>
  );
}

function Step({ step, name, afterMs }: StoryStep) {
  return (
    <li>
      <p class="row">
        <strong>{name}</strong>
        {step.durationMs !== undefined && <span class="soft">took {formatDuration(step.durationMs)}</span>}
        <span class="soft push">
          <Time at={step.at} exact />
          {afterMs > 0 && ` +${formatDuration(afterMs)}`}
        </span>
      </p>
      <p class="event-verdict">{step.verdict}</p>
    </li>
  );
}
