import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database, Log, RawSql, Row, RunSql } from "./engine.ts";
import { isSilent, preparing, type TimedQuery } from "./prepared.ts";
import type { Schema } from "./schema.ts";

const INT8 = 20;
const RECONNECT_MS = 1_000;
const PING_MS = 5_000;
/** How long a connection may be silent before it is taken for dead. Milliseconds. */
export interface Silence {
  /** Longer than any statement of ours takes. */
  statementMs: number;
  /** What the queue asks may take half a minute. */
  queueMs: number;
  /** On the LISTEN connection nothing may be said for hours: so often it is asked whether it lives. */
  listenMs: number;
}

const SILENCE: Silence = { statementMs: 15_000, queueMs: 60_000, listenMs: 20_000 };
// An arbitrary number, the same in every process.
const LOCK = 7_219_041_773;

/** PostgreSQL by URL, through one pool and, for LISTEN, one more connection. */
export function openPostgres(url: string, log: Log, silence: Silence = SILENCE): Database {
  const config = { connectionString: url, types: { getTypeParser: parserOf }, keepAlive: true };
  const pool = new pg.Pool({
    ...config,
    max: 20,
    connectionTimeoutMillis: 5_000,
    application_name: "shiftpact",
    onConnect: (client) => client.query("set search_path to shiftpact, public"),
  });
  pool.on("error", (error) => log.warn({ err: error }, "a database connection was lost"));
  // The pool does not listen to a client in use, and an error that nobody hears would end the process. The query in
  // hand is rejected with it too.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const raw: RawSql = {
    executeSql: (text, values) => withClient(pool, silence.queueMs, (run) => run(text, values)),
    alone: (work) => alone(pool, work),
    listen: (channel, onPayload, onReconnect) =>
      listen(() => new pg.Client(config), {
        channel,
        onPayload,
        onReconnect,
        log,
        checkMs: silence.listenMs,
      }),
  };
  return {
    engine: "postgres",
    kysely: new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: preparing(pool, silence.statementMs) }),
    }),
    raw,
    lost: new Promise(() => undefined),
    ping: async () => {
      const query: TimedQuery = { text: "select 1", query_timeout: PING_MS };
      await pool.query(query);
    },
    close: () => pool.end(),
  };
}

// The queue's counts and our identities stay far below 2^53; PGlite answers them as numbers too.
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");

async function withClient<T>(
  pool: pg.Pool,
  silenceMs: number,
  work: (run: RunSql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work((text, values) => runOn(client, text, values, silenceMs));
  } catch (error) {
    // A script that failed half way leaves its transaction open: nobody may get that connection.
    if (isSilent(error)) broken = new Error("the connection is dead");
    else
      broken = await client.query("rollback").then(
        () => undefined,
        () => new Error("rollback failed"),
      );
    throw error;
  } finally {
    client.release(broken);
  }
}

async function alone<T>(pool: pg.Pool, work: (run: RunSql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    const result = await work((text, values) => runOn(client, text, values));
    await client.query("select pg_advisory_unlock($1)", [LOCK]);
    failed = false;
    return result;
  } finally {
    // The lock belongs to the connection, and ends with it whatever state that is in.
    client.release(failed);
  }
}

async function runOn(
  client: pg.ClientBase,
  text: string,
  values: unknown[] = [],
  silenceMs = 0,
): Promise<{ rows: Row[] }> {
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
  /** One that died without a word is ended, which connects anew. */
  const check = () => {
    const asked = client;
    const query: TimedQuery = { text: "select 1", query_timeout: subscription.checkMs / 4 };
    asked?.query(query).catch(() => asked.end().catch(() => undefined));
  };
  const again = () => {
    if (closed) return;
    // A subscription that fails after its connection was made is told twice: by its rejection and by the connection.
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
