import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { bookingTopic } from "../jobs/close.ts";

/** What a request that waits for the provider learns about a booking. */
export interface BookingOutcome {
  booking: Booking;
  /** The provider answered, and the booking is what it was before. */
  isRefused: boolean;
}

/** Waits a little for what the provider says, until `isSettled` holds for the booking. */
export async function bookingAfter(
  deps: Deps,
  { booking_id }: Booking,
  isSettled: (status: Booking["status"]) => boolean,
): Promise<BookingOutcome> {
  const deadline = performance.now() + deps.timing.answerWithinMs;
  let before: Booking["status"] | undefined;
  let wasSignalled = false;
  while (true) {
    const { signal, cancel } = deps.signals.next(
      bookingTopic(booking_id),
      Math.max(0, deadline - performance.now()),
    );
    const booking = await read(deps, booking_id);
    const isRefused = wasSignalled && booking.status === before;
    if (isSettled(booking.status) || isRefused || performance.now() >= deadline) {
      cancel();
      return { booking, isRefused };
    }
    before = booking.status;
    wasSignalled = await signal;
  }
}

function read({ database }: Deps, bookingId: string): Promise<Booking> {
  return database.kysely
    .selectFrom("bookings")
    .selectAll()
    .where("booking_id", "=", bookingId)
    .executeTakeFirstOrThrow();
}
