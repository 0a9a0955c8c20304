import { sql } from "kysely";
import type { NotificationKind, WaitCode } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../contract/timestamp.ts";
import { HOLDS_SEAT, lockNames } from "../db/fragments.ts";
import { providerOf } from "../db/organisation.ts";
import type { Deps, OfferMailLimits } from "../deps.ts";
import { placeOfLocks, type Trx } from "../transaction.ts";
import { type Claim, markDue, PRIORITY } from "../work/rows.ts";

/** How soon a shift starts whose mail allows no delay. */
const URGENT_WITHIN_MS = 12 * HOUR_MS;

/** Returns when a shift becomes urgent. Milliseconds since 1970. */
export const urgentAt = (startTime: Date | string): number =>
  new Date(startTime).getTime() - URGENT_WITHIN_MS;

interface Waiting {
  providerId: string;
  candidateId: string;
  kind: NotificationKind;
  startTime: string;
}

/** Makes the webhook due of the organisations of these notifications. */
export function markWebhookDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  waiting: readonly Pick<Waiting, "providerId">[],
): void {
  const providers = new Set(waiting.map(({ providerId }) => providerId));
  const due = [...providers].map(
    (providerId) => ({ providerId, kind: "webhook", key: "", priority: PRIORITY.event }) as const,
  );
  markDue(trx, deps, due);
}

/**
 * Makes the mail of each recipient due. Mail about a booking and an urgent offer are due now, and precede other offers. Another offer joins what
 * waits for the recipient already, and is due at the latest when it becomes urgent.
 */
export function markMailDue(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker" | "now">,
  waiting: readonly Waiting[],
): void {
  const now = deps.now().getTime();
  const due = waiting.map(({ providerId, candidateId: key, kind, startTime }) => {
    const mail = { providerId, kind: "mail", key } as const;
    if (kind !== "job_offered") return { ...mail, priority: PRIORITY.interactive };
    const joinsForMs = urgentAt(startTime) - now;
    return joinsForMs > 0
      ? { ...mail, priority: PRIORITY.background, joinsForMs }
      : { ...mail, priority: PRIORITY.event };
  });
  markDue(trx, deps, due);
}

/** How often a shift is offered to a person by mail in any 24 hours: its provider may move it as often as it likes. */
const SAME_SHIFT = 3;

/** How long the shift of an offer, over `notifications`, may not be offered again by mail, in milliseconds; null if it may. */
export const heldInMs = (now: Date) => sql<number | null>`(
  select (extract(epoch from mailed.delivered_at + interval '1 day' - ${now}::timestamptz) * 1000)::float8 from notifications as mailed
  where mailed.provider_id = notifications.provider_id and mailed.job_id = notifications.job_id and mailed.candidate_id = notifications.candidate_id
    and mailed.kind = 'job_offered' and mailed.delivered_at + interval '1 day' > ${now}
  order by mailed.delivered_at desc offset ${SAME_SHIFT - 1}::int limit 1)`;

/**
 * Whether a notification still holds, as SQL over `notifications` joined with `jobs`. An offer holds until it is withdrawn, the shift starts, or
 * the candidate is booked on it. `providerId`: that of all of them, where a statement names one.
 */
export const stillHolds = (now: Date, providerId?: string) => sql<boolean>`(notifications.withdrawn_at is null
  and (notifications.kind <> 'job_offered' or jobs.status = 'open' and jobs.start_time > ${now}
    and not exists (select 1 from bookings where bookings.provider_id = ${providerOf(providerId, "notifications.provider_id")}
      and bookings.job_id = notifications.job_id and bookings.candidate_id = notifications.candidate_id and ${HOLDS_SEAT})))`;

/** Whether the shift of a confirmation or change has started, so that the notification is of no more use. */
export const isTooLate = (
  now: Date,
) => sql<boolean>`(notifications.kind in ('booking_confirmed', 'shift_changed')
  and jobs.start_time <= ${now})`;

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

/** An urgent mail waits for no window, and until there were as many times the daily limit. */
const URGENT_TIMES = 2;

/** Returns until when the next mail with offers has to wait, and for which limit; undefined when it may be sent now. */
export function waitOf(
  mails: readonly OfferMail[],
  now: number,
  { everyMs, perDay }: OfferMailLimits,
  isUrgent = false,
): Wait | undefined {
  // A mail that is not sent yet starts its window at any time from now on. So does one of a clock that was ahead.
  const sent = mails.map(({ sentAt }) => Math.min(now, sentAt?.getTime() ?? now)).sort((a, b) => b - a);
  const counted = mails.map(({ at, sentAt }) => (sentAt ?? at).getTime()).sort((a, b) => b - a);
  const most = isUrgent ? URGENT_TIMES * perDay : perDay;
  const window = isUrgent ? 0 : (sent[0] ?? Number.NEGATIVE_INFINITY) + everyMs;
  const limit = perDay > 0 ? (counted[most - 1] ?? Number.NEGATIVE_INFINITY) + DAY_MS : 0;
  if (Math.max(window, limit) <= now) return undefined;
  return limit > window ? { until: limit, for: "daily_limit" } : { until: window, for: "offer_window" };
}

/**
 * Takes the turn of a mailbox for a mail of an organisation with offers, and returns undefined; otherwise returns until when it has to wait. An urgent one
 * has a limit of its own, and counts. A lock makes the turns of all people with that address, and of all processes, follow each other.
 */
export async function takeTurn(
  trx: Trx,
  { now, offerMail }: Pick<Deps, "now" | "offerMail">,
  { providerId, key: candidateId }: Claim,
  { digestId, mailbox, isUrgent }: { digestId: string; mailbox: string; isUrgent: boolean },
): Promise<Wait | undefined> {
  const at = now();
  await lockNames("offerMails", [`${providerId} ${mailbox}`]).execute(await placeOfLocks(trx));
  await sql`delete from offer_mails where provider_id = ${providerId}
    and (mailbox = ${mailbox} and coalesce(sent_at, at) <= ${new Date(at.getTime() - DAY_MS)}
      or candidate_id = ${candidateId} and sent_at is null)`.execute(trx);
  const mails = trx.selectFrom("offerMails").select(["at", "sentAt"]);
  const ofMailbox = mails.where("providerId", "=", providerId).where("mailbox", "=", mailbox);
  const wait = waitOf(await ofMailbox.execute(), at.getTime(), offerMail, isUrgent);
  if (wait) return wait;
  await trx
    .insertInto("offerMails")
    .values({ providerId, candidateId, digestId, mailbox, at, sentAt: null })
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
