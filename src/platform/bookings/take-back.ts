import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues/issues.ts";
import { later } from "../queue/later.ts";
import type { TaskEnd, Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { aboutOf, type BookingCase, providerCandidateOf, stepOf } from "./case.ts";
import { type ProviderCandidate, whoIs } from "./provider-candidate.ts";
import { enqueueBooking } from "./queue.ts";

/** Queues it, and holds on to the person until it has ended (erase.ts). */
export async function recall(trx: Trx, deps: Deps, { booking, job }: BookingCase): Promise<void> {
  await noteRecalled(trx, booking, deps.now());
  await enqueueBooking(trx, deps, job.provider_id, booking, "take_back");
}

async function noteRecalled(trx: Trx, { booking_id }: Booking, recalled_at: Date | null): Promise<void> {
  await trx.updateTable("bookings").set({ recalled_at }).where("booking_id", "=", booking_id).execute();
}

type Call = { traceId: string; signal: AbortSignal };

/**
 * A booking failed after the provider may have put the candidate on the shift, such as when the answers got lost: takes the candidate
 * off again, so that both sides agree that the seat is free. Runs behind the tries that failed and before the person's next booking.
 */
export async function takeBack(deps: Deps, of: BookingCase, signal: AbortSignal): Promise<TaskEnd> {
  if (of.booking.status !== "failed" || (await isErased(deps, of.booking))) return { end: "done" };
  return takeOffAgain(deps, of, signal);
}

/** Looks for the candidate, creates nobody, and takes off the shift whom the provider may have put on it. */
export async function takeOffAgain(deps: Deps, of: BookingCase, signal: AbortSignal): Promise<TaskEnd> {
  const call = { traceId: of.booking.trace_id, signal };
  const who = await known(deps, of, call);
  switch (who?.kind) {
    case undefined:
      return { end: "done", write: (trx) => settle(trx, deps, of, "the provider has no such candidate") };
    case "candidate":
      return takeOff(deps, of, who.id, call);
    case "ambiguous":
      return { end: "done", write: (trx) => leave(trx, deps, of, "The provider knows several candidates.") };
    case "refused":
      return {
        end: "done",
        write: (trx) => leave(trx, deps, of, `The provider refused: status ${who.status}.`),
      };
    case "unavailable":
      return later(who, (trx) => recordSteps(trx, [again(of, who.reason)]));
  }
}

/** As only somebody is whose shift is over, or whom the provider kept for good. */
async function isErased({ database }: Deps, { candidate_id }: Booking): Promise<boolean> {
  const { erased_at } = await database.kysely
    .selectFrom("candidates")
    .select("erased_at")
    .where("candidate_id", "=", candidate_id)
    .executeTakeFirstOrThrow();
  return erased_at !== null;
}

async function takeOff(deps: Deps, of: BookingCase, candidateId: string, call: Call): Promise<TaskEnd> {
  const seat = { shiftId: of.job.shift_id, candidateId };
  const answer = await deps.clientFor(of.integration).unassign(seat, call);
  switch (answer.kind) {
    case "unassigned":
      return { end: "done", write: (trx) => settle(trx, deps, of, "provider confirmed") };
    case "refused":
      return {
        end: "done",
        write: (trx) => leave(trx, deps, of, `The provider refused: ${answer.code ?? answer.status}.`),
      };
    case "unavailable":
      return later(answer, (trx) => recordSteps(trx, [again(of, answer.reason)]));
  }
}

/** Nobody is created here. Undefined: the provider does not know the person, so it has nobody on the shift. */
async function known(deps: Deps, of: BookingCase, call: Call): Promise<ProviderCandidate | undefined> {
  const id = await providerCandidateOf(deps.database.kysely, of);
  if (id !== undefined) return { kind: "candidate", id, how: "found" };
  return whoIs(deps, deps.clientFor(of.integration), of.booking.candidate_id, call);
}

async function settle(trx: Trx, deps: Deps, of: BookingCase, verdict: string): Promise<void> {
  await noteRecalled(trx, of.booking, null);
  await recordSteps(trx, [stepOf(of, "unassign", `${why(of)}: ${verdict}`)]);
  await resolveIssues(trx, deps, { ...aboutOf(of), codes: ["unassign_failed"] });
}

/** The provider may still have the candidate on the shift, where our seat is free: a person has to settle it. */
export async function leave(trx: Trx, deps: Deps, of: BookingCase, detail: string): Promise<void> {
  const { trace_id: traceId } = of.booking;
  await noteRecalled(trx, of.booking, null);
  await raiseIssue(trx, deps, { ...aboutOf(of), code: "unassign_failed", detail, traceId });
  await recordSteps(trx, [stepOf(of, "unassign", `${why(of)}: not confirmed`)]);
}

const why = ({ booking }: BookingCase) =>
  booking.withdrawn_at === null ? "after the failure" : "after the withdrawal";

const again = (of: BookingCase, reason: string) => stepOf(of, "unassign", `will be tried again: ${reason}`);
