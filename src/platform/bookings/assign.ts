import type { Refused } from "../../clients/provider/answer.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";
import type { Call } from "../../clients/provider/parts.ts";
import type { Deps } from "../deps.ts";
import { readAgain } from "../inbox/reconciliation.ts";
import { bookingSubject, type IssueCode, raiseIssue, resolveIssues } from "../issues/issues.ts";
import { lockJob } from "../jobs/job.ts";
import { later } from "../queue/later.ts";
import type { TaskEnd, Trx } from "../queue/task.ts";
import { recordSteps, type Step } from "../traces/trace.ts";
import { type BookingCase, moveBooking, rememberCandidate, stepOf } from "./case.ts";
import { findOrCreate } from "./provider-candidate.ts";
import { recall } from "./take-back.ts";
import { releaseWithdrawn } from "./withdraw.ts";

/** Puts the candidate on the provider's shift: look up, create who is not found, assign (contract section 1, flow 2). */
export async function assign(
  deps: Deps,
  of: BookingCase,
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<TaskEnd> {
  if (of.booking.status !== "pending") return { end: "done" };
  if (of.booking.withdrawn_at !== null) return releaseWithdrawn(deps, of, { signal, attempt });
  const call = { traceId: of.booking.trace_id, signal };
  const client = deps.clientFor(of.integration);
  const startedAt = performance.now();
  // The answer to an earlier try may have got lost.
  const mayBeAssigned = attempt > 1;
  const who = await findOrCreate(deps, client, of.booking, call);
  if (!who) return releaseWithdrawn(deps, of, { signal, attempt });
  const ms = performance.now() - startedAt;
  switch (who.kind) {
    case "candidate": {
      const end = await putOn(deps, { ...of, mayBeAssigned }, client, who.id, call);
      // Whatever becomes of the assignment, the provider has the person now.
      const known = async (trx: Trx) => {
        await lockJob(trx, of.job.job_id);
        await recordSteps(trx, [stepOf(of, "candidate", `${who.how} at the provider`, ms)]);
        await rememberCandidate(trx, of, who.id);
        await end.write?.(trx);
      };
      return { ...end, write: known };
    }
    case "ambiguous": {
      const detail = `The provider knows ${who.matches} candidates under one personal number.`;
      const code = "candidate_ambiguous";
      return fail(deps, of, { code, detail, reason: code, mayBeAssigned });
    }
    case "refused":
      return refuse(deps, { ...of, mayBeAssigned }, who, "candidate", ms);
    case "unavailable":
      return later(who, (trx) => recordSteps(trx, [again(of, "candidate", who.reason, ms)]));
  }
}

interface TriedCase extends BookingCase {
  mayBeAssigned: boolean;
}

async function putOn(
  deps: Deps,
  of: TriedCase,
  client: ProviderClient,
  candidateId: string,
  call: Call,
): Promise<TaskEnd> {
  const startedAt = performance.now();
  const answer = await client.assign({ shiftId: of.job.shift_id, candidateId }, call);
  const ms = performance.now() - startedAt;
  switch (answer.kind) {
    case "assigned":
      return { end: "done", write: (trx) => confirm(trx, deps, of, candidateId, ms) };
    case "refused":
      return refuse(deps, of, answer, "assign", ms);
    case "unavailable":
      return later(answer, (trx) => recordSteps(trx, [again(of, "assign", answer.reason, ms)]));
  }
}

/** What the confirmation of a booking settles. */
const SETTLED = ["booking_failed", "candidate_ambiguous", "provider_refused", "unassign_failed"] as const;

async function confirm(
  trx: Trx,
  deps: Deps,
  of: BookingCase,
  providerCandidateId: string,
  ms: number,
): Promise<void> {
  const isBooked = await moveBooking(trx, deps, of, { status: "confirmed", providerCandidateId });
  const verdict = isBooked ? "provider confirmed" : "provider confirmed, but the booking had ended";
  await recordSteps(trx, [stepOf(of, "assign", verdict, ms)]);
  const { job, booking } = of;
  const subject = bookingSubject(job.shift_id, booking.candidate_id);
  await resolveIssues(trx, deps, { providerId: job.provider_id, subject, codes: SETTLED });
}

/** 404, 409, 410 and 422 are about this shift, which is not what it was: they release the seat, and it is read again. Any other refusal is about the integration. */
function refuse(deps: Deps, of: TriedCase, answer: Refused, step: Step["step"], ms: number): TaskEnd {
  const reason = answer.code ?? `status_${answer.status}`;
  const said = stepOf(of, step, `provider refused: ${reason}`, ms);
  if (step === "assign" && [404, 409, 410, 422].includes(answer.status)) {
    return {
      end: "done",
      write: async (trx) => {
        await recordSteps(trx, [said]);
        await moveBooking(trx, deps, of, { status: "released", reason });
        await readAgain(trx, deps, of.job);
      },
    };
  }
  const detail = `${step} was answered with status ${answer.status} (${reason}).`;
  // A success that contradicts itself is no proof that nobody was assigned.
  const mayBeAssigned = of.mayBeAssigned || answer.status < 300;
  return fail(deps, of, { code: "provider_refused", detail, reason, mayBeAssigned }, said);
}

interface Trouble {
  code: IssueCode;
  detail: string;
  reason: string;
  /** Then the provider is asked to take the candidate off again. */
  mayBeAssigned: boolean;
}

function fail(deps: Deps, of: BookingCase, trouble: Trouble, ...steps: Step[]): TaskEnd {
  return { end: "done", write: (trx) => failBooking(trx, deps, of, trouble, ...steps) };
}

/** The booking loses its seat, and a person has to look at it. */
export async function failBooking(
  trx: Trx,
  deps: Deps,
  of: BookingCase,
  { code, detail, reason, mayBeAssigned }: Trouble,
  ...steps: Step[]
): Promise<void> {
  const { job, booking } = of;
  await lockJob(trx, job.job_id);
  await recordSteps(trx, [...steps, stepOf(of, "booking", `failed: ${reason}`)]);
  const subject = bookingSubject(job.shift_id, booking.candidate_id);
  await raiseIssue(trx, deps, {
    code,
    providerId: job.provider_id,
    subject,
    detail,
    traceId: booking.trace_id,
  });
  const hasFailed = await moveBooking(trx, deps, of, { status: "failed", reason });
  if (hasFailed && mayBeAssigned) await recall(trx, deps, of);
}

function again(of: BookingCase, step: Step["step"], reason: string, ms: number): Step {
  return stepOf(of, step, `will be tried again: ${reason}`, ms);
}
