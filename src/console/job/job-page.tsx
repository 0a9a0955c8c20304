import { useRoute } from "preact-iso";
import type { Job } from "../../../generated/operations/types.ts";
import { agreeing, counted } from "../../contract/operator-text.ts";
import { ConfirmedAction } from "../components/dialog.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, QueryView } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import type { StreamMessage } from "../data/live.ts";
import { placeOf, useNames, workOf } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { JobIssues } from "../issues/issue-list.tsx";
import { Bookings } from "./bookings.tsx";
import { ChangeJob } from "./change-job.tsx";
import { isOver, takenSeats } from "./job.ts";
import { JobFacts, OwnPeople } from "./job-facts.tsx";
import { Notifications } from "./notifications.tsx";
import { Staffing } from "./staffing.tsx";
import { JobStatusBadges } from "./statuses.tsx";
import { TimelineSection } from "./timeline-section.tsx";
import "./job.css";
import { may } from "../session/me.ts";

const JOBS = { href: "/console/", name: "Jobs" };

/** One job: its bookings, its staffing, its timeline, and its actions. */
export function JobPage() {
  const { jobId = "" } = useRoute().params;
  const query = useQuery(
    `job ${jobId}`,
    () => ask(api.getJob({ params: { path: { jobId } } })),
    (message) => isOfJob(message, jobId),
  );
  const { status } = query.error ?? {};
  if (status === 404 || status === 400) return <NoSuchJob jobId={jobId} />;
  return (
    <>
      {!query.data && <PageHead title="Job" within={JOBS} />}
      <QueryView query={query} lines={16}>
        {(job) => <JobSections key={job.jobId} job={job} />}
      </QueryView>
    </>
  );
}

const isOfJob = ({ type, data }: StreamMessage, jobId: string) =>
  (type === "job" || type === "booking") && data.jobId === jobId;

function JobSections({ job }: { job: Job }) {
  const names = useNames();
  const zone = names.integration(job.providerId)?.timeZone;
  return (
    <>
      <PageHead title={`${workOf(job, names)}, ${placeOf(job, names)}`} within={JOBS}>
        <JobStatusBadges job={job} />
        {!isOver(job) && <Actions job={job} />}
      </PageHead>
      <div class="stack job">
        <div class="columns">
          <div class="stack">
            <JobIssues jobId={job.jobId} />
            <JobFacts job={job} />
            <Bookings job={job} />
            {job.ownPeopleCount > 0 && <OwnPeople job={job} />}
          </div>
          <div class="stack">
            <Staffing job={job} zone={zone} />
            <Notifications
              of={{ jobId: job.jobId }}
              providerId={job.providerId}
              zone={zone}
              empty="None yet. Matching candidates are notified when the job is open."
            />
          </div>
        </div>
        <TimelineSection job={job} />
      </div>
    </>
  );
}

function Actions({ job }: { job: Job }) {
  const integration = useNames().integration(job.providerId);
  return (
    <span class="row push">
      {integration && may("changeJob") && <ChangeJob job={job} zone={integration.timeZone} />}
      {!job.cancelling && may("cancelJob") && (
        <CancelJob job={job} provider={integration?.name ?? "the provider"} />
      )}
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
        <li>The platform asks {provider} to delete the shift.</li>
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

function NoSuchJob({ jobId }: { jobId: string }) {
  return (
    <>
      <PageHead title="Job not found" within={JOBS} />
      <Empty title="No job has this id">
        <p>
          Check the id <code>{jobId}</code>, or see the <a href="/console/">list of jobs</a>.
        </p>
      </Empty>
    </>
  );
}
