import { sql } from "kysely";
import type { WaitCode } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { EMAIL, ofOrganisation } from "../candidates/membership.ts";
import { lockNames } from "../db/name-locks.ts";
import type { Deps, OfferMailLimits } from "../deps.ts";
import { placeOfLocks, type Trx } from "../transaction.ts";
import type { Claim } from "../work/rows.ts";

/** A mail with offers. `sentAt` is unset until the mail server has accepted it. */
export interface OfferMail {
  at: Date;
  sentAt: Date | null;
}

export interface Wait {
  /** Milliseconds since 1970. */
  until: number;
  for: Exclude<WaitCode, "mail_server">;
}

/** Returns until when the next mail with offers has to wait, and for which limit; undefined when it may be sent now. */
export function waitOf(
  mails: readonly OfferMail[],
  now: number,
  { everyMs, perDay }: OfferMailLimits,
): Wait | undefined {
  // A mail that is not sent yet starts its window at any time from now on. So does one of a clock that was ahead.
  const sent = mails.map(({ sentAt }) => Math.min(now, sentAt?.getTime() ?? now)).sort((a, b) => b - a);
  const counted = mails.map(({ at, sentAt }) => (sentAt ?? at).getTime()).sort((a, b) => b - a);
  const window = (sent[0] ?? Number.NEGATIVE_INFINITY) + everyMs;
  const limit = perDay > 0 ? (counted[perDay - 1] ?? Number.NEGATIVE_INFINITY) + DAY_MS : 0;
  if (Math.max(window, limit) <= now) return undefined;
  return limit > window ? { until: limit, for: "daily_limit" } : { until: window, for: "offer_window" };
}

/** Mail to another address, which another organisation's registry asserts, must not delay this one. */
const ADDRESS = sql`lower(${EMAIL})`;

/**
 * Takes the person's turn for a mail with offers, and returns undefined; otherwise returns until when it has to wait. An urgent one does not wait,
 * but counts. A lock makes the person's turns of all organisations and processes follow each other.
 */
export async function takeTurn(
  trx: Trx,
  { now, offerMail }: Pick<Deps, "now" | "offerMail">,
  { providerId, key: candidateId }: Claim,
  { digestId, isUrgent }: { digestId: string; isUrgent: boolean },
): Promise<Wait | undefined> {
  const at = now();
  await lockNames("offerMails", [candidateId]).execute(await placeOfLocks(trx));
  await sql`delete from offer_mails where candidate_id = ${candidateId}
    and (coalesce(sent_at, at) <= ${new Date(at.getTime() - DAY_MS)} or provider_id = ${providerId} and sent_at is null)`.execute(
    trx,
  );
  const { rows } = await sql<OfferMail>`
    select at, sent_at from offer_mails join candidates using (candidate_id)
      left join memberships using (provider_id, candidate_id)
    where candidate_id = ${candidateId} and ${ADDRESS} = (
      select ${ADDRESS} from candidates ${ofOrganisation(providerId)} where candidates.candidate_id = ${candidateId})`.execute(
    trx,
  );
  const wait = waitOf(rows, at.getTime(), offerMail);
  if (wait && !isUrgent) return wait;
  await trx
    .insertInto("offerMails")
    .values({ providerId, candidateId, digestId, at, sentAt: null })
    .execute();
  return undefined;
}

/** Records that the mail was sent. A mail that an operator requested has taken no turn. */
export async function noteTurn(trx: Trx, claim: Claim, digestId: string, sentAt: Date): Promise<void> {
  await trx
    .updateTable("offerMails")
    .set({ sentAt })
    .where("providerId", "=", claim.providerId)
    .where("candidateId", "=", claim.key)
    .where("digestId", "=", digestId)
    .execute();
}

/** Gives back a turn that no mail used: the mail was refused, or its offers no longer hold. */
export async function returnTurn(trx: Trx, { providerId, key }: Claim): Promise<void> {
  await trx
    .deleteFrom("offerMails")
    .where("providerId", "=", providerId)
    .where("candidateId", "=", key)
    .where("sentAt", "is", null)
    .execute();
}
