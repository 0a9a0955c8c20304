import type { Event } from "../../../generated/operations/types.ts";
import { eventStatusText, outcomeText } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { ShortId } from "../parts/short-id.tsx";
import { Time } from "../parts/time.tsx";
import { formatDuration } from "../parts/times.ts";
import { EventBadge } from "./event-badge.tsx";
import { tookMs } from "./event-status.ts";
import { useJobIds } from "./use-job-ids.ts";

/** A row for each event. Its name links to the event, its shift to the job. */
export function EventTable({ events }: { events: Event[] }) {
  const names = useNames();
  const jobIdOf = useJobIds(events);
  return (
    <div class="scroll">
      <table class="cards events">
        <caption class="unseen">Events, newest first</caption>
        <EventHead />
        <tbody>
          {events.map((event) => (
            <EventRow
              key={event.eventId}
              event={event}
              organisation={names.integration(event.providerId)?.name}
              jobId={jobIdOf(event)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EventHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Received</th>
        <th scope="col">Event</th>
        <th scope="col">Organisation</th>
        <th scope="col">Shift</th>
        <th scope="col">Status</th>
        <th scope="col">Outcome</th>
        <th scope="col" class="number">
          Attempts
        </th>
        <th scope="col" class="number">
          Took
        </th>
      </tr>
    </thead>
  );
}

interface RowProps {
  event: Event;
  organisation: string | undefined;
  jobId: string | undefined;
}

function EventRow({ event, organisation, jobId }: RowProps) {
  const took = tookMs(event);
  return (
    <tr>
      <td data-label="Received">
        <Time at={event.receivedAt} exact />
      </td>
      <td data-label="Event">
        <a href={`/console/events/${event.eventId}`}>{event.event}</a>
      </td>
      <td data-label="Organisation">{organisation ?? <ShortId id={event.providerId} />}</td>
      <td data-label="Shift">
        <ShortId id={event.shiftId} href={jobId && `/console/jobs/${jobId}`} />
      </td>
      <td data-label="Status" title={eventStatusText(event).meaning}>
        <EventBadge {...event} />
      </td>
      <td data-label="Outcome" class="event-outcome">
        {event.verdict ? outcomeText(event.verdict) : <span class="soft">none yet</span>}
      </td>
      <td data-label="Attempts" class="number">
        {event.attempts}
      </td>
      <td data-label="Took" class="number">
        {took === undefined ? <span class="soft">waiting</span> : formatDuration(took)}
      </td>
    </tr>
  );
}
