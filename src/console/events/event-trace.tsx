import type { Event, TraceStep } from "../../../generated/operations/types.ts";
import { outcomeText, stepText } from "../../contract/operator-text.ts";
import { QueryView } from "../components/query-view.tsx";
import { Section } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { formatDuration } from "../components/times.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { isAbout } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { eventsAddress, type TimedStep, timedSteps } from "./event.ts";
import { useJobIds } from "./use-job-ids.ts";

/** Every step with the event's traceId. */
export function EventTrace({ event }: { event: Event }) {
  const { traceId, shiftId, providerId } = event;
  const jobId = useJobIds([event])(event);
  const query = useQuery(
    `trace ${traceId}`,
    () => ask(api.getTrace({ params: { path: { traceId } } })),
    // Messages about bookings and notifications name the job, all others the shift.
    (message) => isAbout(message, { shiftId, jobId }),
  );
  const zone = useNames().integration(providerId)?.timeZone;
  return (
    <Section id="trace" title="Trace">
      <QueryView query={query} lines={6}>
        {({ steps }) => <Steps steps={steps} zone={zone} />}
      </QueryView>
      <p class="event-links">
        <a href={eventsAddress({ traceId })}>Events of this trace</a>
      </p>
    </Section>
  );
}

function Steps({ steps, zone }: { steps: TraceStep[]; zone: string | undefined }) {
  const jobId = steps.find((step) => step.jobId !== undefined)?.jobId;
  return (
    <>
      <ol class="event-trace">
        {timedSteps(steps).map((each, place) => (
          <Step key={place} {...each} zone={zone} />
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

function Step({
  step: { step, verdict, at, durationMs },
  afterMs,
  zone,
}: TimedStep & { zone: string | undefined }) {
  const { traceId: other } = verdict.params;
  return (
    <li>
      <p class="row">
        <strong>{stepText(step)}</strong>
        {durationMs !== undefined && <span class="soft">took {formatDuration(durationMs)}</span>}
        <span class="soft push">
          <Time at={at} exact zone={zone} />
          {afterMs > 0 && ` +${formatDuration(afterMs)}`}
        </span>
      </p>
      <p>{outcomeText(verdict, step)}</p>
      {other !== undefined && (
        <p>
          <a href={eventsAddress({ traceId: other })}>Continued in another trace</a>
        </p>
      )}
    </li>
  );
}
