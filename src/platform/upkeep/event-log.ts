import { type RawBuilder, sql } from "kysely";
import { DAY_MS, MINUTE_MS } from "../../contract/timestamp.ts";
import type { Database } from "../db/database.ts";
import { isOf, type Organisation, organisationsWith, providerOf } from "../db/organisation.ts";
import { firstIdAt } from "../ids.ts";

/** The columns that `events` and `event_log` share. */
export const EVENT_COLUMNS = sql.raw(
  "event_id, provider_id, event, shift_id, trace_id, status, attempts, verdict, received_at, processed_at, replayed_at",
);

/** Longer than providers retry a webhook, which is three days with the delays that the contract recommends. */
const IN_THE_INBOX_MS = 4 * DAY_MS;

/** Moves up to `most` ended events that were received at `since` or later into the event log, the oldest first. Returns their number. */
export async function logEvents(
  database: Pick<Database, "kysely" | "isDistributed">,
  { now, since, most }: { now: Date; since: Date; most: number },
): Promise<number> {
  const before = new Date(now.getTime() - IN_THE_INBOX_MS);
  // An id is created before its event is stored.
  const isEnded = sql`event_id < ${firstIdAt(new Date(before.getTime() + MINUTE_MS))} and received_at >= ${since} and received_at < ${before}
    and status in ('processed', 'ignored', 'skipped_echo')`;
  let logged = 0;
  for (const organisation of await organisationsWith(database, "events", isEnded))
    logged += await logEnded(database.kysely, organisation, isEnded, most);
  return logged;
}

async function logEnded(
  kysely: Database["kysely"],
  organisation: Organisation,
  isEnded: RawBuilder<unknown>,
  most: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with ended as (
      select provider_id, shift_id, event, trace_id from events where ${isOf(organisation)} ${isEnded}
      order by event_id limit ${most} for update skip locked),
    moved as (
      delete from events using ended
      where (events.provider_id, events.shift_id, events.event, events.trace_id)
        = (${providerOf(organisation, "ended.provider_id")}, ended.shift_id, ended.event, ended.trace_id)
      returning events.*)
    insert into event_log (${EVENT_COLUMNS}) select ${EVENT_COLUMNS} from moved`.execute(kysely);
  return Number(numAffectedRows ?? 0);
}
