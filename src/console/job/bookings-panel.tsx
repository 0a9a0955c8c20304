import type { Booking, Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { type Names, useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { ConfirmedAction } from "../parts/confirmed-action.tsx";
import { AcceptForm } from "./accept-form.tsx";
import { BookingState } from "./booking-status.tsx";
import { isOver, nameOf } from "./labels.ts";
import { holdsSeat } from "./seats.ts";

/** The bookings of a job, and the form that accepts for a candidate. */
export function BookingsPanel({ job }: { job: Job }) {
  const names = useNames();
  return (
    <section class="panel stack" aria-labelledby="bookings-title">
      <h2 id="bookings-title" tabIndex={-1}>
        Bookings
      </h2>
      {job.bookings.length === 0 ? (
        <p class="soft">No candidate has accepted this job yet.</p>
      ) : (
        <table class="cards" aria-labelledby="bookings-title">
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              <th scope="col">Status</th>
              <th scope="col">Trace</th>
              <th scope="col">
                <span class="unseen">Actions</span>
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
  const canWithdraw = holdsSeat(booking) && !booking.withdrawing && !isOver(job);
  return (
    <tr>
      <td data-label="Candidate">{nameOf(booking.candidateId, names)}</td>
      <td data-label="Status">
        <BookingState booking={booking} zone={names.integration(job.providerId)?.timeZone} />
      </td>
      <td data-label="Trace">
        <a href={`#trace-${booking.traceId}`} title={booking.traceId}>
          in the timeline
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
      ? `Withdrawal of ${name} requested. ${provider} has not confirmed yet.`
      : `${name} is withdrawn: ${provider} confirmed.`;
  };
  return (
    <ConfirmedAction
      label="Withdraw"
      of={name}
      title={`Withdraw ${name} from this job?`}
      confirm={`Withdraw ${name}`}
      act={withdraw}
      focusAfter="bookings-title"
    >
      <p>
        The platform asks {provider} to unassign {name}. After the confirmation the position is free, and the
        job is offered to available candidates.
      </p>
    </ConfirmedAction>
  );
}
