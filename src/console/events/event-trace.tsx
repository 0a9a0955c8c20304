import type { Event, TraceStep } from "../../../generated/operations/types.ts";
import { outcomeText, stepText } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { isAbout } from "../data/live.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { Shown } from "../parts/shown.tsx";
import { Time } from "../parts/time.tsx";
import { formatDuration } from "../parts/times.ts";
import { addressOf } from "./event-filter.ts";
import { type TimedStep, timedSteps } from "./trace-steps.ts";
import { useJobIds } from "./use-job-ids.ts";

/** Every step with the event's traceId. */
export function EventTrace({ event }: { event: Event }) {
  const { traceId, shiftId } = event;
  const jobId = useJobIds([event])(event);
  const query = useQuery(
    `trace ${traceId}`,
    () => ask(api.getTrace({ params: { path: { traceId } } })),
    // Messages about bookings and notifications name the job, all others the shift.
    (message) => isAbout(message, { shiftId, jobId }),
  );
  return (
    <section class="panel" aria-labelledby="trace">
      <h2 id="trace">Trace</h2>
      <Shown query={query} lines={6}>
        {({ steps }) => <Steps steps={steps} />}
      </Shown>
      <p class="event-links">
        <a href={addressOf({ traceId })}>Events of this trace</a>
      </p>
    </section>
  );
}

function Steps({ steps }: { steps: TraceStep[] }) {
  const jobId = steps.find((step) => step.jobId !== undefined)?.jobId;
  return (
    <>
      <ol class="event-trace">
        {timedSteps(steps).map((each, place) => (
          <Step key={place} {...each} />
        ))}
      </ol>
      {jobId !== undefined && (
        <p class="event-links">
          <a href={`/console/jobs/${jobId}`}>Job of this trace</a>
        </p>
      )}
    </>
  );
}

function Step({ step: { step, verdict, at, durationMs }, afterMs }: TimedStep) {
  const { traceId: other } = verdict.params;
  return (
    <li>
      <p class="row">
        <strong>{stepText(step)}</strong>
        {durationMs !== undefined && <span class="soft">took {formatDuration(durationMs)}</span>}
        <span class="soft push">
          <Time at={at} exact />
          {afterMs > 0 && ` +${formatDuration(afterMs)}`}
        </span>
      </p>
      <p class="event-outcome">{outcomeText(verdict, step)}</p>
      {other !== undefined && (
        <p>
          <a href={addressOf({ traceId: other })}>Continued in another trace</a>
        </p>
      )}
    </li>
  );
}
