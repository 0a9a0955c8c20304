import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues/issues.ts";
import { bookingTopic } from "../jobs/close.ts";
import { lockJob } from "../jobs/job.ts";
import { later } from "../queue/later.ts";
import type { TaskEnd, Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { aboutOf, type BookingCase, moveBooking, stepOf, tellCandidate } from "./case.ts";

/** Takes the candidate off the provider's shift; the seat is free once the provider confirmed. */
export async function unassign(deps: Deps, of: BookingCase, signal: AbortSignal): Promise<TaskEnd> {
  const { booking, job, integration } = of;
  const candidateId = booking.provider_candidate_id;
  if (booking.status !== "confirmed" || candidateId === null) return { end: "done" };
  const call = { traceId: booking.trace_id, signal };
  const startedAt = performance.now();
  const answer = await deps.clientFor(integration).unassign({ shiftId: job.shift_id, candidateId }, call);
  const ms = performance.now() - startedAt;
  if (answer.kind === "unavailable") {
    const verdict = `will be tried again: ${answer.reason}`;
    return later(answer, (trx) => recordSteps(trx, [stepOf(of, "unassign", verdict, ms)]));
  }
  if (answer.kind === "refused") {
    const reason = answer.code ?? `status ${answer.status}`;
    return { end: "done", write: (trx) => keepBooking(trx, deps, of, `The provider refused: ${reason}.`) };
  }
  return {
    end: "done",
    write: async (trx) => {
      await recordSteps(trx, [stepOf(of, "unassign", "provider confirmed", ms)]);
      await moveBooking(trx, deps, of, { status: "released", reason: "withdrawn" });
      await resolveIssues(trx, deps, { ...aboutOf(of), codes: ["unassign_failed"] });
    },
  };
}

/** The provider still has the candidate, so the booking stays; a person has to settle it. */
export async function keepBooking(trx: Trx, deps: Deps, of: BookingCase, detail: string): Promise<void> {
  const { booking } = of;
  const job = await lockJob(trx, booking.job_id);
  await trx
    .updateTable("bookings")
    .set({ withdrawn_at: null })
    .where("booking_id", "=", booking.booking_id)
    .execute();
  await raiseIssue(trx, deps, {
    ...aboutOf(of),
    code: "unassign_failed",
    detail,
    traceId: booking.trace_id,
  });
  await recordSteps(trx, [stepOf(of, "unassign", "provider kept the candidate")]);
  // Nobody was told of a confirmation that came after the withdrawal.
  if (job && booking.status === "confirmed")
    await tellCandidate(trx, deps, booking, job, { status: "confirmed" });
  await deps.signals.emit(trx, bookingTopic(booking.booking_id));
}
