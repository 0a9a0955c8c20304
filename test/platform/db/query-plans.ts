import { randomUUID } from "node:crypto";
import {
  CompiledQuery,
  type Kysely,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  PostgresQueryCompiler,
} from "kysely";
import type { Database } from "../../../src/platform/db/database.ts";
import type { Schema } from "../../../src/platform/db/schema.ts";
import { eventHandlers } from "../../../src/platform/http/operations/events.ts";
import { jobHandlers } from "../../../src/platform/http/operations/jobs.ts";
import { notificationHandlers } from "../../../src/platform/http/operations/notifications.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { createInbox } from "../../../src/platform/inbox/receive.ts";
import { createReadings } from "../../../src/platform/metrics/readings.ts";
import { loadShifts } from "../../../src/platform/shifts/observe/load.ts";
import { silent } from "../../harness/engines.ts";

/** The plan of PostgreSQL for a query of the platform. */
export interface Plan {
  what: string;
  /** By the scans of its table, of whatever they return. */
  rowsRead: number;
}

type Query = Pick<CompiledQuery, "sql" | "parameters">;
type Do = (kysely: Kysely<Schema>) => Promise<unknown>;

interface Hot {
  run: Do;
  /** `events` unless given. */
  table?: string;
  /** It runs by the settings of a transaction (BY_KEYS). */
  isWithin?: true;
}

/** Returns the plans of the queries that the platform's own code makes. */
export async function plansOf({ kysely }: Database, providerId: string): Promise<Plan[]> {
  const plans: Plan[] = [];
  const stored = await anyOf(kysely, providerId);
  const queries = { ...eventQueries(stored), ...otherQueries(stored) };
  for (const [what, hot] of Object.entries(queries)) {
    const query = await taken(kysely, hot);
    plans.push({ what, rowsRead: await explained(kysely, query, hot) });
  }
  return plans;
}

interface Stored {
  providerId: string;
  shiftId: string;
  jobId: string;
  candidateId: string;
}

/** Returns ids that the lists find, where there are any: a plan for none may not be executed. */
async function anyOf(kysely: Kysely<Schema>, providerId: string): Promise<Stored> {
  const one = async (table: "events" | "notifications") =>
    kysely.selectFrom(table).selectAll().where("providerId", "=", providerId).limit(1).executeTakeFirst();
  const found = { ...(await one("events")), ...(await one("notifications")) };
  const { shiftId = randomUUID(), jobId = randomUUID(), candidateId = randomUUID() } = found;
  return { providerId, shiftId, jobId, candidateId };
}

function eventQueries({ providerId, shiftId }: Stored): Readonly<Record<string, Hot>> {
  const list = (query: object): Hot => ({
    run: (kysely) =>
      eventHandlers({ database: { kysely } } as never, {} as never).listEvents({ query } as never),
  });
  return {
    "store webhooks, none twice": { run: (kysely) => receive(kysely, providerId), isWithin: true },
    "events whose shift is not due": { run: sweep, isWithin: true },
    "what waits for a shift": {
      run: (kysely) =>
        loadShifts(kysely, [{ key: { providerId, shiftId: randomUUID() } }], new Date(), providerId),
      isWithin: true,
    },
    "GET /events": list({}),
    "GET /events?providerId=": list({ providerId }),
    "GET /events?providerId=, one that sent none": list({ providerId: randomUUID() }),
    "GET /events?providerId=&shiftId=": list({ providerId, shiftId }),
    "GET /events?shiftId=": list({ shiftId }),
    "GET /events?traceId=": list({ traceId: randomUUID() }),
    "GET /events?status=dead": list({ status: "dead" }),
  };
}

function otherQueries({ providerId, jobId, candidateId }: Stored): Readonly<Record<string, Hot>> {
  const notifications = (query: object): Hot => ({
    table: "notifications",
    run: (kysely) =>
      notificationHandlers({ database: { kysely }, offerMail: {} } as never).listNotifications({
        query,
      } as never),
  });
  const readings: Do = (kysely) => createReadings({ kysely }, async () => [])();
  return {
    "metrics, of events": { run: readings },
    "metrics, of notifications": { run: readings, table: "notifications" },
    "GET /notifications": notifications({}),
    "GET /notifications?jobId=": notifications({ jobId }),
    "GET /notifications?candidateId=": notifications({ candidateId }),
    "GET /notifications?candidateId=&jobId=": notifications({ candidateId, jobId }),
    "GET /jobs?providerId=": {
      table: "jobs",
      run: (kysely) =>
        jobHandlers({ database: { kysely } } as never).listJobs({ query: { providerId } } as never),
    },
  };
}

function receive(kysely: Kysely<Schema>, providerId: string): Promise<unknown> {
  const event = {
    providerId,
    event: "shift.create",
    shiftId: randomUUID(),
    traceId: randomUUID(),
  };
  // Not claimed: its shift is not due.
  return createInbox({ db: { kysely }, onStored: () => undefined }).receive({ ...event, status: "ignored" });
}

/** Makes the shift of a remaining event due, which does not harm the platform on this database. */
async function sweep(kysely: Kysely<Schema>): Promise<void> {
  await createDispatcher({
    database: { kysely } as Database,
    log: silent,
    wakeWorker: () => undefined,
  }).run();
}

/** Returns the first query on the table, or on a view of it, that `run` makes. */
async function taken(kysely: Kysely<Schema>, { run, table = "events" }: Hot): Promise<Query> {
  const queries: Query[] = [];
  const compiler = new PostgresQueryCompiler();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }: PluginTransformQueryArgs) => {
      queries.push(compiler.compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await run(kysely.withPlugin(plugin));
  const name = new RegExp(`\\b(all_)?${table}(_of_shifts)?\\b`);
  const query = queries.find(({ sql }) => name.test(sql));
  if (!query) throw new Error("no query was made");
  return query;
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

/** The settings of a statement outside a transaction. */
const AS_SINGLE = [
  "plan_cache_mode",
  "enable_hashjoin",
  "enable_mergejoin",
  "enable_seqscan",
  "enable_bitmapscan",
]
  .map((name) => `set local ${name} to default`)
  .join("; ");

const ROLL_BACK = Symbol("rolled back");

/** Executes and rolls back the query. Returns the rows that it read. */
async function explained(
  kysely: Kysely<Schema>,
  { sql, parameters }: Query,
  { table, isWithin }: Hot,
): Promise<number> {
  let read: number | undefined;
  const explain = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]);
  await kysely
    .transaction()
    .execute(async (trx) => {
      if (!isWithin) await trx.executeQuery(CompiledQuery.raw(AS_SINGLE));
      const { rows } = await trx.executeQuery<{ "QUERY PLAN": [{ Plan: Node }] }>(explain);
      const [top] = rows[0]?.["QUERY PLAN"] ?? [];
      if (top) read = rowsRead(top.Plan, table);
      throw ROLL_BACK;
    })
    .catch((error) => {
      if (error !== ROLL_BACK) throw error;
    });
  if (read === undefined) throw new Error("the database explained nothing");
  return read;
}

/** Returns how many rows of a table its scans read: an index that only gives the order is read to its end. */
function rowsRead(node: Node, table = "events"): number {
  const { "Actual Rows": kept = 0, "Rows Removed by Filter": removed = 0, "Actual Loops": loops = 1 } = node;
  const own = node["Relation Name"] === table && node["Node Type"].includes("Scan");
  const below = (node.Plans ?? []).map((child) => rowsRead(child, table));
  return [own ? (kept + removed) * loops : 0, ...below].reduce((sum, rows) => sum + rows, 0);
}
