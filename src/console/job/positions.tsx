import type { Job } from "../../../generated/operations/types.ts";
import { takenSeats } from "./seats.ts";
import "./positions.css";

/** How many of the positions are taken, as a bar and as text. */
export function Positions({ job }: { job: Job }) {
  const { taken, own } = takenSeats(job);
  const share = job.positions === 0 ? 1 : Math.min(1, taken / job.positions);
  return (
    <span class="positions" {...(own > 0 && { title: `${own} assigned by the provider` })}>
      <span class="seats" aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      {taken} of {job.positions}
    </span>
  );
}
