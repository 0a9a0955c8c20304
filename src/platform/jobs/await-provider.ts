import type { Booking, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { bookingTopic, changeTopic } from "../shifts/record/record.ts";
import { accept, type Seat } from "./accept.ts";
import { withdraw } from "./withdraw.ts";

/** Books a candidate, and waits for the provider. Returns the booking as it is then. */
export async function acceptAndWait(deps: Deps, seat: Seat): Promise<Booking> {
  return awaitBooking(deps, await accept(deps, seat), ({ status }) => status !== "pending");
}

/** Withdraws a candidate, and waits for the provider. `kept`: the provider has kept the candidate on the shift. */
export async function withdrawAndWait(deps: Deps, seat: Seat): Promise<"released" | "kept" | "pending"> {
  const isOver = ({ status }: Booking) => status === "released" || status === "failed";
  const isKept = ({ status, withdrawn_at }: Booking) => status === "confirmed" && withdrawn_at === null;
  const withdrawn = await withdraw(deps, seat);
  const booking = await awaitBooking(deps, withdrawn, (seen) => isOver(seen) || isKept(seen));
  if (isKept(booking)) return "kept";
  return isOver(booking) ? "released" : "pending";
}

/** Waits for the provider until `isSettled` holds for the booking or the time limit is over. Returns the booking as it is then. */
function awaitBooking(
  deps: Deps,
  { provider_id, booking_id }: Booking,
  isSettled: (booking: Booking) => boolean,
): Promise<Booking> {
  const read = () =>
    deps.database.kysely
      .selectFrom("bookings")
      .selectAll()
      .where("provider_id", "=", provider_id)
      .where("booking_id", "=", booking_id)
      .executeTakeFirstOrThrow();
  return waitFor(deps, bookingTopic(booking_id), read, isSettled);
}

/** Waits for the provider until the change is settled or the time limit is over. Returns the change as it is then. */
export function awaitChange(deps: Deps, { provider_id, change_id }: ShiftChange): Promise<ShiftChange> {
  const read = () =>
    deps.database.kysely
      .selectFrom("shift_changes")
      .selectAll()
      .where("provider_id", "=", provider_id)
      .where("change_id", "=", change_id)
      .executeTakeFirstOrThrow();
  return waitFor(deps, changeTopic(change_id), read, ({ status }) => status !== "pending");
}

/** Reads the row after each signal: a signal means only that the row may have changed. */
async function waitFor<Row>(
  { signals, timing }: Deps,
  topic: string,
  read: () => Promise<Row>,
  isSettled: (row: Row) => boolean,
): Promise<Row> {
  const deadline = performance.now() + timing.answerWithinMs;
  for (;;) {
    const leftMs = Math.max(0, deadline - performance.now());
    const { signal, cancel } = signals.next(topic, leftMs);
    const row = await read();
    if (isSettled(row) || leftMs === 0) {
      cancel();
      return row;
    }
    await signal;
  }
}
