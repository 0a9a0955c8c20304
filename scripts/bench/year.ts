import { sql } from "kysely";
import type { Database } from "../../src/platform/db/database.ts";
import type { Deps } from "../../src/platform/deps.ts";
import { createUpkeep } from "../../src/platform/upkeep/upkeep.ts";
import { log, withDatabase } from "./database.ts";
import { pipeline, reopen, startDeployment, startProvider } from "./deployment.ts";
import { newDatabase } from "./organisations.ts";
import { type Section, type SectionResult, shown, type Table } from "./table.ts";
import { fillYear, measureRequests, REPETITIONS, type Times } from "./year-data.ts";

/** Events a second during the year. YEAR_RATE sets another rate: 10 a second take hours and more than 100 GB. */
const RATE = Number(process.env.YEAR_RATE ?? 1);

/** Compares the last day of a year with the first one, with the data that the default retention keeps. */
export const year: Section = {
  name: "year",
  title: "After a year",
  packages: ["pg", "kysely"],
  usesServer: true,
  isApart: true,
  run: async (setting) => {
    const { resources, quick, report } = setting;
    const store = await newDatabase(resources);
    const deployment = await startDeployment(resources, {
      store,
      provider: await startProvider(resources),
      organisations: 20,
    });
    const events = quick ? 200 : 1_000;
    report(`${events} webhooks to the platform: their rows are the pattern of every day`);
    await pipeline(deployment, events);
    const first = await measureRequests(setting, deployment);
    const perDay = quick ? events : RATE * 86_400;
    // The platform's upkeep would drop old days during the filling.
    await deployment.end();
    const started = performance.now();
    await withDatabase(store, (database) => fillYear(database, { perDay, report }));
    const minutes = (performance.now() - started) / 60_000;
    const dropped = await withDatabase(store, upkeepRound);
    const later = await reopen(resources, deployment);
    const last = await measureRequests(setting, later);
    const sizes = await withDatabase(store, sizesOf);
    await later.end();
    report(`filled in ${shown(minutes)} minutes`);
    return {
      tables: [timesTable(first, last, perDay), sizesTable(sizes), upkeepTable(dropped)],
      figures: figuresOf(first, last),
    } satisfies SectionResult;
  },
};

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

function timesTable(first: Times, last: Times, perDay: number): Table {
  return {
    title: "After a year: response times",
    about: `A database after a year of ${shown(perDay)} events a day with the default retention, against a new one. One event in ten announces a new shift, which is offered to three candidates. Medians of ${REPETITIONS}, in milliseconds.`,
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
    about: "One round that drops the expired days, and the next one.",
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
