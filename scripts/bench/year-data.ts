import { type RawBuilder, sql } from "kysely";
import { DAY_MS } from "../../src/contract/timestamp.ts";
import type { Database } from "../../src/platform/db/database.ts";
import { type DailyTable, makeDays } from "../../src/platform/db/partitions.ts";
import type { Setting } from "./section.ts";
import { shown } from "./table.ts";

/** The share of events that announce a new shift; the others change or repeat a known one. */
const NEW_SHIFTS = 0.1;
const OF_SHIFTS: readonly string[] = ["jobs", "shifts", "bookings", "notifications"];
/** The ages of the rows of each table, by its retention within the year. Days. */
const AGES = {
  events: [0, 4],
  // Two days more than the retention: upkeep drops them.
  event_log: [4, 32],
  trace_steps: [0, 32],
  jobs: [0, 365],
  shifts: [0, 365],
  bookings: [0, 365],
  notifications: [0, 365],
} as const;
type Filled = keyof typeof AGES;
const TABLES = Object.keys(AGES) as Filled[];

interface Filling {
  /** Events of each day. */
  perDay: number;
  report: Setting["report"];
}

/** Rows of one statement. */
const CHUNK_ROWS = 50_000;

/** Checkpoints and vacuums between the statements would make the filling take hours. */
const WHILE_FILLING: readonly string[] = [
  "max_wal_size = '20GB'",
  "checkpoint_timeout = '1h'",
  "full_page_writes = off",
  "synchronous_commit = off",
  "autovacuum = off",
];

/** Fills the tables with a year of copies of their present rows, the pattern. */
export async function fillYear(database: Database, filling: Filling): Promise<void> {
  const { executeSql } = database.raw;
  for (const setting of WHILE_FILLING) await executeSql(`alter system set ${setting}`);
  await executeSql("select pg_reload_conf()");
  await fillTables(database, filling);
  await executeSql("alter system reset all");
  await executeSql("select pg_reload_conf()");
  await executeSql("checkpoint");
}

async function fillTables({ kysely }: Database, { perDay, report }: Filling): Promise<void> {
  await createPartitions(kysely);
  for (const table of TABLES) {
    const source = table === "event_log" ? "events" : table;
    await sql`create table ${pattern(table)} as select * from ${sql.table(source)}`.execute(kysely);
  }
  const events = await countOf(kysely, "events");
  for (const table of TABLES) {
    const [from, to] = AGES[table];
    const share = OF_SHIFTS.includes(table) ? NEW_SHIFTS : 1;
    const copies = Math.round(((to - from) * perDay * share) / events);
    const count = await countOf(kysely, table);
    report(`${table}: ${shown(copies * count)} rows`);
    await fillTable(kysely, table, { copies, count });
  }
}

/** Returns the number of rows in the pattern of a table. */
async function countOf(kysely: Database["kysely"], table: Filled): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${pattern(table)}`.execute(
    kysely,
  );
  return rows[0]?.count ?? 0;
}

/** Creates the partition of every day, as if the database had existed for a year. */
async function createPartitions(kysely: Database["kysely"]): Promise<void> {
  const now = Date.now();
  for (const table of ["event_log", "trace_steps"] satisfies DailyTable[])
    await makeDays(kysely, table, new Date(now - 33 * DAY_MS), new Date(now + DAY_MS));
}

async function fillTable(
  kysely: Database["kysely"],
  table: Filled,
  { copies, count }: { copies: number; count: number },
): Promise<void> {
  const [from, to] = AGES[table];
  const atOnce = Math.max(1, Math.floor(CHUNK_ROWS / Math.max(1, count)));
  for (let copy = 0; copy < copies; copy += atOnce)
    await copyPattern(kysely, table, {
      first: copy,
      last: Math.min(copies, copy + atOnce) - 1,
      ageOf: sql`(${from}::float8 + (${to - from}::float8 * (copy + 1)) / (${copies + 1}::float8))`,
    });
  await sql`drop table ${pattern(table)}`.execute(kysely);
  await sql`vacuum (analyze) ${sql.table(table)}`.execute(kysely);
}

const pattern = (table: Filled) => sql.table(`pattern_of_${table}`);

interface Copies {
  first: number;
  last: number;
  /** The age of a copy. Days. */
  ageOf: RawBuilder<unknown>;
}

/** Ids (UUIDv7, RFC 9562) whose time moves with the copy. The rest stays, so references remain valid. */
const PLATFORM_IDS = ["event_id", "job_id", "booking_id", "notification_id", "step_id"];
/** Ids that differ in each copy, and are the same for all rows of one shift or trace. */
const PROVIDER_IDS = ["shift_id", "trace_id"];

async function copyPattern(
  kysely: Database["kysely"],
  table: Filled,
  { first, last, ageOf }: Copies,
): Promise<void> {
  const { rows: columns } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${`pattern_of_${table}`}::text::regclass and attnum > 0 and not attisdropped
      and attname in (select attname from pg_attribute where attrelid = ${table}::text::regclass)`.execute(
    kysely,
  );
  const values = columns.map(({ name, type }) => {
    const column = sql.ref(name);
    if (PLATFORM_IDS.includes(name))
      return sql`(lpad(to_hex(('x' || lpad(replace(left(${column}::text, 13), '-', ''), 16, '0'))::bit(64)::bigint
      - (extract(epoch from age) * 1000)::bigint), 12, '0') || right(replace(${column}::text, '-', ''), 20))::uuid`;
    if (PROVIDER_IDS.includes(name)) return sql`md5(${column}::text || copy)::uuid::text`;
    if (type === "timestamp with time zone") return sql`${column} - age`;
    if (name === "status" && table === "jobs") return sql`'expired'`;
    return column;
  });
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
    select ${sql.join(values)} from ${pattern(table)},
      lateral (select copy, make_interval(secs => 86400 * ${ageOf}) as age from generate_series(${first}::int, ${last}::int) as copy) as copies`.execute(
    kysely,
  );
}
