import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { settingOf } from "../../settings.ts";
import { connectionOf, newClientOf } from "../database-url.ts";
import type { Connections, Database, Log, RawSql, RunSql } from "../engine.ts";
import { NAMES } from "../names.ts";
import type { Schema } from "../schema.ts";
import { preparing, type TimedQuery } from "./prepared.ts";
import { prepareSession, type SessionUse, WITHOUT_LIMITS } from "./session.ts";

const RECONNECT_MS = 1_000;
const PING_MS = 5_000;

/** How long a connection may be silent before it is considered dead. Milliseconds. */
export interface Silence {
  /** Longer than any statement of the platform takes. */
  statementMs: number;
  /** The LISTEN connection may be silent for hours: it is checked at this interval. */
  listenMs: number;
}

export interface PostgresOptions {
  /** Reaches PostgreSQL without the pooler that `url` leads to, which may then give sessions out by the transaction. */
  directUrl?: string | undefined;
  /** The most connections for work, beside those of the inbox. */
  connections?: number | undefined;
  silence?: Silence;
  /** Whether the database has Citus. */
  isDistributed?: boolean;
}

const SILENCE: Silence = { statementMs: 15_000, listenMs: 20_000 };
const CONNECTIONS = settingOf({}, "DATABASE_POOL");
/** Storing, looking up tokens and the readiness check never wait for a connection that work holds. */
const INBOX_CONNECTIONS = 4;
/** For statements that need a session, beside LISTEN. */
const DIRECT_CONNECTIONS = 2;
// An arbitrary number, the same in every process.
const LOCK = 7_219_041_773;

/** PostgreSQL by URL: a pool for work, one for the inbox, and one more connection for LISTEN. */
export function openPostgres(url: string, log: Log, options: PostgresOptions = {}): Database {
  const { directUrl, connections = CONNECTIONS, silence = SILENCE, isDistributed = false } = options;
  const byTransaction = directUrl !== undefined;
  const usual = { keepsSession: !byTransaction, isDistributed, silenceMs: silence.statementMs, log };
  const work = openPool(url, { ...usual, max: connections });
  const inbox = openPool(url, { ...usual, max: INBOX_CONNECTIONS });
  // As many as transactions that may wait for one.
  const locks = isDistributed ? openPool(url, { ...usual, max: connections }) : undefined;
  const session = byTransaction
    ? openPool(directUrl, { ...usual, max: DIRECT_CONNECTIONS, keepsSession: true })
    : work;
  const stopAnalyzing = keepAnalyzed(session, log);
  const kyselyOn = (pool: pg.Pool) =>
    new Kysely<Schema>({
      dialect: new PostgresDialect({
        pool: preparing(pool, { silenceMs: silence.statementMs, byTransaction, isDistributed }),
      }),
      plugins: [NAMES],
    });
  const raw: RawSql = {
    executeSql: (text, values) => withClient(session, silence.statementMs, (run) => run(text, values)),
    alone: (work) => alone(session, log, work),
    listen: (channel, onPayload, onReconnect) =>
      listen(() => newClientOf(directUrl ?? url), {
        channel,
        onPayload,
        onReconnect,
        log,
        checkMs: silence.listenMs,
      }),
  };
  return {
    engine: "postgres",
    isDistributed,
    kysely: kyselyOn(work),
    inbox: kyselyOn(inbox),
    locks: locks && kyselyOn(locks),
    isInboxExhausted: () =>
      inbox.totalCount >= INBOX_CONNECTIONS && inbox.idleCount === 0 && inbox.waitingCount > 0,
    pools: () => ({
      work: connectionsOf(work),
      inbox: connectionsOf(inbox),
      ...(locks && { locks: connectionsOf(locks) }),
    }),
    raw,
    lost: new Promise(() => undefined),
    ping: async () => void (await inbox.query(probe(PING_MS))),
    close: async () => {
      stopAnalyzing();
      await Promise.all([...new Set([work, inbox, session, locks])].map((pool) => pool?.end()));
    },
  };
}

const connectionsOf = ({ totalCount, idleCount, waitingCount }: pg.Pool): Connections => ({
  busy: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
});

interface PoolOptions extends SessionUse {
  max: number;
  /** Whether a session remembers what it is set to. */
  keepsSession: boolean;
  log: Log;
}

function openPool(url: string, { max, keepsSession, log, ...use }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOf(url),
    // A statement and the bounds of its transaction are sent at once.
    ...(!keepsSession && { pipeline: true }),
    max,
    connectionTimeoutMillis: 5_000,
    ...(keepsSession && { onConnect: (client) => client.query(prepareSession(use)) }),
  });
  pool.on("error", (error) => log.warn({ err: error }, "a database connection was lost"));
  // The pool does not listen to a client in use, and an unhandled error would end the process. It rejects the query in hand too.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

const ANALYZE_EVERY_MS = 1_000;
/** Tables that have about doubled, of those that this role may analyze. */
const GROWN = `
  select 'shiftpact.' || quote_ident(tables.relname) as name
  from pg_stat_user_tables as tables join pg_class on pg_class.oid = relid
  where schemaname = 'shiftpact' and n_mod_since_analyze > 250 + n_live_tup / 2
    and (pg_has_role(relowner, 'usage') or case when current_setting('server_version_num')::int >= 170000
      then has_table_privilege(relid, 'maintain') end)`;

/** The first month of shifts comes within seconds, autovacuum once a minute: until then statements would run by plans for empty tables. */
function keepAnalyzed(pool: pg.Pool, log: Log): () => void {
  let isAtWork = false;
  const analyze = async () => {
    if (isAtWork) return;
    isAtWork = true;
    try {
      const { rows } = await pool.query<{ name: string }>(GROWN);
      // A tenth of the usual sample is enough for statements that find rows by keys. One transaction.
      for (const { name } of rows)
        await pool.query(
          `set local default_statistics_target = 10; set local statement_timeout = 0; analyze ${name}`,
        );
    } catch (error) {
      log.debug({ err: error }, "could not analyze the tables that have grown");
    }
    isAtWork = false;
  };
  const timer = setInterval(() => void analyze(), ANALYZE_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const probe = (timeoutMs: number): TimedQuery => ({ text: "select 1", query_timeout: timeoutMs });

/** Runs `work` on one connection, which is closed if that fails: it may have left a transaction open, or the lock held. */
async function withClient<T>(
  pool: pg.Pool,
  silenceMs: number,
  work: (run: RunSql) => Promise<T>,
  isLast = false,
): Promise<T> {
  const client = await pool.connect();
  let isOver = true;
  try {
    const result = await work((text, values) => runOn(client, text, values, silenceMs));
    isOver = isLast;
    return result;
  } finally {
    client.release(isOver);
  }
}

/** Its connection is closed in the end, and is set as the others are no more. */
function withoutLimits<T>(pool: pg.Pool, work: (run: RunSql) => Promise<T>): Promise<T> {
  return withClient(
    pool,
    0,
    async (run) => {
      await run(WITHOUT_LIMITS);
      return work(run);
    },
    true,
  );
}

function alone<T>(pool: pg.Pool, log: Log, work: (run: RunSql) => Promise<T>): Promise<T> {
  return withoutLimits(pool, async (run) => {
    const { rows } = await run("select pg_try_advisory_lock($1) as got", [LOCK]);
    if (!rows[0].got) {
      log.warn("waits until another process has ended its migration");
      await run("select pg_advisory_lock($1)", [LOCK]);
    }
    const result = await work(run);
    await run("select pg_advisory_unlock($1)", [LOCK]);
    return result;
  });
}

async function runOn(client: pg.ClientBase, text: string, values: unknown[] = [], silenceMs: number) {
  const query: TimedQuery = { text, values, query_timeout: silenceMs };
  const result: unknown = await client.query(query);
  const results = (Array.isArray(result) ? result : [result]) as pg.QueryResult[];
  return { rows: results.flatMap(({ rows }) => rows) };
}

interface Subscription {
  channel: string;
  onPayload: (payload: string) => void;
  onReconnect: () => void;
  log: Log;
  checkMs: number;
}

async function listen(connect: () => pg.Client, subscription: Subscription) {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const subscribe = async () => {
    const next = connect();
    client = next;
    next.on("error", (error) => subscription.log.warn({ err: error }, "the LISTEN connection was lost"));
    next.on("notification", ({ payload }) => subscription.onPayload(payload ?? ""));
    await next.connect();
    next.on("end", () => client === next && again());
    await next.query(`listen ${next.escapeIdentifier(subscription.channel)}`);
    subscription.onReconnect();
  };
  /** Ending a dead connection makes a new one. */
  const check = () => {
    const asked = client;
    asked?.query(probe(subscription.checkMs / 4)).catch(() => asked.end().catch(() => undefined));
  };
  const again = () => {
    if (closed) return;
    // A subscription that fails after its connection was made is reported twice: by its rejection and by the connection.
    clearTimeout(timer);
    timer = setTimeout(() => subscribe().catch(again), RECONNECT_MS);
  };

  await subscribe();
  const checks = setInterval(check, subscription.checkMs);
  return {
    close: async () => {
      closed = true;
      clearInterval(checks);
      clearTimeout(timer);
      await client?.end();
    },
  };
}
