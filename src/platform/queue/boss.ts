import { fromKysely, PgBoss } from "pg-boss";
import type { Database, Log } from "../db/database.ts";
import type { NewTask, QueueDepth, Trx } from "./task.ts";

/** A task in hand. `retryCount` names the claim: a claim that was lost can no longer end the task. */
export interface Claim {
  id: string;
  retryCount: number;
  data: unknown;
  /** Retries that were no tries. */
  putOff?: PutOff;
}

/** How often a task was put off without a try, and since when (milliseconds since 1970). */
export interface PutOff {
  times: number;
  since: number;
}

/** When a task comes back, and why. `putOff`: this was no try. */
export interface Postponement {
  afterMs: number;
  reason: string;
  putOff?: PutOff | undefined;
}

/** What the queue needs of pg-boss, and the only file that knows it. */
export interface Boss {
  ensureQueue(name: string): Promise<void>;
  insert(trx: Trx, name: string, tasks: (NewTask<object> & { id: string })[]): Promise<void>;
  fetch(name: string, limit: number, groupLimit: number | undefined): Promise<Claim[]>;
  /** False if the claim was lost. */
  remove(trx: Trx, name: string, claim: Claim): Promise<boolean>;
  /** Puts the task back for later; until then it holds back its key. False if the claim was lost. */
  postpone(trx: Trx, name: string, claim: Claim, until: Postponement): Promise<boolean>;
  putBack(name: string, claims: Claim[]): Promise<void>;
  beat(name: string, claims: Claim[]): Promise<void>;
  depth(names: string[]): Promise<QueueDepth>;
  /** Tells the planner how long the queue is, and answers that. */
  analyze(): Promise<number>;
  stop(): Promise<void>;
}

export const HEARTBEAT_SECONDS = 10;
// Never reached: our own policy ends a task, because a failed job would hold its key for ever.
const NO_LIMIT = 1_000_000;
const YEAR_SECONDS = 365 * 24 * 3_600;

/** `onWake(name)` is called when a task of that queue became runnable; without a name, when that may have been missed. */
export async function startBoss(
  database: Database,
  log: Log,
  onWake: (name?: string) => void,
): Promise<Boss> {
  const boss = new PgBoss(options(database, onWake));
  boss.on("error", (error) => log.error({ err: error }, "queue error"));
  boss.on("warning", (warning) => log.warn({ warning }, "queue warning"));
  // It installs its tables at the first start, and two processes that do so at once get in each other's way.
  await database.raw.alone(() => boss.start());
  return wrap(boss, database);
}

function options(database: Database, onWake: (name?: string) => void) {
  const { raw, engine } = database;
  const embedded = engine === "pglite";
  const db = {
    executeSql: raw.executeSql,
    listen: (channel: string, _onPayload: (payload: string) => void, _onReconnect: () => void) =>
      raw.listen(channel, onWake, () => onWake()),
  };
  return {
    db,
    backend: engine,
    useListenNotify: true,
    schedule: false,
    // A crashed process's tasks come back when their heartbeat ends. An embedded database has one process,
    // which takes back its own at the start.
    monitorIntervalSeconds: embedded ? 60 : 1,
    superviseIntervalSeconds: embedded ? 60 : 1,
    monitorVacuum: !embedded,
    reindex: !embedded,
  };
}

function wrap(boss: PgBoss, database: Database): Boss {
  const { engine } = database;
  return {
    ensureQueue: (name) => ensureQueue(boss, database, name),
    insert: async (trx, name, tasks) => {
      await boss.insert(name, tasks.map(toJob), { db: fromKysely(trx) });
    },
    fetch: async (name, batchSize, groupConcurrency) => {
      const jobs = await boss.fetch<object>(name, {
        batchSize,
        ...(groupConcurrency && { groupConcurrency }),
      });
      return jobs.map(toClaim);
    },
    remove: async (trx, name, claim) => {
      return tookEffect(await boss.deleteJob(name, pick(claim), { db: fromKysely(trx) }));
    },
    postpone: (...of) => postpone(boss, ...of),
    putBack: async (name, claims) => {
      await boss.fail(name, claims.map(pick), { reason: "put back at shutdown" });
    },
    beat: async (name, claims) => {
      if (engine === "postgres") await boss.touch(name, claims.map(pick));
    },
    depth: (names) => depth(database, names),
    analyze: () => analyze(database),
    stop: () => boss.stop({ close: false, graceful: false }),
  };
}

// pg-boss declares its answer as an empty interface.
const tookEffect = (answer: object) => (answer as { affected: number }).affected === 1;

const pick = ({ id, retryCount }: Claim) => ({ id, retryCount });

/** pg-boss has one counter, of retries; what was no try is counted beside the data. */
const PUT_OFF = "$putOff";

function toClaim({ id, retryCount, data }: { id: string; retryCount: number; data: object }): Claim {
  const { [PUT_OFF]: putOff, ...own } = data as { [PUT_OFF]?: PutOff };
  return { id, retryCount, data: own, ...(putOff && { putOff }) };
}

const toJob = ({ id, key, group, data, afterMs }: NewTask<object> & { id: string }) => ({
  id,
  data,
  singletonKey: key,
  ...(group !== undefined && { group: { id: group } }),
  ...(afterMs !== undefined && { startAfter: afterMs / 1_000 }),
});

async function ensureQueue(boss: PgBoss, { engine, raw }: Database, name: string): Promise<void> {
  const queue = {
    notify: true,
    retryLimit: NO_LIMIT,
    retryDelay: 0,
    retentionSeconds: YEAR_SECONDS,
    ...(engine === "postgres" && { heartbeatSeconds: HEARTBEAT_SECONDS }),
  };
  await boss.createQueue(name, { ...queue, policy: "key_strict_fifo" });
  // Fills pg-boss's cache: a cold one is filled outside of the caller's transaction, for which PGlite waits for ever.
  await boss.getBlockedKeys(name);
  if (engine === "pglite") await takeBackOwn(boss, raw, name);
}

/** The one process of an embedded database has just started: what is active was in hand when it ended. */
async function takeBackOwn(boss: PgBoss, raw: Database["raw"], name: string): Promise<void> {
  const { rows } = await raw.executeSql("select id from pgboss.job where name = $1 and state = 'active'", [
    name,
  ]);
  if (rows.length === 0) return;
  await boss.fail(
    name,
    rows.map((row) => row.id),
    { reason: "the process ended" },
  );
}

async function postpone(
  boss: PgBoss,
  trx: Trx,
  name: string,
  claim: Claim,
  { afterMs, reason, putOff }: Postponement,
): Promise<boolean> {
  const db = fromKysely(trx);
  if (!tookEffect(await boss.fail(name, pick(claim), { reason }, { db }))) return false;
  const data = putOff && { ...(claim.data as object), [PUT_OFF]: putOff };
  await boss.update(name, data, { id: claim.id, startAfter: afterMs / 1_000, db });
  return true;
}

async function analyze({ raw, engine }: Database): Promise<number> {
  if (engine === "pglite") {
    // It has no autovacuum either, and every task leaves dead rows behind.
    await raw.executeSql("vacuum (analyze) pgboss.job");
    // Made while the tables were empty, a plan reads them whole; elsewhere autovacuum tells.
    await raw.executeSql("discard plans");
  } else await raw.executeSql("analyze pgboss.job");
  const { rows } = await raw.executeSql(
    "select reltuples::int8 as size from pg_class where oid = 'pgboss.job_common'::regclass",
  );
  return rows[0].size;
}

async function depth({ raw }: Database, names: string[]): Promise<QueueDepth> {
  const { rows } = await raw.executeSql(
    `select count(*) filter (where state < 'active') as waiting, count(*) filter (where state = 'active') as active
     from pgboss.job where name = any($1::text[]) and state <= 'active'`,
    [names],
  );
  return { waiting: rows[0].waiting, active: rows[0].active };
}
