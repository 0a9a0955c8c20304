import type { Job } from "../../../generated/operations/types.ts";
import { bookingStatusText } from "../../contract/operator-text.ts";
import { Cells, type Column } from "../components/cells.tsx";
import { SaveCsv, type SavedList } from "../components/save-csv.tsx";
import { ShortId } from "../components/short-id.tsx";
import { TableHead } from "../components/table.tsx";
import { clockSpan } from "../components/times.ts";
import { shownZone } from "../components/zone.ts";
import { type Names, placeOf, useNames, workOf } from "../data/names.ts";
import { nameOf } from "../data/person-name.ts";
import { holdsSeat } from "../job/job.ts";
import { JobStatusBadges, Positions } from "../job/statuses.tsx";
import { byDay } from "./job-list.ts";

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
