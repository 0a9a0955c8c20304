import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { bookingStatusText } from "../../contract/operator-text.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { Cells, type Column, ShortId } from "../components/cells.tsx";
import { aDay, anyText, type Filter, oneOf } from "../components/filters.tsx";
import { SaveCsv, type SavedList } from "../components/save-csv.tsx";
import { TableHead } from "../components/table.tsx";
import { clockSpan, dayKey, longDay, shownZone } from "../components/time.tsx";
import { type Names, nameOf, placeOf, useNames, workOf } from "../data/names.ts";
import { holdsSeat } from "../job/job.ts";
import { JobStatusBadges, Positions } from "../job/statuses.tsx";
import { spanOf } from "./week-page.tsx";

const ACTIVE = ["blocked_mapping", "open", "filled"] as const satisfies readonly JobStatus[];
export const STATUSES = [...ACTIVE, "cancelled", "expired"] as const satisfies readonly JobStatus[];

const NEEDS = ["soon", "people", "confirmation"] as const;

/** Without a status, the list has the active jobs. `search` is a part of the place, or the beginning of an id; `soon` needs people within 24 hours. */
export const JOB_FILTER = {
  providerId: anyText,
  status: oneOf(STATUSES),
  needs: oneOf(NEEDS),
  search: anyText,
  competenceId: anyText,
  day: aDay,
};
export type JobFilter = Filter<typeof JOB_FILTER>;

const isActive = (status: JobStatus) => ACTIVE.some((each) => each === status);

/** What the platform is asked for: what comes next first, and of what is over the latest. */
export function queryOf({ status, needs, day, ...rest }: JobFilter, now = Date.now()) {
  const soon = { from: new Date(now).toISOString(), until: new Date(now + DAY_MS).toISOString() };
  return {
    ...rest,
    ...(status === undefined ? ({ group: "active" } as const) : { status }),
    ...(needs && { needs: needs === "confirmation" ? needs : ("people" as const) }),
    ...(needs === "soon" && soon),
    ...(day !== undefined && spanOf(day, 1)),
    order: isOverStatus(status) ? ("latest" as const) : ("earliest" as const),
  };
}

const isOverStatus = (status: JobStatus | undefined) => status !== undefined && !isActive(status);

export const isLatestFirst = ({ status }: Pick<JobFilter, "status">): boolean => isOverStatus(status);

/** What a filter needs to know of a job beside it. */
export interface JobLookups {
  /** The names and the address of the place. */
  placesOf(job: Job): string[];
  /** IANA zone of the organisation. */
  zoneOf(job: Job): string | undefined;
}

/** Whether the filter is about the job, whatever its state. */
export function isAbout(job: Job, filter: JobFilter, { placesOf, zoneOf }: JobLookups): boolean {
  const { providerId, search, competenceId, day } = filter;
  if (providerId !== undefined && job.providerId !== providerId) return false;
  if (competenceId !== undefined && job.competenceId !== competenceId) return false;
  if (day !== undefined && dayKey(job.startTime, zoneOf(job)) !== day) return false;
  if (search === undefined) return true;
  const text = search.toLowerCase();
  return (
    placesOf(job).some((place) => place.toLowerCase().includes(text)) ||
    job.jobId.startsWith(text) ||
    job.shiftId.startsWith(search)
  );
}

/** Whether a job that the filter is about has the state that it asks for; `now` in milliseconds since 1970. */
export function matches(job: Job, { status, needs }: JobFilter, now: number): boolean {
  if (status === undefined ? !isActive(job.status) : job.status !== status) return false;
  if (needs === undefined) return true;
  if (needs === "confirmation") return job.bookings.some((booking) => booking.status === "pending");
  const start = Date.parse(job.startTime);
  if (needs === "soon" && (start < now || start >= now + DAY_MS)) return false;
  return job.status === "open" || job.status === "blocked_mapping";
}

/** The order in which the platform lists the jobs of a filter. */
export function orderOf(filter: Pick<JobFilter, "status">): (one: Job, other: Job) => number {
  const sign = isLatestFirst(filter) ? -1 : 1;
  return (one, other) => sign * (compare(one.startTime, other.startTime) || compare(one.jobId, other.jobId));
}

export interface Day {
  /** `Sunday 22 November 2026`. */
  name: string;
  jobs: Job[];
}

/** Jobs in order of their start, in either direction, by the day on which they start at the workplace. */
export function byDay(jobs: Iterable<Job>, zoneOf: (job: Job) => string | undefined): Day[] {
  const days = [...Map.groupBy(jobs, (job) => dayKey(job.startTime, zoneOf(job)))];
  const [first = "", last = ""] = [days.at(0)?.[0], days.at(-1)?.[0]];
  const sign = first > last ? -1 : 1;
  // Where zones differ, a later day may have begun already.
  return days
    .sort(([one], [other]) => sign * compare(one, other))
    .map(([, ofDay]) => ({ name: dayNameOf(ofDay[0] as Job, zoneOf), jobs: ofDay }));
}

const dayNameOf = (job: Job, zoneOf: (job: Job) => string | undefined) => longDay(job.startTime, zoneOf(job));

/** By code unit: several times as fast as by the rules of a language. */
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

interface Props {
  /** In order of their start. */
  jobs: readonly Job[];
  /** The jobs that have just changed. */
  changed: ReadonlySet<string>;
  saved: SavedList<Job>;
}

/** The jobs by day. */
export function JobTable({ jobs, changed, saved }: Props) {
  const names = useNames();
  const zoneOf = ({ providerId }: Job) => names.integration(providerId)?.timeZone;
  const zones = new Set(jobs.map((job) => shownZone(zoneOf(job))));
  const columns = columnsOf(names, zones.size > 1);
  return (
    <>
      <SaveCsv {...saved} columns={columns} />
      <table class="cards jobs">
        <caption class="visually-hidden">Jobs by day, in order of start time</caption>
        <TableHead columns={columns} />
        {byDay(jobs, zoneOf).map(({ name, jobs: ofDay }) => (
          <tbody key={name}>
            <tr class="day">
              <th scope="rowgroup" colSpan={columns.length}>
                {name}
              </th>
            </tr>
            {ofDay.map((job) => (
              <tr key={job.jobId} data-marked={changed.has(job.jobId)}>
                <Cells columns={columns} row={job} />
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </>
  );
}

function columnsOf(names: Names, showsZone: boolean): Column<Job>[] {
  return [
    { name: "Time", cell: (job) => <JobTime job={job} names={names} showsZone={showsZone} /> },
    { name: "Work", cell: (job) => <JobLink job={job} names={names} /> },
    {
      name: "Organisation",
      cell: ({ providerId }) => names.integration(providerId)?.name ?? <ShortId id={providerId} />,
    },
    { name: "Positions", cell: (job) => <Positions job={job} /> },
    { name: "Booked", cell: (job) => bookedNames(job, names) },
    { name: "Status", cell: (job) => <JobStatusBadges job={job} /> },
  ];
}

function JobTime({ job, names, showsZone }: { job: Job; names: Names; showsZone: boolean }) {
  const { startTime, endTime, providerId } = job;
  const zone = names.integration(providerId)?.timeZone;
  return (
    <>
      <time
        dateTime={startTime}
        data-whole={`${startTime} to ${endTime}`}
        title={`${startTime} to ${endTime}`}
      >
        {clockSpan(startTime, endTime, zone)}
      </time>
      {showsZone && zone && <small class="soft"> {shownZone(zone)}</small>}
    </>
  );
}

/** The work with a link to the job, and the workplace. */
export function JobLink({ job, names }: { job: Job; names: Names }) {
  return (
    <>
      <a href={`/console/jobs/${job.jobId}`}>{workOf(job, names)}</a>
      <br />
      <span class="soft">{placeOf(job, names)}</span>
    </>
  );
}

const NAMED = 3;

/** `Elin Strand, Jonas Vik (waiting for the provider) and 2 more`. */
function bookedNames({ providerId, ...job }: Job, names: Names): string {
  const bookings = job.bookings.filter(holdsSeat);
  const named = bookings.slice(0, NAMED).map(({ candidateId, status }) => {
    const name = nameOf(candidateId, names, providerId);
    return status === "pending" ? `${name} (${bookingStatusText(status)})` : name;
  });
  const more = bookings.length - named.length;
  if (named.length === 0) return "none";
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
