import type { Booking, Job } from "../../../generated/operations/types.ts";
import { bookingStatusText } from "../../contract/operator-text.ts";
import { type Names, useNames } from "../data/names.ts";
import { JobStatusBadges } from "../job/job-status.tsx";
import { nameOf, placeOf, workOf } from "../job/labels.ts";
import { Positions } from "../job/positions.tsx";
import { holdsSeat } from "../job/seats.ts";
import { clockSpan } from "./days.ts";

interface Props {
  job: Job;
  /** The job has just changed. */
  isMarked: boolean;
  tellsZone: boolean;
}

export function JobRow({ job, isMarked, tellsZone }: Props) {
  const names = useNames();
  const integration = names.integration(job.providerId);
  const zone = integration?.timeZone;
  return (
    <tr data-marked={isMarked}>
      <td data-label="Time">
        <span>
          <time dateTime={job.startTime} title={`${job.startTime} to ${job.endTime}`}>
            {clockSpan(job.startTime, job.endTime, zone)}
          </time>
          {tellsZone && zone && <small class="soft"> {zone}</small>}
        </span>
      </td>
      <td data-label="Work">
        <span>
          <a href={`/console/jobs/${job.jobId}`}>{workOf(job, names)}</a>
          <br />
          <span class="soft">{placeOf(job, names)}</span>
        </span>
      </td>
      <td data-label="Organisation">
        {integration?.name ?? <code title={job.providerId}>{job.providerId.slice(0, 8)}…</code>}
      </td>
      <td data-label="Positions">
        <Positions job={job} />
      </td>
      <td data-label="Booked">{bookedNames(job.bookings.filter(holdsSeat), names)}</td>
      <td data-label="Status">
        <JobStatusBadges job={job} />
      </td>
    </tr>
  );
}

const NAMED = 3;

/** `Elin Strand, Jonas Vik (waiting for the provider) and 2 more`. */
function bookedNames(bookings: readonly Booking[], names: Names): string {
  const named = bookings.slice(0, NAMED).map(({ candidateId, status }) => {
    const name = nameOf(candidateId, names);
    return status === "pending" ? `${name} (${bookingStatusText(status)})` : name;
  });
  const more = bookings.length - named.length;
  if (named.length === 0) return "none";
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
