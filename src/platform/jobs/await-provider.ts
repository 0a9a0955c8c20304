import type { Booking, ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { bookingTopic, changeTopic } from "../shifts/record/record.ts";
import { type AnswerCheck, accept, type Seat, withdraw } from "./accept.ts";

/** Books a candidate, and waits for the provider. Returns the booking as it is then. */
export async function acceptAndWait(deps: Deps, seat: Seat, check?: AnswerCheck): Promise<Booking> {
  return awaitBooking(deps, await accept(deps, seat, check), ({ status }) => status !== "pending");
}

/** Withdraws a candidate, and waits for the provider. `kept`: the provider has kept the candidate on the shift. */
export async function withdrawAndWait(
  deps: Deps,
  seat: Seat,
  check?: AnswerCheck,
): Promise<"released" | "kept" | "pending"> {
  const isOver = ({ status }: Booking) => status === "released" || status === "failed";
  const isKept = ({ status, withdrawnAt }: Booking) => status === "confirmed" && withdrawnAt === null;
  const withdrawn = await withdraw(deps, seat, check);
  const booking = await awaitBooking(deps, withdrawn, (seen) => isOver(seen) || isKept(seen));
  if (isKept(booking)) return "kept";
  return isOver(booking) ? "released" : "pending";
}

/** Waits for the provider until `isSettled` holds for the booking or the time limit is over. Returns the booking as it is then. */
function awaitBooking(
  deps: Deps,
  { providerId, bookingId }: Booking,
  isSettled: (booking: Booking) => boolean,
): Promise<Booking> {
  const read = () =>
    deps.database.kysely
      .selectFrom("bookings")
      .selectAll()
      .where("providerId", "=", providerId)
      .where("bookingId", "=", bookingId)
      .executeTakeFirstOrThrow();
  return waitFor(deps, bookingTopic(bookingId), read, isSettled);
}

/** Waits for the provider until the change is settled or the time limit is over. Returns the change as it is then. */
export function awaitChange(deps: Deps, { providerId, changeId }: ShiftChange): Promise<ShiftChange> {
  const read = () =>
    deps.database.kysely
      .selectFrom("shiftChanges")
      .selectAll()
      .where("providerId", "=", providerId)
      .where("changeId", "=", changeId)
      .executeTakeFirstOrThrow();
  return waitFor(deps, changeTopic(changeId), read, ({ status }) => status !== "pending");
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
