import type { Booking, BookingStatus, Job, JobStatus } from "../../../generated/operations/types.ts";
import {
  bookingReasonText,
  bookingStatusText,
  entryOf,
  jobStatusText,
} from "../../contract/operator-text.ts";
import { Badge, type Tone } from "../components/cells.tsx";
import { Time } from "../components/time.tsx";
import { takenSeats } from "./job.ts";
import "./job.css";

const JOB_TONES = {
  blocked_mapping: "bad",
  open: "busy",
  filled: "good",
  cancelled: "plain",
  expired: "plain",
} satisfies Record<JobStatus, Tone>;

/** The status of a job, and its conditions. */
export function JobStatusBadges({ job }: { job: Job }) {
  // The provider may still refuse them.
  const waiting = job.bookings.filter(({ status }) => status === "pending").length;
  return (
    <span class="badges">
      {job.status === "filled" && waiting > 0 ? (
        <Badge tone="busy">{`filled, ${waiting} not confirmed`}</Badge>
      ) : (
        <Badge tone={entryOf<Tone>(JOB_TONES, job.status) ?? "plain"}>{jobStatusText(job.status)}</Badge>
      )}
      {job.cancelling && <Badge tone="warn">cancelling</Badge>}
      {job.overfilled && <Badge tone="bad">overfilled</Badge>}
    </span>
  );
}

/** The number of taken positions, as a bar and as text. */
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

const BOOKING_TONES = {
  pending: "busy",
  confirmed: "good",
  released: "plain",
  failed: "bad",
} satisfies Record<BookingStatus, Tone>;

/** The status of a booking with its reason, a requested withdrawal, and a call of unknown outcome. */
export function BookingState({ booking, zone }: { booking: Booking; zone: string | undefined }) {
  const { status, reason, reasonParams, withdrawing, inDoubtSince } = booking;
  return (
    <span class="booking-state">
      <span class="badges">
        <Badge tone={entryOf<Tone>(BOOKING_TONES, status) ?? "plain"}>{bookingStatusText(status)}</Badge>
        {withdrawing && <Badge tone="warn">withdrawing</Badge>}
        {inDoubtSince !== undefined && <Badge tone="warn">outcome unknown</Badge>}
      </span>
      {reason !== undefined && <span class="soft">{bookingReasonText(reason, reasonParams)}</span>}
      {inDoubtSince !== undefined && (
        <span class="soft">
          The outcome of a call has been unknown since <Time at={inDoubtSince} exact zone={zone} />. The
          platform reads the shift to find out.
        </span>
      )}
    </span>
  );
}
