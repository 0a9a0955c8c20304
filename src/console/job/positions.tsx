import type { Job } from "../../../generated/operations/types.ts";
import { holdsSeat } from "./words.ts";
import "./positions.css";

/** How many of the positions are taken, as a bar and in words. */
export function Positions({ job }: { job: Job }) {
  const taken = job.bookings.filter(holdsSeat).length;
  const share = job.positions === 0 ? 1 : Math.min(1, taken / job.positions);
  return (
    <span class="positions">
      <span class="seats" aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      {taken} of {job.positions}
    </span>
  );
}
