import type { Job } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import type { Trx } from "../../transaction.ts";
import { markRefreshDue } from "../../work/refresh.ts";
import { holdsSeat } from "../plan/draft.ts";
import type { ShiftState } from "../plan/state.ts";
import type { Write } from "../plan/writes.ts";

/**
 * Requests offers of other jobs at the time that the people booked on this one have become free, because a booking has ended or the shift has moved.
 * `before`: the state before the writes. `job`: the job after them, if it was written.
 */
export function markFreed(
  trx: Trx,
  deps: Deps,
  { providerId, job: before, bookings }: ShiftState,
  job: Job | undefined,
  writes: readonly Write[],
): void {
  const held = bookings.filter(holdsSeat).map(({ bookingId }) => bookingId);
  if (!before || held.length === 0 || before.endTime <= deps.now().getTime()) return;
  const { jobId, startTime: from, endTime: to } = before;
  const isEnded = writes.some(
    (write) =>
      write.write === "booking" &&
      held.includes(write.bookingId) &&
      write.patch.status !== undefined &&
      !holdsSeat({ status: write.patch.status }),
  );
  const hasMoved = job !== undefined && (job.start_time.getTime() > from || job.end_time.getTime() < to);
  if (isEnded || hasMoved) markRefreshDue(trx, deps, [{ providerId, key: { jobId, from, to } }]);
}
