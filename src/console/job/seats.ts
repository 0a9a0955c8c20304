import type { Booking, Job } from "../../../generated/operations/types.ts";

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

/** How many positions of a job are taken, and by whom. */
export function takenSeats({
  bookings,
  ownPeopleCount: own,
}: Pick<Job, "bookings" | "ownPeopleCount">): TakenSeats {
  const booked = bookings.filter(holdsSeat).length;
  return { taken: booked + own, booked, own };
}
