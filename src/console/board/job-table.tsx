import { useState } from "preact/hooks";
import type { Job } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { byDay, type Day } from "./days.ts";
import { JobRow } from "./job-row.tsx";

interface Props {
  jobs: readonly Job[];
  changed: ReadonlySet<string>;
}

const SHOWN_AT_FIRST = 100;
const HEADS = ["Time", "Work", "Organisation", "Positions", "Booked", "Status"];

/** The jobs by day. A limited number of rows is drawn until the operator asks for more. */
export function JobTable({ jobs, changed }: Props) {
  const { integration } = useNames();
  const zoneOf = ({ providerId }: Job) => integration(providerId)?.timeZone;
  const [most, setMost] = useState(SHOWN_AT_FIRST);
  const zones = new Set(jobs.map(zoneOf));
  const days = byDay(jobs, zoneOf);
  return (
    <>
      <p class="hint">{zones.size === 1 && zoneHint([...zones][0])}</p>
      <table class="cards board">
        <caption class="unseen">Jobs by day, in order of their start</caption>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {firstOf(days, most).map(({ name, jobs: ofDay }) => (
          <tbody key={name}>
            <tr class="day">
              <th scope="rowgroup" colSpan={HEADS.length}>
                {name}
              </th>
            </tr>
            {ofDay.map((job) => (
              <JobRow
                key={job.jobId}
                job={job}
                isMarked={changed.has(job.jobId)}
                tellsZone={zones.size > 1}
              />
            ))}
          </tbody>
        ))}
      </table>
      {jobs.length > most && (
        <p class="more">
          <button type="button" onClick={() => setMost(most + SHOWN_AT_FIRST)}>
            Show more ({jobs.length - most} hidden)
          </button>
        </p>
      )}
    </>
  );
}

const zoneHint = (zone: string | undefined) => (zone === undefined ? undefined : `Times in ${zone}.`);

function firstOf(days: readonly Day[], most: number): Day[] {
  const first: Day[] = [];
  let left = most;
  for (const { name, jobs } of days) {
    if (left <= 0) break;
    first.push({ name, jobs: jobs.slice(0, left) });
    left -= jobs.length;
  }
  return first;
}
