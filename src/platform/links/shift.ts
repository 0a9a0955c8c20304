import { createHash } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { AnswerCode } from "../../../generated/candidate/types.ts";
import type { JobStatus, Language } from "../../../generated/operations/types.ts";
import type { ShiftStateCode } from "../../contract/candidate-text/page-words.ts";
import { DAY_MS, MINUTE_MS, wholeMinute } from "../../contract/timestamp.ts";
import { EMAIL, FIRST_NAME } from "../candidates/eligible.ts";
import {
  CALENDAR_UID,
  HOLDS_SEAT,
  JOINED_OUTLET_NAME,
  JOINED_ROLE_NAME,
  PLACE_NAMES,
} from "../db/fragments.ts";
import type { Booking, Job, Schema } from "../db/schema.ts";
import type { Deps, LinkTarget } from "../deps.ts";
import { isSilent } from "../integrations/conditions.ts";
import { publishNotification } from "../notifications/notify.ts";
import { transact } from "../transaction.ts";

/** A link opens its shift until so long after its end. */
const SHOWN_AFTER_END_MS = DAY_MS;

/** What a link to a shift leads to. */
export interface LinkedShift extends ShownShift {
  notificationId: string;
  openedAt: Date | null;
  address: string;
  firstName: string;
  contactPhone: string | null;
  language: Language;
  /** The times that the notification named, if others hold now. */
  before?: { startTime: Date; endTime: Date };
  /** The provider does not respond. */
  isSilent: boolean;
}

/** What an answer is about: it holds for no other times, place or role. */
interface ShownFacts {
  timeZone: string;
  roleName: string | null;
  outletName: string | null;
  outletAddress: string | null;
  startTime: Date;
  endTime: Date;
}

/** A shift as a page shows it to its candidate. */
export interface ShownShift extends ShownFacts {
  providerId: string;
  jobId: string;
  candidateId: string;
  organisation: string;
  breakMinutes: number | null;
  description: string | null;
  state: ShiftStateCode;
  /** The answers that are possible now, except `not_me`. */
  answers: readonly Exclude<AnswerCode, "not_me">[];
  /** Whether the candidate is booked, and cannot withdraw. */
  isTooLate: boolean;
}

type LatestBooking = Pick<Booking, "status" | "reason" | "withdrawnAt"> & { uid: string };

/** What decides on the candidate's part in a shift. */
export interface ShiftRow extends Omit<ShownShift, "state" | "answers" | "isTooLate"> {
  status: JobStatus;
  positions: number;
  taken: number;
  isAssigned: boolean;
  isActive: boolean;
  isBeingCancelled: boolean;
  hasDeclined: boolean;
  booking: LatestBooking | null;
}

interface Row extends ShiftRow, Omit<LinkedShift, keyof ShownShift | "before" | "language"> {
  salt: number;
  content: { startTime?: unknown; endTime?: unknown };
  candidateLanguage: Language | null;
  organisationLanguage: Language | null;
}

const FACT_COLUMNS = sql`time_zone, start_time, end_time,
  ${JOINED_OUTLET_NAME} as "outletName", ${JOINED_ROLE_NAME} as "roleName", coalesce(outlets.address, workplaces.address) as "outletAddress"`;

/** The columns of a `ShiftRow`, over the tables that `SHIFT_TABLES` joins, jobs, candidates and integrations. */
export const shiftColumns = (providerId: string): RawBuilder<unknown> => sql`
  jobs.provider_id, jobs.job_id, candidates.candidate_id, integrations.name as organisation,
  ${FACT_COLUMNS}, integrations.state = 'active' as "isActive", jobs.status, positions, break_minutes, jobs.description,
  own_people_count + (select count(*)::int from bookings where bookings.provider_id = ${providerId}
    and bookings.job_id = jobs.job_id and ${HOLDS_SEAT}) as taken,
  exists (select 1 from own_people where own_people.provider_id = ${providerId} and own_people.job_id = jobs.job_id
    and own_people.candidate_id = candidates.candidate_id) as "isAssigned",
  exists (select 1 from pending_operations as pending where pending.provider_id = ${providerId} and pending.shift_id = jobs.shift_id
    and pending.confirmed_at is null) as "isBeingCancelled",
  exists (select 1 from declines where declines.provider_id = ${providerId} and declines.job_id = jobs.job_id
    and declines.candidate_id = candidates.candidate_id) as "hasDeclined",
  (select json_build_object('status', bookings.status, 'reason', bookings.reason, 'withdrawnAt', bookings.withdrawn_at, 'uid', ${CALENDAR_UID})
    from bookings where bookings.provider_id = ${providerId} and bookings.job_id = jobs.job_id
      and bookings.candidate_id = candidates.candidate_id order by booking_id desc limit 1) as booking`;

export const SHIFT_TABLES = sql`${PLACE_NAMES} left join workplaces on workplaces.workplace_id = jobs.workplace_id`;

/** Returns the shift of a link as it is now, for its candidate; undefined if the link has ended. */
export async function readLinkedShift(
  { database, now, language }: Pick<Deps, "database" | "now" | "language">,
  { providerId, id, salt }: LinkTarget,
): Promise<LinkedShift | undefined> {
  const { rows } = await sql<Row>`
    select notification_id, link_salt as salt, link_opened_at as "openedAt", content, ${EMAIL} as address, ${FIRST_NAME} as "firstName",
      candidates.language as "candidateLanguage", integrations.language as "organisationLanguage", contact_phone,
      ${isSilent(sql`${providerId}::uuid`)} as "isSilent", ${shiftColumns(providerId)}
    from notifications join candidates using (candidate_id) join jobs using (provider_id, job_id)
      join integrations using (provider_id) left join memberships using (provider_id, candidate_id) ${SHIFT_TABLES}
    where notifications.provider_id = ${providerId} and notification_id = ${id} and erased_at is null`.execute(
    database.kysely,
  );
  const [row] = rows;
  if (row?.salt !== salt || hasLinkEnded(row.endTime, now())) return undefined;
  const { candidateLanguage, organisationLanguage, ...shift } = row;
  const before = timesBefore(row);
  return {
    ...shift,
    ...partOf(row, now()),
    ...(before && { before }),
    language: candidateLanguage ?? organisationLanguage ?? language,
  };
}

/** Reads what the page of a job's shift would show now. */
export async function readShown(db: Kysely<Schema>, job: Pick<Job, "providerId" | "jobId">): Promise<string> {
  const { rows } =
    await sql<ShownFacts>`select ${FACT_COLUMNS} from jobs join integrations using (provider_id) ${SHIFT_TABLES}
    where jobs.provider_id = ${job.providerId} and job_id = ${job.jobId}`.execute(db);
  return rows[0] ? shownOf(rows[0]) : "";
}

/** Stands for what a page shows, in its form. Pages show whole minutes. */
export function shownOf(facts: ShownFacts): string {
  const { timeZone, roleName, outletName, outletAddress, startTime, endTime } = facts;
  const [start, end] = [startTime, endTime].map((time) => wholeMinute(time.getTime()));
  const text = JSON.stringify([timeZone, start, end, roleName, outletName, outletAddress]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** Whether a shift ended so long ago that its links do not open it any more. */
export const hasLinkEnded = (endTime: Date, now: Date): boolean =>
  endTime.getTime() + SHOWN_AFTER_END_MS <= now.getTime();

function timesBefore({ content, startTime, endTime }: Row): LinkedShift["before"] {
  const [start, end] = [content.startTime, content.endTime].map((time) => Date.parse(String(time)));
  if (!start || !end || isSameMinute(start, startTime, end, endTime)) return undefined;
  return { startTime: new Date(start), endTime: new Date(end) };
}

/** A notification names whole minutes. */
const isSameMinute = (start: number, startTime: Date, end: number, endTime: Date) =>
  Math.abs(start - startTime.getTime()) < MINUTE_MS && Math.abs(end - endTime.getTime()) < MINUTE_MS;

type Part = Pick<ShownShift, "state" | "answers" | "isTooLate">;

/** The candidate's part in the shift, and what the candidate can still answer. */
export function partOf(row: ShiftRow, now: Date): Part {
  const { booking, status } = row;
  const hasStarted = row.startTime <= now;
  const part = (state: ShiftStateCode, answers: Part["answers"] = [], isTooLate = false): Part => ({
    state,
    answers,
    isTooLate,
  });
  if (status === "cancelled") return part("cancelled");
  if (booking?.status === "pending" || booking?.status === "confirmed") {
    if (booking.withdrawnAt !== null) return part("withdrawing");
    return part(booking.status, hasStarted ? [] : ["withdraw"], hasStarted);
  }
  if (row.isAssigned) return part("confirmed", [], true);
  const isFull = row.taken >= row.positions;
  const isOpen = status === "open" && !isFull && row.isActive && !row.isBeingCancelled && !hasStarted;
  const again: Part["answers"] = isOpen ? ["accept"] : [];
  if (booking && booking.reason === "withdrawn") return part("withdrawn", again);
  if (booking && booking.reason !== "shift_full") return part("released", again);
  if (row.hasDeclined) return part("declined", again);
  if (isOpen) return part("offered", ["accept", "decline"]);
  return part((status === "filled" || isFull) && !hasStarted ? "taken" : "over");
}

/** Records that the page of a link was opened for the first time. Mail scanners open links too, so nothing else follows from it. */
export async function noteOpened(
  deps: Pick<Deps, "database" | "now">,
  { providerId, notificationId, openedAt }: LinkedShift,
): Promise<void> {
  if (openedAt !== null) return;
  await transact(deps, async (trx) => {
    const opened = await trx
      .updateTable("notifications")
      .set({ linkOpenedAt: deps.now() })
      .where("providerId", "=", providerId)
      .where("notificationId", "=", notificationId)
      .where("linkOpenedAt", "is", null)
      .returning(["jobId", "candidateId", "kind", "deliveredAt"])
      .executeTakeFirst();
    if (!opened) return;
    const { deliveredAt, ...of } = opened;
    publishNotification(trx, { notificationId, ...of }, deliveredAt);
  });
}
