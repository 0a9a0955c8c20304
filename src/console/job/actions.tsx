import type { Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { ChangeJob } from "./change-job.tsx";
import { ConfirmedAction } from "./confirmed-action.tsx";
import { holdsSeat, isOver, people } from "./words.ts";

/** What can be done to the job as a whole. */
export function Actions({ job }: { job: Job }) {
  const names = useNames();
  const integration = names.integration(job.providerId);
  if (isOver(job)) return null;
  return (
    <span class="row push">
      {integration && <ChangeJob job={job} zone={integration.timeZone} />}
      {!job.cancelling && <CancelJob job={job} provider={integration?.name ?? "the provider"} />}
    </span>
  );
}

function CancelJob({ job, provider }: { job: Job; provider: string }) {
  const booked = job.bookings.filter(holdsSeat).length;
  const cancel = async () => {
    const { status } = await ask(api.cancelJob({ params: { path: { jobId: job.jobId } } }));
    return status === "cancelled"
      ? "The job is cancelled."
      : `${provider} is being told; the job is cancelled once it confirms.`;
  };
  return (
    <ConfirmedAction
      label="Cancel the job"
      title="Cancel this job?"
      confirm="Cancel the job"
      act={cancel}
      focusAfter="shift-title"
    >
      <p>This cannot be taken back. When you cancel it:</p>
      <ol class="effects">
        <li>
          {provider} is asked to delete the shift: <code>DELETE /shifts/{job.shiftId}</code>.
        </li>
        <li>Nobody can accept the job meanwhile.</li>
        <li>
          Once it confirms, the job is cancelled
          {booked > 0
            ? `, the ${booked === 1 ? "booking is" : `${booked} bookings are`} released, and ${people(booked)} ${booked === 1 ? "is" : "are"} told.`
            : "; nobody is booked, so nobody is told."}
        </li>
        <li>If it refuses, everything stays as it is, and an issue says why.</li>
      </ol>
    </ConfirmedAction>
  );
}
