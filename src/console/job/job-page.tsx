import { useRoute } from "preact-iso";
import type { Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import type { StreamMessage } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { Actions } from "./actions.tsx";
import { BookingsPanel } from "./bookings-panel.tsx";
import { FactsPanel } from "./facts-panel.tsx";
import { JobStatusBadges } from "./job-status.tsx";
import { placeOf, workOf } from "./labels.ts";
import { NotificationsPanel } from "./notifications-panel.tsx";
import { OwnPeoplePanel } from "./own-people-panel.tsx";
import { TimelinePanel } from "./timeline/timeline-panel.tsx";
import { WhyPanel } from "./why-panel.tsx";
import "./job.css";

const BOARD = { href: "/console/", name: "Board" };

/** One job: its bookings, why it is not staffed, its timeline, and its actions. */
export function JobPage() {
  const { jobId = "" } = useRoute().params;
  const query = useQuery(
    `job ${jobId}`,
    () => ask(api.getJob({ params: { path: { jobId } } })),
    (message) => isOfJob(message, jobId),
  );
  const { status } = query.trouble ?? {};
  if (status === 404 || status === 400) return <NoSuchJob jobId={jobId} />;
  return (
    <>
      {!query.data && <PageHead title="Job" within={BOARD} />}
      <Shown query={query} lines={16}>
        {(job) => <JobParts key={job.jobId} job={job} />}
      </Shown>
    </>
  );
}

const isOfJob = ({ type, data }: StreamMessage, jobId: string) =>
  (type === "job" || type === "booking") && data.jobId === jobId;

function JobParts({ job }: { job: Job }) {
  const names = useNames();
  return (
    <>
      <PageHead title={`${workOf(job, names)}, ${placeOf(job, names)}`} within={BOARD}>
        <JobStatusBadges job={job} />
        <Actions job={job} />
      </PageHead>
      <div class="stack job">
        <div class="columns">
          <div class="stack">
            <FactsPanel job={job} />
            <BookingsPanel job={job} />
            {job.ownPeopleCount > 0 && <OwnPeoplePanel job={job} />}
          </div>
          <div class="stack">
            <WhyPanel job={job} />
            <NotificationsPanel job={job} />
          </div>
        </div>
        <TimelinePanel job={job} />
      </div>
    </>
  );
}

function NoSuchJob({ jobId }: { jobId: string }) {
  return (
    <>
      <PageHead title="Job not found" within={BOARD} />
      <Empty title="No job has this id">
        <p>
          Check the id <code>{jobId}</code>. The <a href="/console/">board</a> lists the jobs.
        </p>
      </Empty>
    </>
  );
}
