import type { AnswerCode } from "../../../generated/candidate/types.ts";
import type { RefusalCode } from "../../contract/candidate-text/page-words.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { Deps } from "../deps.ts";
import { acceptAndWait, withdrawAndWait } from "../jobs/await-provider.ts";
import { lockJob, seatsOf } from "../jobs/job.ts";
import { withdrawOffers } from "../notifications/offers.ts";
import { transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { disown } from "./disown.ts";
import type { LinkedShift } from "./shift.ts";

/** Carries out the answer of a candidate. Returns why it was refused, if it was: the shift, read again, says what holds now. */
export async function answerShift(
  deps: Deps,
  shift: LinkedShift,
  answer: AnswerCode,
): Promise<RefusalCode | undefined> {
  try {
    return await ANSWERS[answer](deps, shift);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 409)
      return REFUSALS[error.problem.code] ?? "not_possible";
    throw error;
  }
}

const REFUSALS: Readonly<Record<string, RefusalCode>> = {
  booking_overlaps: "overlaps",
  competence_missing: "unsuitable",
  candidate_not_released: "unsuitable",
};

type Answer = (deps: Deps, shift: LinkedShift) => Promise<RefusalCode | undefined>;

const ANSWERS: Readonly<Record<AnswerCode, Answer>> = {
  accept: async (deps, shift) => {
    await acceptAndWait(deps, shift);
    await deps.database.kysely
      .deleteFrom("declines")
      .where("provider_id", "=", shift.providerId)
      .where("job_id", "=", shift.jobId)
      .where("candidate_id", "=", shift.candidateId)
      .execute();
    return undefined;
  },
  withdraw: async (deps, shift) => {
    if (shift.state !== "pending" && shift.state !== "confirmed") return undefined;
    return (await withdrawAndWait(deps, shift)) === "kept" ? "kept" : undefined;
  },
  decline: (deps, shift) => decline(deps, shift),
  not_me: async (deps, shift) => {
    await disown(deps, shift);
    return undefined;
  },
};

/** Ends the offers of the shift to the candidate. The lock of the job keeps a new offer out meanwhile. */
function decline(
  deps: Deps,
  { providerId, jobId, candidateId }: LinkedShift,
): Promise<RefusalCode | undefined> {
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, jobId);
    const seats = await seatsOf(trx, job);
    if (seats.some(({ candidate_id }) => candidate_id === candidateId)) return "booked";
    const at = deps.now();
    await trx
      .insertInto("declines")
      .values({ provider_id: providerId, job_id: jobId, candidate_id: candidateId, declined_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await withdrawOffers(trx, job, at, candidateId);
    // The next wave goes out once all of this one have declined.
    if (deps.offerWaves.size > 0) markRefreshDue(trx, deps, [{ providerId, key: { wave: job.shift_id } }]);
    return undefined;
  });
}
