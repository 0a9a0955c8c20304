import { randomInt } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { ConditionCode } from "./schema.ts";

/** A parameter whose value is read when its statement is sent, not when it begins to wait for a connection. The driver of PostgreSQL calls it, too. */
export interface Late {
  toPostgres(): unknown;
}

export const late = (read: () => unknown): Late => ({ toPostgres: read });

export const isLate = (value: unknown): value is Late =>
  typeof value === "object" && value !== null && "toPostgres" in value;

// SQL that several features share; as text for statements that run without Kysely.

/** Whether a job is neither cancelled nor over, over the table `jobs`. */
export const LIVE = "jobs.status in ('blocked_mapping', 'open', 'filled')";
export const IS_LIVE = sql.raw<boolean>(LIVE);

/** Whether a notification has a channel and was not delivered, over the table `notifications`. */
export const UNDELIVERED = "notifications.channel is not null and notifications.delivered_at is null";
export const IS_UNDELIVERED = sql.raw<boolean>(UNDELIVERED);

/** Whether a waiting notification is not given up, over the table `notifications`. */
export const ATTEMPTED =
  "coalesce(notifications.delivery_error not in ('address_unusable', 'gave_up', 'address_disputed', 'unsubscribed'), true)";
export const IS_ATTEMPTED = sql.raw<boolean>(ATTEMPTED);

/** The salt of a notification whose links end: another number than before, so that a link that has ended is not valid again. */
export const newLinkSalt = (): number => randomInt(2 ** 31 - 1);

/** A JSON value as a parameter: its text, because the drivers encode arrays differently. */
const jsonText = (value: unknown) => (isLate(value) ? value : JSON.stringify(value));

/**
 * Rows as a table: `${jsonRows(rows)} as given (id uuid, name text)`. They are one parameter, because a statement carries at most 65,535, and the text
 * of a prepared statement must not depend on the number of rows.
 */
export const jsonRows = (rows: readonly object[] | Late) => sql`json_to_recordset(${jsonText(rows)}::json)`;

/** Texts as a table of one column, as one parameter like `jsonRows`. */
export const jsonTexts = (texts: readonly string[]) =>
  sql`json_array_elements_text(${jsonText(texts)}::json)`;

/** Ids as an array that is known while a statement is planned, as one parameter like `jsonRows`. */
export const idList = (ids: readonly string[]) => sql`string_to_array(${ids.join(",")}, ',')::uuid[]`;

/** A value for a column of type jsonb. */
export const jsonbOf = (value: unknown) => sql`${jsonText(value)}::jsonb`;

/**
 * Ends a subquery that PostgreSQL then plans on its own and runs for each row of the outer query, by an index. Without it the planner may turn the
 * subquery into a join that scans whole tables, depending on how large it believes them to be.
 */
export const ROW_BY_ROW = sql.raw("offset 0");

/** An interval. */
export const milliseconds = (ms: number) => sql`${ms}::float8 * interval '1 millisecond'`;

/** A later time, without what depends on the session: a distributed database takes nothing else in the DO UPDATE of an INSERT. */
export const laterBy = (time: RawBuilder<unknown>, ms: number) =>
  sql`to_timestamp(extract(epoch from ${time} - to_timestamp(0)) + ${ms}::float8 / 1000)`;

// Over the table `jobs`. A shift of variant B holds no names, so they come from the provider's lists, by primary key. An outlet or role that is
// known by its id only is listed with the id as its name.

/** The name of a job's outlet; null if it is unknown. */
export const OUTLET_NAME = sql<string | null>`coalesce(jobs.outlet_name,
  (select nullif(outlets.name, outlets.outlet_id) from outlets
    where outlets.provider_id = jobs.provider_id and outlets.outlet_id = jobs.outlet_id))`;

/** The name of a job's role; null if it is unknown. */
export const ROLE_NAME = sql<string | null>`coalesce(jobs.role_name,
  (select nullif(roles.name, roles.role_id) from roles
    where roles.provider_id = jobs.provider_id and roles.role_id = jobs.role_id))`;

/** The same names where these tables are joined: a distributed database then knows whose they are. */
export const PLACE_NAMES = sql`left join outlets on outlets.provider_id = jobs.provider_id and outlets.outlet_id = jobs.outlet_id
  left join roles on roles.provider_id = jobs.provider_id and roles.role_id = jobs.role_id`;
export const JOINED_OUTLET_NAME = sql<
  string | null
>`coalesce(jobs.outlet_name, nullif(outlets.name, outlets.outlet_id))`;
export const JOINED_ROLE_NAME = sql<
  string | null
>`coalesce(jobs.role_name, nullif(roles.name, roles.role_id))`;

/** The UID in calendars of the assignment that a booking is part of, as SQL over the table `bookings`. */
export const CALENDAR_UID = sql<string>`coalesce(bookings.calendar_uid, bookings.booking_id)`;

/** Whether a booking holds a seat, as SQL over the table `bookings`. */
export const HOLDS_SEAT = sql<boolean>`bookings.status in ('pending', 'confirmed')`;

/** What is locked. */
type Space = "people" | "offerMails" | "alerts";

/**
 * Locks names until the transaction ends: each is a row of the table `locks`, which stays. A transaction locks all that it needs of a space in one
 * statement: the order is the same everywhere, so that two never wait for each other in a circle.
 *
 * No advisory lock: the server keeps those in a table of limited size, and each server has its own, so that processes at two nodes of a distributed
 * database would not exclude each other. There a row is in one place for all nodes. It is written only once: a row that is there is locked and left as it is.
 */
export const lockNames = (space: Space, names: readonly string[]): RawBuilder<unknown> => sql`
  insert into locks (key)
  select distinct hashtextextended(${`${space} `} || name, 0) as key from ${jsonTexts(names)} as given (name) order by key
  on conflict (key) do update set key = excluded.key where false`;

export const conditionsOf = (provider: RawBuilder<unknown>) =>
  sql`from conditions where conditions.provider_id = ${provider}`;

/** Whether an organisation has one of the conditions. */
export const hasCondition = (provider: RawBuilder<unknown>, ...codes: ConditionCode[]) =>
  sql<boolean>`exists (select 1 ${conditionsOf(provider)} and code in (${sql.join(codes.map((code) => sql.lit(code)))}))`;
