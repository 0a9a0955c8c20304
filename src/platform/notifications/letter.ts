import { sql } from "kysely";
import {
  calendarText,
  digestText,
  mailText,
  type NotificationValues,
} from "../../contract/candidate-text/mail.ts";
import { EMAIL, FIRST_NAME, mailboxOf } from "../candidates/eligible.ts";
import {
  IS_ATTEMPTED,
  IS_UNDELIVERED,
  JOINED_OUTLET_NAME,
  JOINED_ROLE_NAME,
  PLACE_NAMES,
} from "../db/fragments.ts";
import type { CalendarChange, Deps, Mail } from "../deps.ts";
import { transact } from "../transaction.ts";
import type { Claim } from "../work/rows.ts";
import { heldInMs, stillHolds, takeTurn, urgentAt } from "./mail-due.ts";

/** The most offers that one mail names. The others wait for the next one. */
const OFFERS_PER_MAIL = 50;

/** A waiting notification. */
export interface Waiting extends NotificationValues {
  notificationId: string;
  jobId: string;
  traceId: string;
  address: string;
  mailbox: string;
  resends: number;
  /** Of its link. */
  salt: number;
  /** Of the recipient's links to all shifts. */
  ownSalt: number;
  digestId: string | null;
  startTime: Date;
  /** The reader of mail to this address has said that the candidate is someone else. */
  isDisputed: boolean;
  /** Wants no mail with offers of the organisation. */
  isUnsubscribed: boolean;
  /** Until its shift may be offered again by mail. Milliseconds. */
  heldInMs: number | null;
  /** How many wait, this one included. */
  total: number;
  organisation: string;
  outletAddress: string | null;
  endTime: Date;
  assignment: Assignment | null;
}

/** The assignment in the recipient's calendar that a notification is about. */
interface Assignment {
  uid: string;
  /** The number of earlier notifications about it. */
  sequence: number;
  isNewest: boolean;
  /** It was confirmed by this notification or before. */
  wasConfirmed: boolean;
}

/** With what the candidate was notified of before about the same shift. */
type Read = Omit<Waiting, "before" | "link" | "ownLink" | "unsubscribe"> & {
  earlier: Record<string, unknown> | null;
};

/** A mail, and the notifications that it delivers. */
export interface Letter {
  mail: Mail;
  waiting: readonly [Waiting, ...Waiting[]];
}

/**
 * Returns the next mail of a recipient: first those about bookings, in their order, then offers. Which offers a mail names is stored before it is
 * sent, so that each attempt has the same Message-ID and no other offers; those that hold no longer are left out. Otherwise returns how long offers
 * have to wait, if any do.
 */
export async function nextLetter(deps: Deps, claim: Claim): Promise<Letter | { waitMs?: number }> {
  for (;;) {
    const all = await readWaiting(deps, claim);
    const [first, ...rest] = all.filter(({ heldInMs }) => heldInMs === null);
    if (!first) return all.length === 0 ? {} : { waitMs: Math.min(...all.map((each) => each.heldInMs ?? 0)) };
    if (first.kind !== "job_offered") return letterOf(deps, claim, [first]);
    if (first.digestId !== null)
      return letterOf(deps, claim, [first, ...rest.filter(({ digestId }) => digestId === first.digestId)]);
    const waitMs = await fixDigest(deps, claim, [first, ...rest]);
    if (waitMs !== undefined) return { waitMs };
  }
}

function letterOf(
  { publicUrl, linkTokens, now }: Deps,
  { providerId, key }: Claim,
  waiting: readonly [Waiting, ...Waiting[]],
): Letter {
  const linked = (values: Waiting): Waiting => {
    if (publicUrl === undefined) return values;
    const { notificationId: id, salt, ownSalt, kind } = values;
    const own = { providerId, id: key, salt: ownSalt };
    return {
      ...values,
      link: `${publicUrl}/c/${linkTokens.sign("shift", { providerId, id, salt })}`,
      ownLink: `${publicUrl}/c/shifts/${linkTokens.sign("shifts", own)}`,
      // Mail about the person's own shifts is no subscription.
      ...(kind === "job_offered" && {
        unsubscribe: `${publicUrl}/c/unsubscribe/${linkTokens.sign("unsubscribe", own)}`,
      }),
    };
  };
  const [first, ...rest] = [linked(waiting[0]), ...waiting.slice(1).map(linked)] as const;
  const { notificationId, digestId, resends, address, organisation, total, unsubscribe } = first;
  const own = resends === 0 ? notificationId : `${notificationId}.${resends}`;
  const isOwn = first.kind !== "job_offered" || digestId === null || digestId === notificationId;
  const text = rest.length === 0 ? mailText(first) : digestText([first, ...rest], total - waiting.length);
  const mail: Mail = { id: isOwn ? own : digestId, address, organisation, unsubscribe, ...text };
  if (rest.length > 0) return { mail, waiting };
  const calendar = calendarOf(first, now());
  return { mail: { ...mail, thread: `shift.${first.jobId}`, ...(calendar && { calendar }) }, waiting };
}

/**
 * What the mail changes in the recipient's calendar. A mail that a later one overtakes, because it waited or an operator sends it again, changes nothing there. Neither
 * does one about an assignment that was not confirmed.
 */
function calendarOf(waiting: Waiting, at: Date): CalendarChange | undefined {
  const { assignment, kind, content, startTime, endTime, organisation, firstName } = waiting;
  if (!assignment?.isNewest || !assignment.wasConfirmed) return undefined;
  const isHeld = kind === "booking_confirmed" || kind === "shift_changed";
  const time = (named: unknown, now: Date) => (typeof named === "string" ? new Date(named) : now);
  return {
    method: isHeld ? "REQUEST" : "CANCEL",
    uid: assignment.uid,
    sequence: assignment.sequence,
    startTime: time(content.startTime, startTime),
    endTime: time(content.endTime, endTime),
    ...calendarText(waiting),
    organiser: organisation,
    attendee: firstName,
    at,
  };
}

/** Reads what waits for the recipient, in the order in which it is sent, unless the person was erased. Offers that are fixed precede others. */
async function readWaiting(
  { database, now, language }: Deps,
  { providerId, key }: Claim,
): Promise<Waiting[]> {
  const { rows } = await sql<Read>`
    select notification_id, job_id, notifications.trace_id, resends, link_salt as salt, coalesce(personal_links.salt, 0) as "ownSalt",
      digest_id, start_time, case when notifications.kind = 'job_offered' and digest_id is null then ${heldInMs(now())} end as "heldInMs",
      exists (select 1 from disputed_addresses as disputed where disputed.provider_id = notifications.provider_id
        and disputed.candidate_id = notifications.candidate_id and disputed.address = ${EMAIL}) as "isDisputed", unsubscribed_at is not null as "isUnsubscribed", (count(*) over ())::int as total,
      ${EMAIL} as address, ${mailboxOf(EMAIL)} as mailbox, ${FIRST_NAME} as "firstName", notifications.kind, content, integrations.name as organisation,
      coalesce(outlets.address, workplaces.address) as "outletAddress", end_time,
      case when notifications.calendar_uid is not null then (
        select json_build_object('uid', notifications.calendar_uid, 'sequence', count(*) filter (where other.notification_id < notifications.notification_id),
          'isNewest', coalesce(max(other.notification_id::text), '') <= notifications.notification_id::text,
          'wasConfirmed', bool_or(other.kind = 'booking_confirmed' and other.notification_id <= notifications.notification_id))
        from notifications as other where other.provider_id = notifications.provider_id and other.candidate_id = notifications.candidate_id
          and other.calendar_uid = notifications.calendar_uid) end as assignment,
      coalesce(candidates.language, integrations.language, ${language}) as language,
      (select earlier.content from notifications as earlier where earlier.provider_id = notifications.provider_id and earlier.job_id = jobs.job_id
        and earlier.candidate_id = notifications.candidate_id and earlier.notification_id < notifications.notification_id
        order by earlier.notification_id desc limit 1) as earlier,
      ${JOINED_OUTLET_NAME} as "outletName", ${JOINED_ROLE_NAME} as "roleName", time_zone
    from notifications join candidates using (candidate_id) join jobs using (provider_id, job_id)
      join integrations using (provider_id) left join memberships using (provider_id, candidate_id)
      left join personal_links using (provider_id, candidate_id) ${PLACE_NAMES}
      left join workplaces on workplaces.workplace_id = jobs.workplace_id
    where notifications.provider_id = ${providerId} and candidate_id = ${key} and ${IS_UNDELIVERED}
      and erased_at is null and ${IS_ATTEMPTED} and ${stillHolds(now())}
    order by (notifications.kind = 'job_offered'), case when notifications.kind <> 'job_offered' then notification_id end,
      digest_id nulls last, "heldInMs" nulls first, start_time, notification_id limit ${OFFERS_PER_MAIL}::int`.execute(
    database.kysely,
  );
  return rows.map(({ earlier, ...row }) => ({ ...row, before: timesBefore(earlier, row) }));
}

/** The times of the notification before, if they were others. */
function timesBefore(earlier: Read["earlier"], { content }: Pick<Waiting, "content">): Waiting["before"] {
  const { startTime, endTime } = earlier ?? {};
  if (typeof startTime !== "string" || typeof endTime !== "string") return undefined;
  if (startTime === content.startTime && endTime === content.endTime) return undefined;
  return { startTime: new Date(startTime), endTime: new Date(endTime) };
}

/** Fixes the offers of the next mail. If the recipient may not get one yet, returns after how many milliseconds to try again. */
async function fixDigest(
  deps: Deps,
  claim: Claim,
  offers: readonly [Waiting, ...Waiting[]],
): Promise<number | undefined> {
  const [soonest] = offers;
  const now = deps.now().getTime();
  const urgentInMs = urgentAt(soonest.startTime) - now;
  const isUrgent = urgentInMs <= 0;
  const digestId = offers.length === 1 ? soonest.notificationId : deps.newId();
  return transact(deps, async (trx) => {
    const wait = await takeTurn(trx, deps, claim, { digestId, mailbox: soonest.mailbox, isUrgent });
    if (wait) return isUrgent ? wait.until - now : Math.min(wait.until - now, urgentInMs);
    await trx
      .updateTable("notifications")
      .set({ digestId })
      .where("providerId", "=", claim.providerId)
      .where(
        "notificationId",
        "in",
        offers.map(({ notificationId }) => notificationId),
      )
      .where("digestId", "is", null)
      .execute();
    return undefined;
  });
}
