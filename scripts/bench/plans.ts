import { randomUUID } from "node:crypto";
import {
  CompiledQuery,
  type Kysely,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  PostgresQueryCompiler,
} from "kysely";
import type { Database } from "../../src/platform/db/database.ts";
import type { Schema } from "../../src/platform/db/schema.ts";
import { eventHandlers } from "../../src/platform/http/operations/events.ts";
import { createDispatcher } from "../../src/platform/inbox/dispatch.ts";
import { createInbox } from "../../src/platform/inbox/receive.ts";
import { loadShift } from "../../src/platform/shifts/load.ts";
import type { Organisation } from "./organisations.ts";
import { log } from "./stored-events.ts";

/** The plan of PostgreSQL for a query of the platform. */
export interface Plan {
  what: string;
  /** Scans of the table events: `index scan, events_shift`. */
  scans: readonly string[];
  /** Milliseconds. */
  took: number;
}

type Query = Pick<CompiledQuery, "sql" | "parameters">;
type Do = (kysely: Kysely<Schema>) => Promise<unknown>;

/** Returns the plans of the queries that the platform's own code makes. */
export async function plansOf(
  { kysely }: Database,
  [organisation]: readonly Organisation[],
): Promise<Plan[]> {
  const providerId = organisation?.providerId ?? "";
  const plans: Plan[] = [];
  for (const [what, run] of Object.entries(hotQueries(providerId))) {
    const query = await taken(kysely, run);
    plans.push({ what, ...(await explained(kysely, query)) });
  }
  return plans;
}

function hotQueries(providerId: string): Readonly<Record<string, Do>> {
  const list =
    (query: object): Do =>
    async (kysely) => {
      await eventHandlers({ database: { kysely } } as never).listEvents({ query } as never);
    };
  return {
    "store webhooks, none twice": (kysely) => receive(kysely, providerId),
    "events whose shift is not due": sweep,
    "what waits for a shift": (kysely) =>
      loadShift(kysely, { providerId, shiftId: randomUUID() }, new Date()),
    "GET /events": list({}),
    "GET /events?providerId=": list({ providerId }),
    "GET /events?providerId=, one that sent none": list({ providerId: randomUUID() }),
    "GET /events?shiftId=": list({ providerId, shiftId: randomUUID() }),
    "GET /events?traceId=": list({ traceId: randomUUID() }),
    "GET /events?status=dead": list({ status: "dead" }),
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
  await createDispatcher({ database: { kysely } as Database, log, wakeWorker: () => undefined }).run();
}

/** Returns the first query on the events, or on their view, that `run` makes. */
async function taken(kysely: Kysely<Schema>, run: Do): Promise<Query> {
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
  const query = queries.find(({ sql }) => /\b(all_)?events\b/.test(sql));
  if (!query) throw new Error("no query was made");
  return query;
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Conflict Arbiter Indexes"?: string[];
  Plans?: Node[];
}

const ROLL_BACK = Symbol("rolled back");

/** Executes and rolls back the query. */
async function explained(kysely: Kysely<Schema>, { sql, parameters }: Query): Promise<Omit<Plan, "what">> {
  let plan: Omit<Plan, "what"> | undefined;
  const explain = CompiledQuery.raw(`explain (analyze, format json) ${sql}`, [...parameters]);
  await kysely
    .transaction()
    .execute(async (trx) => {
      const { rows } = await trx.executeQuery<{ "QUERY PLAN": [{ Plan: Node; "Execution Time": number }] }>(
        explain,
      );
      const [top] = rows[0]?.["QUERY PLAN"] ?? [];
      if (top) plan = { scans: [...new Set(scansOf(top.Plan))], took: top["Execution Time"] };
      throw ROLL_BACK;
    })
    .catch((error) => {
      if (error !== ROLL_BACK) throw error;
    });
  if (!plan) throw new Error("the database explained nothing");
  return plan;
}

/** Returns the scans of the table events. A bitmap index scan names no table. */
export function scansOf(node: Node): string[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const type = node["Node Type"].toLowerCase();
  const index = node["Index Name"];
  const arbiters = node["Conflict Arbiter Indexes"] ?? [];
  if (arbiters.length > 0) return [`no scan, conflicts by ${arbiters.join(", ")}`, ...below];
  if (type === "bitmap index scan" && index?.startsWith("events")) return [`${type}, ${index}`, ...below];
  if (!type.includes("scan") || type === "bitmap heap scan" || node["Relation Name"] !== "events")
    return below;
  return [index === undefined ? type : `${type}, ${index}`, ...below];
}
