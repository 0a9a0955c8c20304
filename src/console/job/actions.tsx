import type { Job } from "../../../generated/operations/types.ts";
import { agreeing, counted } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { ConfirmedAction } from "../parts/confirmed-action.tsx";
import { ChangeJob } from "./change-job.tsx";
import { isOver } from "./labels.ts";
import { takenSeats } from "./seats.ts";

/** The actions on the job as a whole. */
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
  const { booked } = takenSeats(job);
  const cancel = async () => {
    const { status } = await ask(api.cancelJob({ params: { path: { jobId: job.jobId } } }));
    return status === "cancelled"
      ? "Job cancelled."
      : `Cancellation requested. The job is cancelled when ${provider} confirms.`;
  };
  return (
    <ConfirmedAction
      label="Cancel the job"
      title="Cancel this job?"
      confirm="Cancel the job"
      act={cancel}
      focusAfter="shift-title"
    >
      <p>This cannot be undone.</p>
      <ol class="effects">
        <li>
          The platform asks {provider} to delete the shift: <code>DELETE /shifts/{job.shiftId}</code>.
        </li>
        <li>The job takes no bookings from now on.</li>
        <li>
          When {provider} confirms, the job is cancelled
          {booked > 0
            ? `, and ${counted(booked, "booking")} ${agreeing(booked, "is", "are")} released. The candidates are notified.`
            : ". No candidate is booked."}
        </li>
        <li>If {provider} refuses, nothing changes, and an issue gives the reason.</li>
      </ol>
    </ConfirmedAction>
  );
}
