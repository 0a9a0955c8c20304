import type { Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { BookingState } from "../job/booking-status.tsx";
import { JobStatusBadges } from "../job/job-status.tsx";
import { placeOf, workOf } from "../job/labels.ts";
import { More } from "../parts/more.tsx";
import { Shown } from "../parts/shown.tsx";
import { Span } from "../parts/time.tsx";

const PAGE = 20;

/** Every job that the person was booked for, the newest first. */
export function PersonBookings({ candidateId }: { candidateId: string }) {
  const pages = usePages(
    `bookings of ${candidateId}`,
    (cursor) => {
      const query = { candidateId, limit: PAGE, ...(cursor && { cursor }) };
      return ask(api.listJobs({ params: { query } }));
    },
    ({ type, data }) => type === "job" || (type === "booking" && data.candidateId === candidateId),
  );
  return (
    <section class="panel stack" aria-labelledby="bookings-title">
      <h2 id="bookings-title">Bookings</h2>
      <Shown query={pages} lines={4}>
        {(jobs) =>
          jobs.length === 0 ? (
            <p class="soft">The person has accepted no job yet.</p>
          ) : (
            <table class="cards" aria-labelledby="bookings-title">
              <thead>
                <tr>
                  <th scope="col">Job</th>
                  <th scope="col">Time</th>
                  <th scope="col">Booking</th>
                  <th scope="col">Job status</th>
                </tr>
              </thead>
              <tbody>
                {jobs.map((job) => (
                  <Row key={job.jobId} job={job} candidateId={candidateId} />
                ))}
              </tbody>
            </table>
          )
        }
      </Shown>
      <More pages={pages} />
    </section>
  );
}

function Row({ job, candidateId }: { job: Job; candidateId: string }) {
  const names = useNames();
  const zone = names.integration(job.providerId)?.timeZone;
  // A person who was withdrawn and accepted again has several; the last one counts.
  const booking = job.bookings.findLast((each) => each.candidateId === candidateId);
  return (
    <tr>
      <td data-label="Job">
        <span>
          <a href={`/console/jobs/${job.jobId}`}>{workOf(job, names)}</a>
          <br />
          <span class="soft">{placeOf(job, names)}</span>
        </span>
      </td>
      <td data-label="Time">
        <Span from={job.startTime} to={job.endTime} {...(zone !== undefined && { zone })} />
      </td>
      <td data-label="Booking">{booking && <BookingState booking={booking} zone={zone} />}</td>
      <td data-label="Job status">
        <JobStatusBadges job={job} />
      </td>
    </tr>
  );
}
