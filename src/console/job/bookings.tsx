import { useState } from "preact/hooks";
import type { Booking, EndBooking, Job, JobCandidate } from "../../../generated/operations/types.ts";
import type { Column } from "../components/cells.tsx";
import { ActionButton, ConfirmedAction } from "../components/dialog.tsx";
import { ErrorBox, Section } from "../components/section.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { fullName, nameOf, useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { CandidatePicker } from "./candidate-picker.tsx";
import { holdsSeat, isOver } from "./job.ts";
import { BookingState } from "./statuses.tsx";

/** The bookings of a job, and the form that accepts for a candidate. */
export function Bookings({ job }: { job: Job }) {
  const names = useNames();
  const zone = names.integration(job.providerId)?.timeZone;
  const columns: Column<Booking>[] = [
    { name: "Candidate", cell: ({ candidateId }) => nameOf(candidateId, names, job.providerId) },
    { name: "Status", cell: (booking) => <BookingState booking={booking} zone={zone} /> },
    { name: "Trace", cell: (booking) => <TraceLink {...booking} /> },
    ...(may("withdrawBooking")
      ? [
          {
            name: "Actions",
            isActions: true,
            cell: (booking: Booking) => (
              <>
                <Withdraw job={job} booking={booking} />
                <End job={job} booking={booking} />
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section id="bookings" title="Bookings">
      {job.bookings.length === 0 ? (
        <p class="soft">No candidate has accepted this job yet.</p>
      ) : (
        <Table
          caption="Bookings"
          columns={columns}
          rows={job.bookings}
          keyOf={({ bookingId }) => bookingId}
        />
      )}
      {job.status === "open" && !job.cancelling && may("acceptJob") && <Accept job={job} />}
    </Section>
  );
}

function TraceLink({ traceId }: Booking) {
  return (
    <a href={`#trace-${traceId}`} title={traceId}>
      in the timeline
    </a>
  );
}

function Withdraw({ job, booking }: { job: Job; booking: Booking }) {
  const names = useNames();
  const { candidateId } = booking;
  const name = nameOf(candidateId, names, job.providerId);
  const provider = names.integration(job.providerId)?.name ?? "the provider";
  const withdraw = async () => {
    const call = api.withdrawBooking({ params: { path: { jobId: job.jobId, candidateId } } });
    await ask(call);
    const { response } = await call;
    return response.status === 202
      ? `Withdrawal of ${name} requested. ${provider} has not confirmed yet.`
      : `${name} is withdrawn: ${provider} confirmed.`;
  };
  if (!holdsSeat(booking) || booking.withdrawing || isOver(job)) return null;
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

const END_REASONS: Readonly<Record<EndBooking["reason"], string>> = {
  provider_refuses: "The provider refuses the withdrawal",
  provider_silent: "The provider does not answer",
  shift_implausible: "The shift is not believable",
  person_asks: "The person asks for it",
  other: "Another reason",
};

/** For a provider that does not take the candidate off. */
function End({ job, booking }: { job: Job; booking: Booking }) {
  const names = useNames();
  const [reason, setReason] = useState<EndBooking["reason"]>("provider_refuses");
  const { candidateId } = booking;
  const name = nameOf(candidateId, names, job.providerId);
  if (!holdsSeat(booking) || Date.parse(job.endTime) <= Date.now()) return null;
  return (
    <ConfirmedAction
      label="End"
      of={name}
      title={`End the booking of ${name} without the provider?`}
      confirm={`End the booking of ${name}`}
      act={async () => {
        const params = { path: { jobId: job.jobId, candidateId } };
        await ask(api.endBooking({ params, body: { reason } }));
        return `The booking of ${name} has ended.`;
      }}
      focusAfter="bookings-title"
    >
      <p>
        The booking ends now, and {name} is notified. The provider may still have {name} on the shift.
      </p>
      <label class="stack">
        Reason
        <select
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value as EndBooking["reason"])}
        >
          {Object.entries(END_REASONS).map(([code, text]) => (
            <option key={code} value={code}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </ConfirmedAction>
  );
}

/** Accepts on behalf of a candidate, for example after a phone call. */
function Accept({ job }: { job: Job }) {
  const [chosen, setChosen] = useState<JobCandidate>();
  const [accepted, setAccepted] = useState(0);
  const action = useAction(async (candidate: JobCandidate) => {
    const announcement = await accept(job, candidate);
    setChosen(undefined);
    setAccepted((before) => before + 1);
    return announcement;
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (chosen) void action.run(chosen);
  };
  return (
    <form class="stack accept" onSubmit={submit} aria-label="Accept for a candidate">
      <div class="row">
        <CandidatePicker key={accepted} {...{ job, chosen }} onChoose={setChosen} />
        <ActionButton action={action} tone="primary">
          {action.isRunning ? "Waiting for the provider …" : "Accept"}
        </ActionButton>
      </div>
      <p class="hint" role="status">
        {chosen ? `Accepts for ${fullName(chosen)}, ${chosen.personalNumber}.` : "Select a candidate."}
      </p>
      {action.error && <ErrorBox error={action.error} />}
    </form>
  );
}

/** Reserves the seat immediately. The provider confirms then or later; a refusal is thrown. */
async function accept({ jobId }: Job, candidate: JobCandidate): Promise<string> {
  const { candidateId } = candidate;
  const { status } = await ask(api.acceptJob({ params: { path: { jobId } }, body: { candidateId } }));
  const name = fullName(candidate);
  document.getElementById("bookings-title")?.focus();
  return status === "confirmed"
    ? `${name} is booked: the provider confirmed.`
    : `The seat is reserved for ${name}. The provider has not confirmed yet.`;
}
