import { useLocation } from "preact-iso";
import type { Job } from "../../../generated/operations/types.ts";
import { JobViews } from "../board/job-views.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { OrganisationFilter } from "../events/event-filters.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { spanOf, type WeekFilter, weekAddress, weekAfter, weekFilterOf } from "./week-filter.ts";
import { WeekTable } from "./week-table.tsx";
import "./week.css";

const PAGE = 200;
const PAGES = 10;

/** The shifts of a week by outlet and day. */
export function WeekPage() {
  const { query, route } = useLocation();
  const filter = weekFilterOf(query);
  const jobs = useQuery(
    `week ${JSON.stringify(filter)}`,
    () => readWeek(filter),
    ({ type }) => type === "job" || type === "booking",
  );
  return (
    <>
      <PageHead title="Week">
        <JobViews providerId={filter.providerId} />
      </PageHead>
      <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <OrganisationFilter
          value={filter.providerId}
          onPick={(providerId) =>
            route(weekAddress({ week: filter.week, ...(providerId && { providerId }) }), true)
          }
        />
        <WeekField filter={filter} onPick={(week) => route(weekAddress({ ...filter, week }), true)} />
        <a href={weekAddress({ ...filter, week: weekAfter(filter.week, -1) })}>Previous week</a>
        <a href={weekAddress({ ...filter, week: weekAfter(filter.week, 1) })}>Next week</a>
      </form>
      <Shown query={jobs} lines={12}>
        {({ jobs: all, isCut }) => (
          <>
            <Week filter={filter} jobs={all} />
            {isCut && (
              <p class="notice">
                Only the newest {(PAGE * PAGES).toLocaleString("en")} jobs of the week are shown. Select an
                organisation to see all of its jobs.
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function WeekField({ filter, onPick }: { filter: WeekFilter; onPick(week: string): void }) {
  return (
    <label class="field">
      <span>Week of</span>
      <input type="date" value={filter.week} onChange={(event) => onPick(event.currentTarget.value)} />
    </label>
  );
}

function Week({ filter, jobs }: { filter: WeekFilter; jobs: Job[] }) {
  if (jobs.some(({ status }) => status !== "cancelled")) return <WeekTable week={filter.week} jobs={jobs} />;
  return (
    <Empty title="No shifts in this week">
      <p>
        Select another week, or see the <a href="/console/">board</a>.
      </p>
    </Empty>
  );
}

async function readWeek({ week, providerId }: WeekFilter): Promise<{ jobs: Job[]; isCut: boolean }> {
  const jobs: Job[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && (page === 0 || cursor !== undefined); page += 1) {
    const query = {
      ...spanOf(week),
      ...{ limit: PAGE, ...(providerId && { providerId }), ...(cursor && { cursor }) },
    };
    const read = await ask(api.listJobs({ params: { query } }));
    jobs.push(...read.items);
    cursor = read.nextCursor;
  }
  return { jobs, isCut: cursor !== undefined };
}
