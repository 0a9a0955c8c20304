import { sql } from "kysely";

// SQL that several features share; as text for statements that run without Kysely.

/** Whether a job is neither cancelled nor over, over the table `jobs`. */
export const LIVE = "jobs.status in ('blocked_mapping', 'open', 'filled')";
export const IS_LIVE = sql.raw<boolean>(LIVE);

/** Whether a notification has a channel and was not delivered, over the table `notifications`. */
export const UNDELIVERED = "notifications.channel is not null and notifications.delivered_at is null";
export const IS_UNDELIVERED = sql.raw<boolean>(UNDELIVERED);

/** An interval. */
export const milliseconds = (ms: number) => sql`${ms}::float8 * interval '1 millisecond'`;
