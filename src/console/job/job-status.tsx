import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { entryOf, jobStatusText } from "../../contract/operator-text.ts";
import { Badge, type Tone } from "../parts/badge.tsx";

const TONES = {
  blocked_mapping: "bad",
  open: "busy",
  filled: "good",
  cancelled: "plain",
  expired: "plain",
} satisfies Record<JobStatus, Tone>;

/** The status of a job, and its conditions. */
export function JobStatusBadges({ job }: { job: Job }) {
  return (
    <span class="badges">
      <Badge tone={entryOf<Tone>(TONES, job.status) ?? "plain"}>{jobStatusText(job.status)}</Badge>
      {job.cancelling && <Badge tone="warn">cancelling</Badge>}
      {job.overfilled && <Badge tone="bad">overfilled</Badge>}
    </span>
  );
}
