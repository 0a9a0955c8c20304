import { chmodSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Dialect,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from "kysely";
import { BY_KEYS, type Database, type Log, type RawSql, type RunSql } from "../engine.ts";
import { NAMES } from "../names.ts";
import { isBegin } from "../postgres/prepared.ts";
import type { Schema } from "../schema.ts";
import { withTimeout } from "../with-timeout.ts";
import { backups, removeCopy } from "./backup.ts";
import { lockFolder } from "./folder.ts";
import { type Answer, type PgliteSession, type SessionOptions, startSession } from "./session.ts";

/**
 * Kysely on the one session, which stands in for a pool of connections. Single statements are sent as they arrive and return in that
 * order; a transaction waits for its turn, and nothing else runs until it ends.
 */
function pgliteDialect(session: PgliteSession): Dialect {
  return new PostgresDialect({
    pool: { options: {}, connect: async () => clientOf(session), end: async () => undefined },
  });
}

function clientOf(session: PgliteSession): PostgresPoolClient {
  let giveBack: (() => void) | undefined;
  let begun: Promise<unknown> | undefined;
  const begin = async (text: string): Promise<Answer> => {
    giveBack = await session.takeTurn();
    // Awaited at the end: what follows is sent behind it, and fails if it failed.
    begun = session.exec(`${text}; ${BY_KEYS}`, true);
    begun.catch(() => undefined);
    return { rows: [] };
  };
  /** The turn ends when the call is sent: whatever comes next is sent behind it. */
  const end = async (text: string) => {
    const ended = session.exec(text, true);
    giveBack?.();
    giveBack = undefined;
    const [answer] = await Promise.all([ended, begun]);
    return answer;
  };
  const send = (text: string, values: readonly unknown[]) => {
    if (isBegin(text)) return begin(text);
    if (text === "commit" || text === "rollback") return end(text);
    return session.query(text, values, giveBack !== undefined);
  };
  const query = async (text: string, values: readonly unknown[]) => {
    const { affectedRows: rowCount = 0, ...answer } = await send(text, values);
    return { ...answer, rowCount } as PostgresQueryResult<unknown>;
  };
  return { query: query as PostgresPoolClient["query"], release: () => undefined };
}

const VACUUM_EVERY_MS = 10 * 60_000;
/** Calls of the session. */
const FIRST_ANALYZE = 1_000;
const TABLES = "select quote_ident(tablename) as name from pg_tables where schemaname = 'shiftpact'";
const PING_MS = 5_000;

/** The embedded PostgreSQL in `dataDir`, made durable, in a thread of its own, for this process alone. */
export async function openPglite(dataDir: string, log: Log, options: SessionOptions = {}): Promise<Database> {
  const folder = resolve(dataDir);
  makePrivate(folder);
  const lock = await lockFolder(folder);
  try {
    removeCopy(folder);
    const session = await startSession(join(folder, "pg"), options);
    // A tenth of PostgreSQL's sample: nothing else runs while a table is read.
    await session.exec("set default_statistics_target = 10");
    return describe(session, folder, keepVacuumed(session, log), () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** PGlite makes its files readable and writable for all users, and there is personal data in them: the folder is the owner's alone. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`the data folder ${folder} must belong to the user that runs the platform (${code})`, {
      cause: error,
    });
  }
}

/** The statistics of a few rows are enough for statements that find rows by keys. One transaction. */
const ANALYZE = "set local default_statistics_target = 1; analyze";

/** PGlite has no autovacuum. A plan that was made for few rows is made again each time the number of calls has doubled. */
function keepVacuumed(session: PgliteSession, log: Log): () => void {
  let nextAt = FIRST_ANALYZE;
  const forEachTable = async (statement: string) => {
    try {
      // An acknowledgement waits for one of them at most.
      const { rows } = await session.query(TABLES, []);
      for (const { name } of rows as { name: string }[]) await session.exec(`${statement} ${name}`);
    } catch (error) {
      log.warn({ err: error }, "vacuum failed");
    }
  };
  const timers = [
    setInterval(() => void forEachTable("vacuum (analyze)"), VACUUM_EVERY_MS),
    setInterval(() => {
      if (session.calls < nextAt) return;
      nextAt = session.calls * 2;
      void forEachTable(ANALYZE);
    }, 1_000),
  ];
  for (const timer of timers) timer.unref();
  return () => timers.forEach(clearInterval);
}

function describe(
  session: PgliteSession,
  folder: string,
  stopVacuum: () => void,
  unlock: () => void,
): Database {
  const run: RunSql = (text, values) =>
    values && values.length > 0 ? session.query(text, values) : session.exec(text);
  const raw: RawSql = {
    executeSql: run,
    // There is no other process; nothing else runs on the one session meanwhile.
    alone: async (work) => {
      const giveBack = await session.takeTurn();
      return work(session.run).finally(giveBack);
    },
    listen: async (channel, onPayload, onReconnect) => {
      const unlisten = await session.listen(channel, onPayload);
      onReconnect();
      return { close: () => unlisten() };
    },
  };
  const kysely = new Kysely<Schema>({ dialect: pgliteDialect(session), plugins: [NAMES] });
  return {
    engine: "pglite",
    kysely,
    inbox: kysely,
    isInboxExhausted: () => false,
    raw,
    lost: session.lost,
    backUp: backups(session, folder),
    ping: async () => void (await withTimeout(session.query("select 1", []), PING_MS)),
    close: async () => {
      stopVacuum();
      await session.close();
      unlock();
    },
  };
}
