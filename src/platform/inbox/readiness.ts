import { sql } from "kysely";
import type { ProblemCode } from "../../contract/problem.ts";
import type { Database, Log } from "../db/database.ts";
import { withTimeout } from "../db/with-timeout.ts";

/** Why no webhook can be stored. */
export type StoreFault = Extract<
  ProblemCode,
  | "database_unreachable"
  | "database_read_only"
  | "database_rights_missing"
  | "schema_missing"
  | "schema_newer"
  | "inbox_locked"
  | "connections_exhausted"
  | "store_unavailable"
>;

export interface Readiness {
  /** Returns why no webhook can be stored; undefined when one can. Never rejects. */
  fault(): Promise<StoreFault | undefined>;
  /** Notes that webhooks were stored, or the error that prevented it: a trial needs no room on the disk, and cannot find that it is full. */
  attempted(error?: unknown): void;
}

export interface ReadinessOptions {
  database: Pick<Database, "inbox" | "isInboxExhausted" | "raw">;
  log: Log;
  /** The number of the last migration that this process knows. */
  knownSchema: string;
  /** How long a result is cached. Milliseconds. */
  keptForMs?: number;
  /** The time limit of a trial. Milliseconds. */
  answerMs?: number;
  now?: () => number;
}

/**
 * Tries what storing a webhook needs: on demand, at most once a second, shared by all callers. While a trial hangs, no other one starts, because
 * each would leave a database session behind.
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { log, keptForMs = 1_000, answerMs = 2_000, now = () => performance.now() } = options;
  let last: { fault: StoreFault | undefined; until: number } = {
    fault: undefined,
    until: Number.NEGATIVE_INFINITY,
  };
  let failed = { until: Number.NEGATIVE_INFINITY, error: undefined as unknown };
  let trial: Promise<StoreFault | undefined> | undefined;
  const note = (fault: StoreFault | undefined, error?: unknown) => {
    if (fault !== last.fault && fault) log.error({ err: error, code: fault }, "no webhook can be stored");
    if (fault !== last.fault && !fault) log.info({}, "webhooks can be stored again");
    last = { fault, until: now() + keptForMs };
    return fault;
  };
  const begin = () => {
    trial ??= tryToStore(options)
      .then(
        (fault) => note(fault),
        (error) => note(faultOf(error), error),
      )
      .finally(() => {
        trial = undefined;
      });
    return trial;
  };
  return {
    attempted: (error) => {
      const isFailed = error !== undefined && faultOf(error) === "store_unavailable";
      if (isFailed || error === undefined) failed = { until: isFailed ? now() + FAILED_FOR_MS : 0, error };
    },
    fault: async () => {
      if (now() < failed.until) return note("store_unavailable", failed.error);
      if (now() < last.until) return last.fault;
      return withTimeout(begin(), answerMs).catch(async (error) => note(await lateFault(options), error));
    },
  };
}

/** How long a failed attempt counts if no other follows. Milliseconds. */
const FAILED_FOR_MS = 10_000;

/** How long a connection for work may take to show that the database responds at all. Milliseconds. */
const PROBE_MS = 500;

/** A silent database also holds every connection of the inbox: they are short only where it responds to others. */
async function lateFault({ database }: ReadinessOptions): Promise<StoreFault> {
  if (!database.isInboxExhausted()) return "database_unreachable";
  return withTimeout(database.raw.executeSql("select 1"), PROBE_MS).then(
    () => "connections_exhausted",
    () => "database_unreachable",
  );
}

/**
 * Takes the locks of an insert into the inbox, inserts nothing, and commits a record that PostgreSQL has to write to its log, and to a synchronous
 * standby, as it does for a webhook.
 */
function tryToStore({ database, knownSchema }: ReadinessOptions): Promise<StoreFault | undefined> {
  return database.inbox.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = '500ms'`.execute(trx);
    await sql`
      insert into events (event_id, provider_id, event, shift_id, trace_id, status, received_at)
      select event_id, provider_id, event, shift_id, trace_id, status, received_at from events where false`.execute(
      trx,
    );
    const { rows } = await sql<{ isNewer: boolean }>`
      select pg_logical_emit_message(true, 'shiftpact', 'ready')::text as written, exists (
        select 1 from migrations where left(name, 3) > ${knownSchema}::text
          and coalesce(works_with, left(name, 3)) > ${knownSchema}::text) as "isNewer"`.execute(trx);
    return rows[0]?.isNewer ? "schema_newer" : undefined;
  });
}

/** Maps PostgreSQL's codes. Those of the system and of the driver mean that there is no connection. */
function faultOf(error: unknown): StoreFault {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "25006") return "database_read_only";
  if (code === "42501") return "database_rights_missing";
  if (code === "55P03") return "inbox_locked";
  if (["42P01", "42703", "3F000"].includes(code)) return "schema_missing";
  if (code === "53300" || message === "timeout exceeded when trying to connect")
    return "connections_exhausted";
  return /^[0-9]/.test(code) && !/^(?:08|57P|3D)/.test(code) ? "store_unavailable" : "database_unreachable";
}
