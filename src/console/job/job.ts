import type { Booking, Job, JobCandidate, JobChange } from "../../../generated/operations/types.ts";

export const isOver = ({ status }: Pick<Job, "status">): boolean =>
  status === "cancelled" || status === "expired";

/** Whether a booking takes a position. */
export const holdsSeat = ({ status }: Pick<Booking, "status">): boolean =>
  status === "pending" || status === "confirmed";

export interface TakenSeats {
  taken: number;
  /** By bookings of the platform. */
  booked: number;
  /** By people whom the provider assigned itself. */
  own: number;
}

/** The number of taken positions of a job. */
export function takenSeats(job: Pick<Job, "bookings" | "ownPeopleCount">): TakenSeats {
  const booked = job.bookings.filter(holdsSeat).length;
  return { taken: booked + job.ownPeopleCount, booked, own: job.ownPeopleCount };
}

/** Why a candidate cannot accept a job; undefined where nothing is known to prevent it. */
export function hindranceOf({ booked, assigned, able, busy }: JobCandidate): string | undefined {
  if (booked) return "already booked";
  if (assigned) return "assigned by the provider";
  if (!able) return "lacks the competence";
  return busy ? "busy at that time" : undefined;
}

/** The input of a change; undefined where it is not a valid time or number. */
export interface ChangeInput {
  startTime: string | undefined;
  endTime: string | undefined;
  positions: number | undefined;
}

/** The changed members only, so that no concurrent change is reverted; undefined when there is nothing valid to send. */
export function changeOf(before: Pick<Job, keyof ChangeInput>, input: ChangeInput): JobChange | undefined {
  const { startTime, endTime, positions } = input;
  if (startTime === undefined || endTime === undefined || positions === undefined) return undefined;
  const change: JobChange = {
    ...(!isSameTime(startTime, before.startTime) && { startTime }),
    ...(!isSameTime(endTime, before.endTime) && { endTime }),
    ...(positions !== before.positions && { positions }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

const isSameTime = (one: string, other: string) => Date.parse(one) === Date.parse(other);
