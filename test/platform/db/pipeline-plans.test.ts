import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { BY_KEYS } from "../../../src/platform/db/engine.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";
import { startMailServer } from "../../harness/mail-server.ts";
import { startHarness } from "../../harness/platform.ts";

/** These may read a table whole: they run once a minute, an hour or at the start, or the table has a row for each organisation, process or sign-in. */
const ASIDE = [
  /^delete from "\w+" where .* limit \$\d+ .*for update skip locked/s,
  /\bis_quiet\b/,
  /^select .* from "integrations" where "deletion_requested_at"/s,
  /\bprocesses\b/,
  /^delete from "console_sessions" where \("used_at"/,
];

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

let url: string;
let client: pg.Client;
beforeEach(async () => {
  const { where, remove } = await copyDatabase();
  url = where.url;
  client = new pg.Client({ connectionString: url });
  await client.connect();
  undo.push(remove, () => client.end());
  await client.query("set search_path to shiftpact, public");
});

/** Returns the statements by which shifts appear, are offered by mail, staffed, changed and cancelled. */
async function statementsOfPipeline(): Promise<string[]> {
  const database = await openDatabase({ url, log: silent });
  const server = await startMailServer();
  const channel = createEmailChannel({ url: server.url, from: "shifts@platform.example" });
  const harness = await startHarness(database, { channel });
  const query = vi.spyOn(pg.Client.prototype, "query");
  undo.push(
    database.close,
    server.close,
    () => channel.close(),
    harness.close,
    () => query.mockRestore(),
  );
  const organisation = await harness.onboard();
  const person = await organisation.addPerson();
  // The start and the onboarding may read more.
  query.mockClear();
  const job = await organisation.open({ positions: 2 });
  await organisation.accept(job, person);
  await organisation.change(job, { positions: 3 });
  await organisation.idle();
  await organisation.withdraw(job, person);
  await organisation.idle();
  await organisation.cancel(job);
  await organisation.idle();
  const texts = (query.mock.calls as unknown[][]).map(([sent]) =>
    typeof sent === "string" ? sent : (sent as { text: string }).text,
  );
  const statements = texts.map((text) => text.trim());
  return [...new Set(statements)].filter((sql) => /^(with|select|insert|update|delete)\b/.test(sql));
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: Plan[];
}

const wholeReadsIn = (plan: Plan): string[] => [
  ...(plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"] ?? ""] : []),
  ...(plan.Plans ?? []).flatMap(wholeReadsIn),
];

/** Returns the tables that a statement reads whole by its plan in a transaction. The tables were never analyzed. */
async function wholeReadsOf(sql: string): Promise<string[]> {
  const places = new Set(sql.match(/\$\d+/g));
  const values = places.size > 0 ? `(${[...places].map(() => "null").join(", ")})` : "";
  await client.query(`begin; ${BY_KEYS}; prepare planned as ${sql}`);
  const { rows } = await client.query(`explain (format json) execute planned${values}`);
  await client.query("rollback; deallocate planned");
  return wholeReadsIn(rows[0]["QUERY PLAN"][0].Plan);
}

// On Citus the coordinator shows no index: the worker chooses it.
describe.skipIf(isOnCitus)("the plans of the pipeline's statements", () => {
  it("read no table whole, though none was ever analyzed", async () => {
    const statements = await statementsOfPipeline();
    expect(statements.length).toBeGreaterThan(60);
    const whole: { sql: string; tables: string[] }[] = [];
    for (const sql of statements.filter((sql) => !ASIDE.some((aside) => aside.test(sql)))) {
      const tables = await wholeReadsOf(sql);
      if (tables.length > 0) whole.push({ sql, tables });
    }
    expect(whole).toEqual([]);
  });

  it("are seen to read a table whole if they have no index", async () => {
    expect(await wholeReadsOf("select job_id from jobs where positions = $1")).toEqual(["jobs"]);
  });
});
