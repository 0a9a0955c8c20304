import "./jobs.css";
import { useEffect, useState } from "preact/hooks";
import type { Job } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import type { Tone } from "../components/cells.tsx";
import {
  aDay,
  addressWith,
  anyText,
  CompetenceFilter,
  DayFilter,
  type Filter,
  FilterForm,
  JobViews,
  OrganisationFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, QueryView } from "../components/table.tsx";
import { clockSpan, dayKey, formatCount, shortDay, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { nameOf, placeOf, useNames, workOf } from "../data/names.ts";
import { readPages } from "../data/pages.ts";
import { useQuery } from "../data/use-query.ts";
import { holdsSeat, takenSeats } from "../job/job.ts";

/** The week is that of any of its days; without one it is the current week. */
export const WEEK_FILTER = { week: aDay, providerId: anyText, search: anyText, competenceId: anyText };

/** The Monday of the week of a day, or of `now` at the reader's: `2026-11-23`. */
export function mondayOf(day: string | undefined, now = new Date()): string {
  const today = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const given = day === undefined ? today : new Date(day);
  const daysSinceMonday = (given.getUTCDay() + 6) % 7;
  return dateOf(new Date(given.getTime() - daysSinceMonday * DAY_MS));
}

/** The seven days from the Monday on. */
export function daysOf(monday: string): string[] {
  return Array.from({ length: 7 }, (_, index) => movedBy(monday, index));
}

export const weekAfter = (monday: string, weeks: number): string => movedBy(monday, 7 * weeks);

/** A time span that has every shift of some days in any zone, which is at most 14 hours away from UTC. */
export function spanOf(first: string, days: number): { from: string; until: string } {
  const margin = 14 * 3_600_000;
  const start = Date.parse(first);
  return {
    from: new Date(start - margin).toISOString(),
    until: new Date(start + days * DAY_MS + margin).toISOString(),
  };
}

const movedBy = (day: string, days: number): string => dateOf(new Date(Date.parse(day) + days * DAY_MS));

const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The shifts of one outlet, by day. */
export interface WeekRow {
  key: string;
  place: string;
  providerId: string;
  days: ReadonlyMap<string, Job[]>;
}

interface Lookups {
  placeOf(job: Job): string;
  /** IANA zone of the organisation. */
  zoneOf(job: Job): string | undefined;
}

/** A row for each outlet of each organisation, by name; the shifts of a day by start time. Cancelled shifts are left out. */
export function weekRows(
  jobs: readonly Job[],
  days: readonly string[],
  { placeOf, zoneOf }: Lookups,
): WeekRow[] {
  const rows = new Map<string, WeekRow & { days: Map<string, Job[]> }>();
  for (const job of jobs.toSorted((one, other) => one.startTime.localeCompare(other.startTime))) {
    const day = dayKey(job.startTime, zoneOf(job));
    if (job.status === "cancelled" || !days.includes(day)) continue;
    const key = `${job.providerId} ${job.outletId}`;
    const row = rows.get(key) ?? { key, place: placeOf(job), providerId: job.providerId, days: new Map() };
    row.days.set(day, [...(row.days.get(day) ?? []), job]);
    rows.set(key, row);
  }
  return [...rows.values()].sort((one, other) => one.place.localeCompare(other.place));
}

/** The staffing of a shift, as a colour. */
export function staffingTone(job: Job): Tone {
  if (job.status === "blocked_mapping") return "plain";
  const { taken } = takenSeats(job);
  if (job.overfilled || taken > job.positions) return "bad";
  if (taken === job.positions) return "good";
  return taken === 0 ? "bad" : "warn";
}

const PATH = "/console/week";
const PAGE = 200;
/** Outlets at once. */
const ROWS = 40;
/** At once: more shifts are added on request. */
const PAGES = 10;

/** The shifts of a week by outlet and day. */
export function WeekPage() {
  const { filter, set } = useFilter(PATH, WEEK_FILTER);
  const { week: day, ...wanted } = filter;
  const week = mondayOf(day);
  const [parts, setParts] = useState({ of: "", count: 1 });
  const key = `week ${week} ${JSON.stringify(wanted)}`;
  const count = parts.of === key ? parts.count : 1;
  const jobs = useQuery(
    key,
    () => readWeek(week, wanted, PAGES * count),
    ({ type }) => type === "job" || type === "booking",
  );
  useEffect(() => {
    if (count > 1) jobs.reload();
  }, [count]);
  const addressOf = (weeks: number) => addressWith(PATH, { ...wanted, week: weekAfter(week, weeks) });
  return (
    <>
      <PageHead title="Week">
        <JobViews providerId={wanted.providerId} />
      </PageHead>
      <FilterForm>
        <OrganisationFilter value={wanted.providerId} onChange={set("providerId")} />
        <TextFilter name="Place" value={wanted.search} onChange={set("search")} />
        <CompetenceFilter value={wanted.competenceId} onChange={set("competenceId")} />
        <DayFilter name="Week of" value={week} onChange={set("week")} />
        <a href={addressOf(-1)}>Previous week</a>
        <a href={addressOf(1)}>Next week</a>
      </FilterForm>
      <QueryView query={jobs} lines={12}>
        {({ items, hasMore }) => (
          <>
            <Week key={key} week={week} jobs={items} />
            {hasMore && (
              <div class="notice row">
                <p role="status">
                  The first {formatCount(items.length)} shifts of the week by start are shown, up to{" "}
                  <Time at={items.at(-1)?.startTime ?? week} exact />. The days after it are not complete.
                </p>
                <button type="button" onClick={() => setParts({ of: key, count: count + 1 })}>
                  Show more
                </button>
              </div>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}

function readWeek(week: string, wanted: Omit<Filter<typeof WEEK_FILTER>, "week">, pages: number) {
  const group = "not_cancelled" as const;
  const query = { ...wanted, ...spanOf(week, 7), group, limit: PAGE };
  return readPages((page) => ask(api.listJobs({ params: { query: { ...query, ...page } } })), pages);
}

function Week({ week, jobs }: { week: string; jobs: Job[] }) {
  if (jobs.length > 0) return <WeekTable week={week} jobs={jobs} />;
  return (
    <Empty title="No shifts in this week">
      <p>
        Select another week, or see the <a href="/console/">list of jobs</a>.
      </p>
    </Empty>
  );
}

/** A row for each outlet, a column for each day, and a link for each shift. */
function WeekTable({ week, jobs }: { week: string; jobs: Job[] }) {
  const names = useNames();
  const days = daysOf(week);
  const zoneOf = ({ providerId }: Job) => names.integration(providerId)?.timeZone;
  const rows = weekRows(jobs, days, { placeOf: (job) => placeOf(job, names), zoneOf });
  const [shown, setShown] = useState(ROWS);
  const hasMany = new Set(rows.map(({ providerId }) => providerId)).size > 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a table that is wider than the window.
    <section class="scroll week-table" tabIndex={0} aria-label="Shifts of the week">
      <table class="cards week">
        <caption class="visually-hidden">Shifts by outlet and day</caption>
        <thead>
          <tr>
            {["Outlet", ...days.map(shortDay)].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <tr key={row.key}>
              <th scope="row">
                {row.place}
                {hasMany && <small class="soft"> {names.integration(row.providerId)?.name}</small>}
              </th>
              {days.map((day) => (
                <Day key={day} day={day} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + ROWS)}>
            Show more outlets
          </button>{" "}
          <span class="soft" role="status">
            {formatCount(shown)} of {formatCount(rows.length)} shown
          </span>
        </p>
      )}
      <p class="hint">
        Green: staffed. Yellow: partly staffed. Red: not staffed, or overfilled. Grey: blocked.
      </p>
    </section>
  );
}

function Day({ day, row }: { day: string; row: WeekRow }) {
  const jobs = row.days.get(day) ?? [];
  return (
    <td data-label={shortDay(day)} data-empty={jobs.length === 0}>
      <ul>
        {jobs.map((job) => (
          <Shift key={job.jobId} job={job} />
        ))}
      </ul>
    </td>
  );
}

function Shift({ job }: { job: Job }) {
  const names = useNames();
  const zone = names.integration(job.providerId)?.timeZone;
  const isBlocked = job.status === "blocked_mapping";
  return (
    <li>
      <a class="shift" href={`/console/jobs/${job.jobId}`} data-tone={staffingTone(job)}>
        <time dateTime={job.startTime}>{clockSpan(job.startTime, job.endTime, zone)}</time>
        <span>{workOf(job, names)}</span>
        <span>{isBlocked ? "blocked" : `${takenSeats(job).taken} of ${job.positions}`}</span>
        {job.bookings.filter(holdsSeat).map(({ bookingId, candidateId }) => (
          <span key={bookingId}>{nameOf(candidateId, names, job.providerId)}</span>
        ))}
      </a>
    </li>
  );
}
