import type { Event } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { Time } from "../parts/time.tsx";
import { formatDuration } from "../parts/times.ts";
import { addressOf } from "./event-filter.ts";
import { tookMs } from "./event-status.ts";
import { useJobIds } from "./use-job-ids.ts";

/** The properties of an event, with links to its shift and job. */
export function EventFacts({ event }: { event: Event }) {
  const { eventId, providerId, shiftId, traceId, attempts, receivedAt, processedAt } = event;
  const integration = useNames().integration(providerId);
  const took = tookMs(event);
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">
        <dt>Organisation</dt>
        <dd>
          <a href={`/console/integrations/${providerId}`}>{integration?.name ?? providerId}</a>
        </dd>
        <dt>Shift</dt>
        <dd>
          <code>{shiftId}</code>
          <ShiftLinks event={event} />
        </dd>
        <dt>Received</dt>
        <dd>
          <Time at={receivedAt} exact />
        </dd>
        <dt>Processed</dt>
        <dd>
          {processedAt === undefined ? "not yet" : <Time at={processedAt} exact />}
          {took !== undefined && `, after ${formatDuration(took)}`}
        </dd>
        <dt>Attempts</dt>
        <dd>{attempts}</dd>
        <dt>Event id</dt>
        <dd>
          <code>{eventId}</code>
        </dd>
        <dt>Trace id</dt>
        <dd>
          <code>{traceId}</code>
        </dd>
      </dl>
    </section>
  );
}

function ShiftLinks({ event: { providerId, shiftId } }: { event: Event }) {
  const jobId = useJobIds([{ providerId, shiftId }])({ providerId, shiftId });
  return (
    <span class="row event-links">
      {jobId !== undefined && <a href={`/console/jobs/${jobId}`}>Job of the shift</a>}
      <a href={addressOf({ providerId, shiftId })}>Events of the shift</a>
    </span>
  );
}
