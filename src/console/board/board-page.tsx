import { useRoute } from "preact-iso";
import { useNames } from "../data/names.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { type BoardFilter, boardAddress, filterOf, fits } from "./board-filter.ts";
import { Counts } from "./counts.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { FedJobs } from "./job-feed.ts";
import { JobTable } from "./job-table.tsx";
import { JobViews } from "./job-views.tsx";
import { useJobFeed } from "./use-job-feed.ts";
import "./board.css";

/** Every job that is not over, kept up to date. */
export function BoardPage() {
  const filter = filterOf(useRoute().query);
  const feed = useJobFeed(filter);
  return (
    <>
      <PageHead title="Board">
        <JobViews providerId={filter.providerId} />
      </PageHead>
      <Counts filter={filter} jobs={feed.data?.jobs} />
      <FilterBar filter={filter} />
      <Shown query={feed} lines={12}>
        {(jobs) => <Jobs filter={filter} {...jobs} />}
      </Shown>
    </>
  );
}

function Jobs({ filter, jobs, changed, isCut }: { filter: BoardFilter } & FedJobs) {
  // A job that has just left the filter stays while it is marked, so that the operator sees why.
  const shown = [...jobs.values()].filter((job) => fits(job, filter) || changed.has(job.jobId));
  if (shown.length === 0) return <NoJobs filter={filter} />;
  return (
    <>
      <JobTable key={boardAddress(filter)} jobs={shown} changed={changed} />
      {isCut && (
        <p class="notice">
          Only the newest 1,000 jobs of each status are shown. Select an organisation to see all of its jobs.
        </p>
      )}
    </>
  );
}

function NoJobs({ filter }: { filter: BoardFilter }) {
  const { integrations, areRead } = useNames();
  if (areRead && integrations.length === 0) {
    return (
      <Empty title="No organisation yet">
        <p>
          <a href="/console/integrations/new">Register the first one</a>. Its open shifts become jobs here.
        </p>
      </Empty>
    );
  }
  const isFiltered = filter.providerId !== undefined || filter.status !== undefined;
  return (
    <Empty title={isFiltered ? "No job matches the filters" : "No current jobs"}>
      {isFiltered ? (
        <p>
          <a href="/console/">Show all current jobs</a>
        </p>
      ) : (
        <p>A shift that a provider opens appears here within moments.</p>
      )}
    </Empty>
  );
}
