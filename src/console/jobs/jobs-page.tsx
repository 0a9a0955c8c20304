import "./jobs.css";
import type { Count as BoundedCount, JobCounts } from "../../../generated/operations/types.ts";
import { jobStatusText } from "../../contract/operator-text.ts";
import {
  addressWith,
  CompetenceFilter,
  DayFilter,
  FilterForm,
  JobViews,
  OrganisationFilter,
  SelectFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead, RegisterFirst } from "../components/section.tsx";
import { Empty, QueryView } from "../components/table.tsx";
import { countText, formatCount } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useIssueCounts } from "../data/issue-counts.ts";
import { useNames } from "../data/names.ts";
import type { PageQuery } from "../data/pages.ts";
import { useQuery } from "../data/use-query.ts";
import { type FeedData, useJobFeed } from "./job-feed.ts";
import {
  isAbout,
  isLatestFirst,
  JOB_FILTER,
  type JobFilter,
  type JobLookups,
  JobTable,
  matches,
  queryOf,
  STATUSES,
} from "./job-table.tsx";

const PATH = "/console/";

const NEEDED = [
  ["soon", "People within 24 hours"],
  ["people", "People"],
  ["confirmation", "Confirmation by the provider"],
] as const satisfies readonly (readonly [NonNullable<JobFilter["needs"]>, string])[];

/** The active jobs, or those of a filter, kept up to date. */
export function JobsPage() {
  const { filter, set, ...filtering } = useFilter(PATH, JOB_FILTER);
  const names = useNames();
  const lookups: JobLookups = {
    placesOf: ({ workplaceId, outletName = "" }) => {
      const { name = "", address } = names.workplace(workplaceId) ?? {};
      return [name, address ?? "", outletName];
    },
    zoneOf: ({ providerId }) => names.integration(providerId)?.timeZone,
  };
  const feed = useJobFeed(filter, lookups);
  return (
    <>
      <PageHead title="Jobs">
        <JobViews providerId={filter.providerId} />
      </PageHead>
      <Counts filter={filter} />
      <FilterForm {...filtering}>
        <OrganisationFilter value={filter.providerId} onChange={set("providerId")} />
        <SelectFilter
          name="Status"
          value={filter.status}
          none="Active"
          options={STATUSES.map((status) => [status, jobStatusText(status)])}
          onChange={set("status")}
        />
        <SelectFilter
          name="Needs"
          value={filter.needs}
          none="Anything"
          options={NEEDED}
          onChange={set("needs")}
        />
        <TextFilter name="Place or id" value={filter.search} onChange={set("search")} />
        <CompetenceFilter value={filter.competenceId} onChange={set("competenceId")} />
        <DayFilter name="Day" value={filter.day} onChange={set("day")} />
      </FilterForm>
      <QueryView query={feed} lines={12}>
        {(data) => (
          <Jobs
            key={addressWith(PATH, filter)}
            {...{ filter, lookups }}
            isFiltered={filtering.isFiltered}
            showMore={feed.showMore}
            {...data}
          />
        )}
      </QueryView>
    </>
  );
}

interface JobsProps extends FeedData {
  filter: JobFilter;
  lookups: JobLookups;
  isFiltered: boolean;
  showMore(): void;
}

function Jobs({ filter, lookups, isFiltered, showMore, jobs, changed, hasMore }: JobsProps) {
  // A job that has just left the filter stays while it is marked, so that the operator sees why.
  const now = Date.now();
  const shown = jobs.filter(
    (job) => isAbout(job, filter, lookups) && (matches(job, filter, now) || changed.has(job.jobId)),
  );
  if (shown.length === 0 && !hasMore) return <NoJobs isFiltered={isFiltered} />;
  const query = queryOf(filter, now);
  const readPage = (page: PageQuery) => ask(api.listJobs({ params: { query: { ...query, ...page } } }));
  return (
    <>
      <JobTable jobs={shown} changed={changed} saved={{ name: "jobs", readPage }} />
      {hasMore && (
        <p class="more">
          <button type="button" onClick={showMore}>
            Show more
          </button>{" "}
          <span class="soft" role="status">
            {formatCount(shown.length)} shown, {isLatestFirst(filter) ? "latest" : "earliest"} start first
          </span>
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
          <RegisterFirst />. Its open shifts become jobs here.
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

const COUNTED = [
  ["open", "Open"],
  ["filled", "Filled"],
  ["blocked_mapping", "Blocked"],
] as const satisfies readonly [keyof JobCounts, string][];

/** The numbers of jobs and issues; each links to what it counts. */
function Counts({ filter }: { filter: JobFilter }) {
  const { providerId } = filter;
  const { data } = useQuery(
    `job counts of ${providerId}`,
    () => ask(api.countJobs({ params: { query: providerId === undefined ? {} : { providerId } } })),
    ({ type }) => type === "job",
  );
  return (
    <ul class="counts" aria-label="Job counts">
      {COUNTED.map(([status, name]) => (
        <Count
          key={status}
          name={name}
          href={addressWith(PATH, { ...filter, status })}
          isCurrent={filter.status === status}
          value={data?.[status]}
        />
      ))}
      <OpenIssues providerId={filter.providerId} />
    </ul>
  );
}

function OpenIssues({ providerId }: { providerId: string | undefined }) {
  const value = useIssueCounts(providerId).data?.total;
  const href = addressWith("/console/issues", { providerId });
  return (
    <Count name="Open issues" href={href} value={value} isBad={value !== undefined && value.count > 0} />
  );
}

interface CountProps {
  name: string;
  href: string;
  /** Undefined while it is not known. */
  value: BoundedCount | undefined;
  isCurrent?: boolean;
  isBad?: boolean;
}

function Count({ name, href, value, isCurrent = false, isBad = false }: CountProps) {
  return (
    <li>
      <a href={href} data-bad={isBad} {...(isCurrent && { "aria-current": "true" as const })}>
        <strong>{value ? countText(value) : "–"}</strong> {name}
      </a>
    </li>
  );
}
