import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { jobStatusText } from "../../contract/operator-text.ts";
import { addressWith } from "../components/filter.ts";
import { FilterForm, OrganisationFilter, SelectFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Empty, QueryView } from "../components/query-view.tsx";
import { JobViews } from "../components/views.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import type { FeedData } from "./job-feed.ts";
import { JOB_FILTER, type JobFilter, matches, STATUSES } from "./job-list.ts";
import { JobTable } from "./job-table.tsx";
import { useJobFeed } from "./use-job-feed.ts";
import "./jobs.css";

const PATH = "/console/";

/** The active jobs, or those of a filter, kept up to date. */
export function JobsPage() {
  const { filter, set, ...filtering } = useFilter(PATH, JOB_FILTER);
  const feed = useJobFeed(filter);
  return (
    <>
      <PageHead title="Jobs">
        <JobViews providerId={filter.providerId} />
      </PageHead>
      <Counts filter={filter} jobs={feed.data?.jobs} />
      <FilterForm {...filtering}>
        <OrganisationFilter value={filter.providerId} onChange={set("providerId")} />
        <SelectFilter
          name="Status"
          value={filter.status}
          none="Active"
          options={STATUSES.map((status) => [status, jobStatusText(status)])}
          onChange={set("status")}
        />
      </FilterForm>
      <QueryView query={feed} lines={12}>
        {(data) => <Jobs filter={filter} isFiltered={filtering.isFiltered} {...data} />}
      </QueryView>
    </>
  );
}

interface JobsProps extends FeedData {
  filter: JobFilter;
  isFiltered: boolean;
}

function Jobs({ filter, isFiltered, jobs, changed, isTruncated }: JobsProps) {
  // A job that has just left the filter stays while it is marked, so that the operator sees why.
  const shown = [...jobs.values()].filter((job) => matches(job, filter) || changed.has(job.jobId));
  if (shown.length === 0) return <NoJobs isFiltered={isFiltered} />;
  return (
    <>
      <JobTable key={addressWith(PATH, filter)} jobs={shown} changed={changed} />
      {isTruncated && (
        <p class="notice">
          Only the newest 1,000 jobs of each status are shown. Select an organisation to see all of its jobs.
        </p>
      )}
    </>
  );
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  const { integrations, areLoaded } = useNames();
  if (areLoaded && integrations.length === 0) {
    return (
      <Empty title="No organisation yet">
        <p>
          <a href="/console/integrations/new">Register the first one</a>. Its open shifts become jobs here.
        </p>
      </Empty>
    );
  }
  if (isFiltered) {
    return (
      <Empty title="No job matches the filters">
        <p>
          <a href={PATH}>Show all active jobs</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No active jobs">
      <p>A shift that a provider opens appears here within moments.</p>
    </Empty>
  );
}

interface CountsProps {
  filter: JobFilter;
  jobs: ReadonlyMap<string, Job> | undefined;
}

const COUNTED = [
  ["open", "Open"],
  ["filled", "Filled"],
  ["blocked_mapping", "Blocked"],
] as const satisfies readonly [JobStatus, string][];

/** The numbers of jobs and issues; each links to what it counts. */
function Counts({ filter, jobs }: CountsProps) {
  const count = (status: JobStatus) =>
    jobs && [...jobs.values()].filter((job) => job.status === status).length;
  return (
    <ul class="counts" aria-label="Job counts">
      {COUNTED.map(([status, name]) => (
        <Count
          key={status}
          name={name}
          href={addressWith(PATH, { ...filter, status })}
          isCurrent={filter.status === status}
          value={count(status)}
        />
      ))}
      <OpenIssues providerId={filter.providerId} />
    </ul>
  );
}

const MANY = 200;

function OpenIssues({ providerId }: { providerId: string | undefined }) {
  const query = { limit: MANY, ...(providerId && { providerId }) };
  const { data } = useQuery(
    `issues of ${providerId}`,
    () => ask(api.listIssues({ params: { query } })),
    ({ type }) => type === "issue",
  );
  const value = data && (data.nextCursor ? `${data.items.length}+` : data.items.length);
  const href = addressWith("/console/issues", { providerId });
  return <Count name="Open issues" href={href} value={value} isBad={value !== undefined && value !== 0} />;
}

interface CountProps {
  name: string;
  href: string;
  /** Undefined while it is not known. */
  value: number | string | undefined;
  isCurrent?: boolean;
  isBad?: boolean;
}

function Count({ name, href, value, isCurrent = false, isBad = false }: CountProps) {
  return (
    <li>
      <a href={href} data-bad={isBad} {...(isCurrent && { "aria-current": "true" as const })}>
        <strong>{value ?? "–"}</strong> {name}
      </a>
    </li>
  );
}
