import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

export const BOOKINGS_QUEUE = "bookings";

export interface BookingTask {
  bookingId: string;
  /** `take_back`: off again, should the provider have the candidate of a booking that failed. */
  action: "assign" | "unassign" | "take_back";
}

/**
 * Queues the calls of a booking. Those for one person at one provider run one after the other: a person is created once, and
 * taken off a shift only after being put on it.
 */
export async function enqueueBooking(
  trx: Trx,
  { queue }: Deps,
  providerId: string,
  { booking_id: bookingId, candidate_id }: Booking,
  action: BookingTask["action"],
): Promise<void> {
  const task = { key: `${providerId}:${candidate_id}`, group: providerId, data: { bookingId, action } };
  await queue.enqueue<BookingTask>(trx, BOOKINGS_QUEUE, task);
}
