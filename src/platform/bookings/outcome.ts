import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { bookingTopic } from "../jobs/close.ts";

/** Waits a little for what the provider says, until `isSettled` holds for the booking. To be woken means to look, and nothing more. */
export async function bookingAfter(
  deps: Deps,
  { booking_id }: Booking,
  isSettled: (booking: Booking) => boolean,
): Promise<Booking> {
  const deadline = performance.now() + deps.timing.answerWithinMs;
  while (true) {
    const { signal, cancel } = deps.signals.next(
      bookingTopic(booking_id),
      Math.max(0, deadline - performance.now()),
    );
    const booking = await read(deps, booking_id);
    if (isSettled(booking) || performance.now() >= deadline) {
      cancel();
      return booking;
    }
    await signal;
  }
}

function read({ database }: Deps, bookingId: string): Promise<Booking> {
  return database.kysely
    .selectFrom("bookings")
    .selectAll()
    .where("booking_id", "=", bookingId)
    .executeTakeFirstOrThrow();
}
