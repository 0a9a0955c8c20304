import type { Job } from "../../../generated/operations/types.ts";
import { clockSpan } from "../board/days.ts";
import { useNames } from "../data/names.ts";
import { placeOf, workOf } from "../job/labels.ts";
import { takenSeats } from "../job/seats.ts";
import { daysOf } from "./week-filter.ts";
import { staffingTone, type WeekRow, weekRows } from "./week-rows.ts";

/** A row for each outlet, a column for each day, and a link for each shift. */
export function WeekTable({ week, jobs }: { week: string; jobs: Job[] }) {
  const names = useNames();
  const days = daysOf(week);
  const zoneOf = ({ providerId }: Job) => names.integration(providerId)?.timeZone;
  const rows = weekRows(jobs, days, { placeOf: (job) => placeOf(job, names), zoneOf });
  const hasMany = new Set(rows.map(({ providerId }) => providerId)).size > 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves what is wider than the window.
    <section class="scroll" tabIndex={0} aria-label="Shifts of the week">
      <table class="cards week">
        <caption class="unseen">Shifts by outlet and day, in the time zone of each organisation</caption>
        <thead>
          <tr>
            <th scope="col">Outlet</th>
            {days.map((day) => (
              <th key={day} scope="col">
                {dayName(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
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
      <p class="hint">
        Green: staffed. Yellow: partly staffed. Red: not staffed, or overfilled. Grey: blocked.
      </p>
    </section>
  );
}

function Day({ day, row }: { day: string; row: WeekRow }) {
  const jobs = row.days.get(day) ?? [];
  return (
    <td data-label={dayName(day)} data-empty={jobs.length === 0}>
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
      </a>
    </li>
  );
}

/** `Mon 23 Nov`, of a calendar day. */
const dayName = (day: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ weekday: "short", day: "numeric", month: "short", timeZone: "UTC" },
  }).format(new Date(day));
