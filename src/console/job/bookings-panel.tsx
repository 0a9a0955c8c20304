import type { Booking, Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { type Names, useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { Badge } from "../parts/badge.tsx";
import { AcceptForm } from "./accept-form.tsx";
import { ConfirmedAction } from "./confirmed-action.tsx";
import { BOOKING_WORDS, holdsSeat, inWords, isOver, nameOf } from "./words.ts";

/** Who is booked, who was, and who may be. */
export function BookingsPanel({ job }: { job: Job }) {
  const names = useNames();
  return (
    <section class="panel stack" aria-labelledby="bookings-title">
      <h2 id="bookings-title" tabIndex={-1}>
        Bookings
      </h2>
      {job.bookings.length === 0 ? (
        <p class="soft">Nobody has accepted this job yet.</p>
      ) : (
        <table class="cards" aria-labelledby="bookings-title">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col">Status</th>
              <th scope="col">Story</th>
              <th scope="col">
                <span class="unseen">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {job.bookings.map((booking) => (
              <BookingRow key={booking.bookingId} job={job} booking={booking} names={names} />
            ))}
          </tbody>
        </table>
      )}
      {job.status === "open" && !job.cancelling && <AcceptForm job={job} />}
    </section>
  );
}

function BookingRow({ job, booking, names }: { job: Job; booking: Booking; names: Names }) {
  const { words, tone } = BOOKING_WORDS[booking.status];
  const canWithdraw = holdsSeat(booking) && !isOver(job);
  return (
    <tr>
      <td data-label="Candidate">{nameOf(booking.candidateId, names)}</td>
      <td data-label="Status">
        <span>
          <Badge tone={tone}>{words}</Badge>{" "}
          {booking.reason && <span class="soft">{inWords(booking.reason)}</span>}
        </span>
      </td>
      <td data-label="Story">
        <a href={`#story-${booking.traceId}`} title={booking.traceId}>
          its story
        </a>
      </td>
      <td data-label="">{canWithdraw && <Withdraw job={job} booking={booking} names={names} />}</td>
    </tr>
  );
}

function Withdraw({
  job: { jobId, providerId },
  booking,
  names,
}: {
  job: Job;
  booking: Booking;
  names: Names;
}) {
  const { candidateId } = booking;
  const name = nameOf(candidateId, names);
  const provider = names.integration(providerId)?.name ?? "the provider";
  const withdraw = async () => {
    const call = api.withdrawBooking({ params: { path: { jobId, candidateId } } });
    await ask(call);
    const { response } = await call;
    return response.status === 202
      ? `${provider} was asked to unassign ${name}, and has not confirmed yet.`
      : `${name} is off the job: ${provider} confirmed.`;
  };
  return (
    <ConfirmedAction
      label="Withdraw"
      of={name}
      title={`Take ${name} off this job?`}
      confirm={`Withdraw ${name}`}
      act={withdraw}
      focusAfter="bookings-title"
    >
      <p>
        {provider} is told to unassign {name}. Once it confirms, the position is free again, and others who
        fit are offered the job.
      </p>
    </ConfirmedAction>
  );
}
