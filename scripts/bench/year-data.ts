import { setTimeout as sleep } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { DAY_MS } from "../../src/contract/timestamp.ts";
import type { Database } from "../../src/platform/db/database.ts";
import { type DailyTable, makeDays } from "../../src/platform/db/partitions.ts";
import type { Deployment } from "./deployment.ts";
import { acknowledgements } from "./probes.ts";
import { median, quantile } from "./statistics.ts";
import { type Setting, shown } from "./table.ts";

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

/** The median duration of repeated requests, by their name. Milliseconds. */
export type Times = ReadonlyMap<string, number>;

export const REPETITIONS = 7;
/** The number of a page deep in a list. */
const DEEP_PAGE = 20;

/** Measures acknowledgements at a steady rate, and then every list. */
export async function measureRequests(setting: Setting, deployment: Deployment): Promise<Times> {
  const times = new Map<string, number>();
  const [perSecond, seconds] = setting.quick ? [20, 1] : [50, 120];
  setting.report(`${perSecond} webhooks a second for ${seconds} s, then every list`);
  const probe = acknowledgements(deployment, deployment.organisations, perSecond);
  await sleep(seconds * 1_000);
  const acknowledged = await probe.stop();
  times.set("acknowledgement, median", median(acknowledged));
  times.set("acknowledgement, p99", quantile(acknowledged, 0.99));
  await deployment.platform.child.ask("idle");
  const known = await knownIds(deployment);
  for (const [name, path] of pagesOf(known)) times.set(name, await timed(deployment, path));
  for (const list of ["jobs", "events", "notifications"]) {
    const path = await deepPage(deployment, list);
    if (path) times.set(`${list}, page ${DEEP_PAGE}`, await timed(deployment, path));
  }
  return times;
}

const pagesOf = ({ jobId, shiftId, traceId, candidateId, providerId }: Known) =>
  [
    ["/metrics", "/metrics"],
    ["jobs", "/operations/v1/jobs"],
    ["open jobs", "/operations/v1/jobs?status=open"],
    ["jobs of an organisation", `/operations/v1/jobs?providerId=${providerId}`],
    ["jobs of a week, half a year ago", `/operations/v1/jobs?${weekOf(180)}&limit=200`],
    ["jobs of a trace", `/operations/v1/jobs?traceId=${traceId}`],
    ["a job", `/operations/v1/jobs/${jobId}`],
    ["events", "/operations/v1/events"],
    ["events that failed", "/operations/v1/events?status=failed"],
    ["events of an organisation", `/operations/v1/events?providerId=${providerId}`],
    ["events of a shift", `/operations/v1/events?shiftId=${shiftId}`],
    ["a trace", `/operations/v1/traces/${traceId}`],
    ["notifications", "/operations/v1/notifications"],
    ["notifications of a candidate", `/operations/v1/notifications?candidateId=${candidateId}`],
    ["candidates", "/operations/v1/candidates"],
    ["issues", "/operations/v1/issues"],
    ["statistics", "/operations/v1/statistics"],
    ["health of all providers", "/operations/v1/provider-health"],
    ["an integration, with its backlog", `/operations/v1/integrations/${providerId}`],
  ] as const;

/** Returns the query for the shifts of a week that began this many days ago. */
function weekOf(daysAgo: number): URLSearchParams {
  const from = Date.now() - daysAgo * DAY_MS;
  const [start, end] = [from, from + 7 * DAY_MS].map((ms) => new Date(ms).toISOString());
  return new URLSearchParams({ from: start ?? "", until: end ?? "" });
}

type Known = Record<"jobId" | "shiftId" | "traceId" | "candidateId" | "providerId", string>;

async function knownIds(deployment: Deployment): Promise<Known> {
  const { operations } = deployment.platform;
  const { data } = await operations.listJobs({ params: { query: { limit: 1 } } });
  const { data: people } = await operations.listCandidates({ params: { query: { limit: 1 } } });
  const [job] = data?.items ?? [];
  const candidateId = people?.items[0]?.candidateId ?? "";
  if (!job) throw new Error("no job was created");
  return {
    jobId: job.jobId,
    shiftId: job.shiftId,
    traceId: job.traceId ?? "",
    providerId: job.providerId,
    candidateId,
  };
}

async function timed({ platform }: Deployment, path: string): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < REPETITIONS; nth += 1) {
    const begun = performance.now();
    await get(platform, path);
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function get({ child, operationsToken }: Deployment["platform"], path: string): Promise<string> {
  const response = await fetch(`${child.url}${path}`, {
    headers: { Authorization: `Bearer ${operationsToken}` },
  });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.text();
}

/** Returns the path of the deep page; undefined for a shorter list. */
async function deepPage({ platform }: Deployment, list: string): Promise<string | undefined> {
  let path = `/operations/v1/${list}?limit=10`;
  for (let nth = 1; nth < DEEP_PAGE; nth += 1) {
    const { nextCursor } = JSON.parse(await get(platform, path));
    if (nextCursor === undefined) return undefined;
    path = `/operations/v1/${list}?limit=10&cursor=${nextCursor}`;
  }
  return path;
}
