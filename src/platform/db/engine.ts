import type { Writable } from "node:stream";
import type { Kysely } from "kysely";
import type { BaseLogger } from "pino";
import type { Schema } from "./schema.ts";

/** The oid of bigint. */
export const INT8 = 20;
/** The platform's statements are about 150; texts beyond that differ in the length of a list, and are not worth the memory. */
export const MOST_PREPARED = 300;

export type Engine = "pglite" | "postgres";
export type Log = Pick<BaseLogger, "debug" | "info" | "warn" | "error">;

/** Runs SQL: with values one statement, without values any number of statements. */
export type RunSql = (text: string, values?: unknown[]) => Promise<{ rows: Row[] }>;
// biome-ignore lint/suspicious/noExplicitAny: rows of raw SQL have no type.
type Row = any;

/** What lies below Kysely, for migrations and signals. Features use `kysely`. */
export interface RawSql {
  executeSql: RunSql;
  /** Calls `onReconnect` after each (re)subscription, since notifications may have been missed before it. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<{ close(): Promise<void> }>;
  /** Runs `work`, on a session of its own, while no other process on this database is in `alone`. */
  alone<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
}

/** The embedded database is being backed up already. */
export class BackupInUse extends Error {
  override readonly name = "BackupInUse";
}

/** Of one pool. `waiting`: statements that wait for one. */
export interface Connections {
  busy: number;
  idle: number;
  waiting: number;
}

export interface Database {
  readonly engine: Engine;
  /** Whether Citus distributes its tables by organisation: each statement of work then names one. */
  readonly isDistributed?: boolean;
  readonly kysely: Kysely<Schema>;
  /** The same, on connections of its own, where a transaction holds its locks on a distributed database (`placeOfLocks`). */
  readonly locks?: Kysely<Schema> | undefined;
  /** The same, on connections of its own: what an acknowledgement needs never waits for work. */
  readonly inbox: Kysely<Schema>;
  /** Whether every connection of the inbox is in use, and a caller waits for one. */
  isInboxExhausted(): boolean;
  readonly raw: RawSql;
  /**
   * Resolves, with the reason, when the database is gone for this process: the process must end, and a new one goes on. Never for
   * PostgreSQL, which comes back.
   */
  readonly lost: Promise<Error>;
  /** Writes a backup of the embedded database while it is used, and ends `sink`. One at a time: rejects with BackupInUse beside another. */
  readonly backUp?: (sink: Writable) => Promise<void>;
  /** Its connections, by pool; none: embedded. */
  readonly pools?: () => Readonly<Record<string, Connections>>;
  /** Rejects when the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const INDEXES = `set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off;
  set local enable_bitmapscan = off`;
/**
 * At the start of each transaction. All of them find rows by keys, a few at a time: to plan a statement for its values costs more than it gains, and
 * whatever is not a nested loop over indexes reads a table whole that is about to grow, and a bitmap reads every version of a row since the last vacuum,
 * each time. On tables without statistics a third of the statements would read one whole. Each statement needs an index path: up to PostgreSQL 17 a
 * disabled plan costs ten billion more, and the planner no longer sees what else differs.
 */
export const BY_KEYS = `set local plan_cache_mode = force_generic_plan; ${INDEXES}`;

/** The same on Citus, for the plans of its workers. A generic plan does not know the organisation, and would ask every shard. */
export const BY_KEYS_OF_SHARDS = `set local citus.propagate_set_commands = local; ${INDEXES}`;

/** Runs `work` in a transaction of the session, which is rolled back when it fails. */
export async function inTransaction<T>(run: RunSql, work: () => Promise<T>): Promise<T> {
  await run("begin");
  try {
    const result = await work();
    await run("commit");
    return result;
  } catch (error) {
    // Fails itself when the connection is lost, which ends the transaction too.
    await run("rollback").catch(() => undefined);
    throw error;
  }
}
