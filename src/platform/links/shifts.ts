import { sql } from "kysely";
import type { Language } from "../../../generated/operations/types.ts";
import type { ListedStateCode } from "../../contract/candidate-text/page-words.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { EMAIL, FIRST_NAME, ofOrganisation } from "../candidates/eligible.ts";
import type { Deps, LinkTarget } from "../deps.ts";
import { transact } from "../transaction.ts";
import { hasLinkEnded, partOf, SHIFT_TABLES, type ShiftRow, type ShownShift, shiftColumns } from "./shift.ts";

/** To whom a link to all shifts of a candidate at an organisation, or one that ends mail with offers, leads. */
export interface LinkedPerson {
  firstName: string;
  address: string;
  organisation: string;
  language: Language;
  target: LinkTarget;
  /** Wants no mail with offers. */
  isUnsubscribed: boolean;
}

interface PersonRow extends Omit<LinkedPerson, "language" | "target"> {
  salt: number;
  candidateLanguage: Language | null;
  organisationLanguage: Language | null;
}

/** Returns the person of a link; undefined if the link has ended. */
export async function readLinkedPerson(
  { database, language }: Pick<Deps, "database" | "language">,
  target: LinkTarget,
): Promise<LinkedPerson | undefined> {
  const { providerId, id, salt } = target;
  const { rows } = await sql<PersonRow>`
    select ${FIRST_NAME} as "firstName", ${EMAIL} as address, integrations.name as organisation, candidates.language as "candidateLanguage",
      integrations.language as "organisationLanguage", coalesce(personal_links.salt, 0) as salt, unsubscribed_at is not null as "isUnsubscribed"
    from integrations join candidates on candidates.candidate_id = ${id} and erased_at is null ${ofOrganisation(providerId)}
      left join personal_links on personal_links.provider_id = ${providerId} and personal_links.candidate_id = candidates.candidate_id
    where integrations.provider_id = ${providerId}`.execute(database.kysely);
  const [row] = rows;
  if (row?.salt !== salt) return undefined;
  const { candidateLanguage, organisationLanguage, salt: _, ...person } = row;
  return { ...person, target, language: candidateLanguage ?? organisationLanguage ?? language };
}

/** Ends mail with offers, or takes that back. Mail that has not been handed to the mail server yet is not sent any more. */
export async function subscribe(
  deps: Pick<Deps, "database" | "now">,
  { target: { providerId, id: candidateId, salt }, isUnsubscribed }: LinkedPerson,
  wants: boolean,
): Promise<void> {
  if (wants === !isUnsubscribed) return;
  const unsubscribedAt = wants ? null : deps.now();
  await transact(deps, async (trx) => {
    await trx
      .insertInto("personalLinks")
      .values({ providerId, candidateId, salt, unsubscribedAt })
      .onConflict((conflict) =>
        conflict.columns(["providerId", "candidateId"]).doUpdateSet({ unsubscribedAt }),
      )
      .execute();
  });
}

/** So long after its end a booking is listed. */
const LISTED_AFTER_END_MS = 31 * DAY_MS;
/** The most shifts of a list. */
const LISTED = 200;

/** What a link to all shifts leads to. */
export interface LinkedShifts extends LinkedPerson {
  upcoming: readonly ListedShift[];
  /** The latest first. */
  past: readonly ListedShift[];
}

export interface ListedShift extends ShownShift {
  state: ListedStateCode;
  /** Of the shift's own link; undefined if it has none, or it has ended. */
  link: LinkTarget | undefined;
  /** Identifies the candidate's entry in calendars. */
  uid: string;
  sequence: number;
}

/** Returns the shifts of a link as they are now, for its candidate; undefined if the link has ended. */
export async function readLinkedShifts(
  deps: Pick<Deps, "database" | "now" | "language">,
  target: LinkTarget,
): Promise<LinkedShifts | undefined> {
  const person = await readLinkedPerson(deps, target);
  if (!person) return undefined;
  const shifts = await readShifts(deps, target);
  const isPast = ({ endTime }: ListedShift) => endTime <= deps.now();
  return {
    ...person,
    upcoming: shifts.filter((shift) => !isPast(shift)),
    past: shifts.filter(isPast).reverse(),
  };
}

interface Row extends ShiftRow {
  notificationId: string | null;
  linkSalt: number | null;
  uid: string;
  sequence: number;
}

/** In the order of their starts. */
async function readShifts(
  { database, now }: Pick<Deps, "database" | "now">,
  { providerId, id }: LinkTarget,
): Promise<ListedShift[]> {
  const { rows } = await sql<Row>`
    with shown as (
      select notification_id, link_salt, ${shiftColumns(providerId)}
      from candidates join integrations on integrations.provider_id = ${providerId}
        join jobs on jobs.provider_id = ${providerId} and jobs.end_time > ${new Date(now().getTime() - LISTED_AFTER_END_MS)}
          and jobs.job_id in (
            select job_id from bookings where bookings.provider_id = ${providerId} and bookings.candidate_id = ${id}
            union select job_id from own_people where own_people.provider_id = ${providerId} and own_people.candidate_id = ${id}
            union select job_id from notifications as offer where offer.provider_id = ${providerId} and offer.candidate_id = ${id}
              and offer.kind = 'job_offered' and offer.withdrawn_at is null)
        left join lateral (select notification_id, link_salt from notifications as latest where latest.provider_id = ${providerId}
          and latest.candidate_id = ${id} and latest.job_id = jobs.job_id order by notification_id desc limit 1) as latest on true
        ${SHIFT_TABLES}
      where candidates.candidate_id = ${id}
      order by start_time desc, jobs.job_id limit ${LISTED}::int)
    select shown.*, coalesce((booking ->> 'uid')::uuid, md5(job_id::text || ${id}::text)::uuid) as uid, greatest(0, (
        select count(*)::int - 1 from notifications as about where about.provider_id = ${providerId} and about.candidate_id = ${id}
          and about.calendar_uid = (booking ->> 'uid')::uuid)) as sequence
    from shown order by start_time, job_id`.execute(database.kysely);
  return rows.flatMap((row): ListedShift[] => {
    const { state, ...part } = partOf(row, now());
    if (!isListed(state) || (state === "cancelled" && row.booking === null)) return [];
    const { notificationId, linkSalt, endTime } = row;
    const isOpen = notificationId !== null && linkSalt !== null && !hasLinkEnded(endTime, now());
    const link = isOpen ? { providerId, id: notificationId, salt: linkSalt } : undefined;
    return [{ ...row, ...part, state, link }];
  });
}

const LISTED_STATES: readonly string[] = [
  "offered",
  "pending",
  "confirmed",
  "withdrawing",
  "cancelled",
] satisfies ListedStateCode[];

const isListed = (state: string): state is ListedStateCode => LISTED_STATES.includes(state);
