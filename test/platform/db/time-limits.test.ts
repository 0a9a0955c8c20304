import { sql } from "kysely";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../src/platform/db/database.ts";
import { openPostgres } from "../../../src/platform/db/postgres/postgres.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";
import { startHarness } from "../../harness/platform.ts";

const WAIT = { timeout: 60_000 };

async function open(isPooled: boolean): Promise<Database> {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const database = openPostgres(where.url, silent, {
    silence: { statementMs: 2_000, listenMs: 20_000 },
    directUrl: isPooled ? where.url : undefined,
  });
  onTestFinished(database.close);
  return database;
}

// The embedded engine runs in one thread, which no timer interrupts: PostgreSQL's limits have no effect there.
describe.each([
  ["a session", false],
  ["a transaction, as behind a pooler", true],
])("a statement that takes too long, whose limits are those of %s,", (_, isPooled) => {
  it("ends at the server, and leaves its connection in use", async () => {
    const { kysely, inbox, raw } = await open(isPooled);
    const slow = sql`select pg_sleep(600)`;
    for (const db of [kysely, inbox]) await expect(slow.execute(db)).rejects.toMatchObject({ code: "57014" });
    await expect(kysely.transaction().execute((trx) => slow.execute(trx))).rejects.toMatchObject({
      code: "57014",
    });
    await expect(raw.executeSql("select pg_sleep(600)")).rejects.toMatchObject({ code: "57014" });
    // The server sends the error before it shows the session as idle.
    const running = async () => {
      const { rows } = await sql`select query from pg_stat_activity
        where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()`.execute(
        kysely,
      );
      return rows;
    };
    await expect.poll(running, WAIT).toEqual([]);
  });

  it("has ended before that if it waits for a lock, with an error that says so", async () => {
    const { kysely } = await open(isPooled);
    await kysely.insertInto("locks").values({ key: 1 }).execute();
    const lock = sql`select 1 from locks where key = 1 for update`;
    await kysely.transaction().execute(async (trx) => {
      await lock.execute(trx);
      await expect(lock.execute(kysely)).rejects.toMatchObject({ code: "55P03" });
    });
  });

  it("has no limit in a migration", async () => {
    const { raw, kysely } = await open(isPooled);
    const ask = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle`;
    const none = { statement: "0", lock: "0", idle: "0" };
    expect((await raw.alone((run) => run(ask))).rows).toEqual([none]);
    expect((await sql.raw(ask).execute(kysely)).rows).toEqual([
      { statement: "1866ms", lock: "1733ms", idle: "1min" },
    ]);
  });
});

it("a statement that takes too long is answered with 503 and Retry-After, and the work of a process is done later", async () => {
  const database = await open(false);
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const harness = await startHarness(database, { timing: { answerWithinMs: 0 }, log });
  onTestFinished(harness.close);
  const organisation = await harness.onboard();
  const [job, person] = [await organisation.open(), await organisation.addPerson()];
  const { status, headers } = await database.kysely.transaction().execute(async (trx) => {
    await sql`select 1 from jobs where provider_id = ${organisation.providerId} for update`.execute(trx);
    organisation.provider.updateShift(job.shiftId, { positions: 2 });
    const path = `/jobs/${job.jobId}/bookings`;
    const answer = await harness.operate("POST", path, { candidateId: person.candidateId });
    await expect.poll(() => lines.join(""), WAIT).toContain("work failed and will be retried");
    return answer;
  });
  expect(status).toBe(503);
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  const read = async () => (await harness.operate("GET", `/jobs/${job.jobId}`)).body;
  await expect.poll(read, WAIT).toMatchObject({ positions: 2 });
});
