import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { Badge, type Tone } from "../parts/badge.tsx";

export const STATUS_WORDS: Record<JobStatus, { words: string; tone: Tone }> = {
  blocked_mapping: { words: "blocked: no mapping", tone: "bad" },
  open: { words: "open", tone: "busy" },
  filled: { words: "filled", tone: "good" },
  cancelled: { words: "cancelled", tone: "plain" },
  expired: { words: "expired", tone: "plain" },
};

/** The status, and what besides needs to be known of the job. */
export function JobStatusBadges({ job }: { job: Job }) {
  const { words, tone } = STATUS_WORDS[job.status];
  return (
    <span class="badges">
      <Badge tone={tone}>{words}</Badge>
      {job.cancelling && <Badge tone="warn">cancelling</Badge>}
      {job.overfilled && <Badge tone="bad">overfilled</Badge>}
    </span>
  );
}
