import { sql } from "kysely";
import { DAY_MS } from "../../contract/timestamp.ts";
import type { Database } from "./database.ts";

/** The tables with a partition for each day (UTC). */
export const DAILY_TABLES = ["event_log", "trace_steps"] as const;
export type DailyTable = (typeof DAILY_TABLES)[number];

type Kysely = Database["kysely"];

/** The advisory lock of all processes. */
const LOCK = 7_219_041_774;
/** While a drop waits for readers, later statements wait for the drop. It is better to retry in the next round. */
const LOCK_TIMEOUT = "1s";

interface Partition {
  name: string;
  /** Milliseconds since 1970. */
  start: number;
  /** Exclusive. */
  end: number;
}

const startOfDay = (time: Date): number => Math.floor(time.getTime() / DAY_MS) * DAY_MS;

/** Creates the missing partitions of all days from `from` to `to`. Returns their number. */
export async function makeDays(kysely: Kysely, table: DailyTable, from: Date, to: Date): Promise<number> {
  const partitions = await partitionsOf(kysely, table);
  let made = 0;
  for (let day = startOfDay(from); day <= to.getTime(); day += DAY_MS) {
    if (partitions.some(({ start, end }) => start <= day && day < end)) continue;
    await makeDay(kysely, table, new Date(day));
    made += 1;
  }
  return made;
}

async function makeDay(kysely: Kysely, table: DailyTable, day: Date): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    // Another process may create it at the same time.
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx);
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(trx);
    await sql`select make_day(${table}, ${day.toISOString().slice(0, 10)}::text::date)`.execute(trx);
  });
}

/** Drops the partitions that end before `before`. Returns their number. */
export async function dropDays(kysely: Kysely, table: DailyTable, before: Date): Promise<number> {
  const old = (await partitionsOf(kysely, table)).filter(({ end }) => end <= before.getTime());
  for (const { name } of old) {
    await kysely.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(trx);
      await sql`select drop_day(${name})`.execute(trx);
    });
  }
  return old.length;
}

async function partitionsOf(kysely: Kysely, table: DailyTable): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bound
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${`shiftpact.${table}`}::text)`.execute(kysely);
  return rows.flatMap(({ name, bound }) => {
    const [, from, to] = /FROM \('(.{1,99})'\) TO \('(.{1,99})'\)/.exec(bound) ?? [];
    // The default partition has no bounds.
    if (from === undefined || to === undefined) return [];
    return { name, start: Date.parse(from), end: Date.parse(to) };
  });
}
