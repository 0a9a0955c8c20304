import type { AnswerCode, ShiftAnswer } from "../../../generated/candidate/types.ts";
import type { RefusalCode } from "../../contract/candidate-text/page-words.ts";
import { ProblemError } from "../../runtime/problem.ts";
import { newLinkSalt } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { type AnswerCheck, acceptAndWait, withdrawAndWait } from "../jobs/accept.ts";
import { lockJob, seatsOf } from "../jobs/job.ts";
import { raiseRefused } from "../notifications/mail-issues.ts";
import { publishNotification } from "../notifications/notify.ts";
import { withdrawOffers } from "../notifications/offers.ts";
import { transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { type LinkedShift, readShown } from "./shift.ts";

/** Carries out the answer of a candidate. Returns why it was refused, if it was: the shift, read again, says what holds now. */
export async function answerShift(
  deps: Deps,
  shift: LinkedShift,
  { answer, shown }: ShiftAnswer,
): Promise<RefusalCode | undefined> {
  try {
    return await ANSWERS[answer](deps, shift, isAsShown(shown));
  } catch (error) {
    if (error instanceof NotAsShown) return error.refusal;
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

class NotAsShown extends Error {
  readonly refusal: RefusalCode;

  constructor(refusal: RefusalCode) {
    super("The page that was answered showed another shift.");
    this.refusal = refusal;
  }
}

/** Refuses an answer about other times, another place or another role than those of now. */
const isAsShown =
  (shown: string | undefined): AnswerCheck =>
  async (trx, job) => {
    if (shown === undefined) throw new NotAsShown("unseen");
    if (shown !== (await readShown(trx, job))) throw new NotAsShown("changed");
  };

type Answer = (deps: Deps, shift: LinkedShift, check: AnswerCheck) => Promise<RefusalCode | undefined>;

const ANSWERS: Readonly<Record<AnswerCode, Answer>> = {
  accept: async (deps, shift, check) => {
    await acceptAndWait(deps, shift, check);
    await deps.database.kysely
      .deleteFrom("declines")
      .where("providerId", "=", shift.providerId)
      .where("jobId", "=", shift.jobId)
      .where("candidateId", "=", shift.candidateId)
      .execute();
    return undefined;
  },
  withdraw: async (deps, shift, check) => {
    if (shift.state !== "pending" && shift.state !== "confirmed") return undefined;
    return (await withdrawAndWait(deps, shift, check)) === "kept" ? "kept" : undefined;
  },
  decline: async (deps, shift, check) =>
    shift.state === "declined" ? undefined : decline(deps, shift, check),
  not_me: async (deps, shift) => {
    await disown(deps, shift);
    return undefined;
  },
};

/** Ends the offers of the shift to the candidate. The lock of the job keeps a new offer out meanwhile. */
function decline(
  deps: Deps,
  { providerId, jobId, candidateId }: LinkedShift,
  check: AnswerCheck,
): Promise<RefusalCode | undefined> {
  return transact(deps, async (trx) => {
    const job = await lockJob(trx, jobId);
    const seats = await seatsOf(trx, job);
    if (seats.some((seat) => seat.candidateId === candidateId)) return "booked";
    await check(trx, job);
    const at = deps.now();
    await trx
      .insertInto("declines")
      .values({ providerId, jobId, candidateId, declinedAt: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await withdrawOffers(trx, job, at, candidateId);
    // The next wave goes out once all of this one have declined.
    if (deps.offerWaves.size > 0) markRefreshDue(trx, deps, [{ providerId, key: { wave: job.shiftId } }]);
    return undefined;
  });
}

interface Disowned {
  providerId: string;
  candidateId: string;
  /** Where the mail has arrived. */
  address: string;
  /** Of the page that was answered; otherwise the newest one. */
  notificationId?: string;
}

/**
 * The reader of the mail is someone else: ends all links of the candidate at the organisation, sends no more to the address, and raises an issue about the
 * notification, which has not reached the candidate.
 */
export async function disown(
  deps: Deps,
  { providerId, candidateId, address, notificationId }: Disowned,
): Promise<void> {
  await transact(deps, async (trx) => {
    const at = deps.now();
    const salt = newLinkSalt();
    await trx
      .insertInto("disputedAddresses")
      .values({ providerId, candidateId, address, disputedAt: at })
      .onConflict((conflict) =>
        conflict.columns(["providerId", "candidateId"]).doUpdateSet({ address, disputedAt: at }),
      )
      .execute();
    const ended = await trx
      .updateTable("notifications")
      .set({ linkSalt: salt })
      .where("providerId", "=", providerId)
      .where("candidateId", "=", candidateId)
      .returning(["notificationId", "jobId", "kind", "traceId"])
      .execute();
    await trx
      .insertInto("personalLinks")
      .values({ providerId, candidateId, salt })
      .onConflict((conflict) => conflict.columns(["providerId", "candidateId"]).doUpdateSet({ salt }))
      .execute();
    const read =
      ended.find((each) => each.notificationId === notificationId) ??
      ended.toSorted((a, b) => (a.notificationId < b.notificationId ? 1 : -1))[0];
    if (!read) return;
    const { traceId, ...notification } = read;
    await trx
      .updateTable("notifications")
      .set({ deliveredAt: null, deliveryError: "address_disputed", deliveryParams: "{}" })
      .where("providerId", "=", providerId)
      .where("notificationId", "=", read.notificationId)
      .execute();
    publishNotification(trx, { ...notification, candidateId }, null);
    await raiseRefused(trx, deps, {
      providerId,
      notificationId: read.notificationId,
      candidateId,
      traceId,
      params: { kind: read.kind, delivery: "address_disputed" },
    });
  });
}
