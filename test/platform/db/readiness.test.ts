import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase, openUnmigrated } from "../../../src/platform/db/database.ts";
import { knownVersion } from "../../../src/platform/db/migrate.ts";
import { openPostgres } from "../../../src/platform/db/postgres/postgres.ts";
import { createReadiness } from "../../../src/platform/inbox/readiness.ts";
import { startPostgres } from "../../harness/embedded-postgres.ts";
import { copyDatabase, engines, silent, withEngine } from "../../harness/engines.ts";
import { type Gate, openGate } from "../../harness/gate.ts";
import { expectProblem } from "../../harness/http.ts";
import { shiftEvent, startWithTenants, type TenantHarness } from "../../harness/tenants.ts";

describe("readiness", () => {
  let gate: Gate;
  let url: string;
  let database: Database;
  let direct: pg.Client;
  let removeDatabase: () => Promise<void>;
  beforeEach(async () => {
    const { where, remove } = await copyDatabase();
    [url, removeDatabase] = [where.url, remove];
    gate = await openGate(url);
    database = openPostgres(gate.url, silent, { silence: { statementMs: 3_000, listenMs: 20_000 } });
    direct = new pg.Client({ connectionString: url });
    await direct.connect();
  });
  afterEach(async () => {
    await direct.end();
    await database.close();
    await gate.shut();
    await removeDatabase();
  });

  const readiness = async (options = {}) =>
    createReadiness({ database, log: silent, knownSchema: await knownVersion(), keptForMs: 0, ...options });
  const fault = async () => (await readiness()).fault();
  /** What the database answers, however long a busy machine takes. */
  const answer = async () => (await readiness({ answerMs: 60_000 })).fault();
  /** A migration of a version that this one does not know. */
  const migrated = (worksWith: string | null) =>
    direct.query(
      "insert into shiftpact.migrations (name, checksum, works_with) values ('999-x.sql', '', $1)",
      [worksWith],
    );

  it("holds while a webhook can be stored", async () => {
    expect(await fault()).toBeUndefined();
  });

  it("fails while the database does not answer, and recovers", async () => {
    await gate.shut();
    expect(await fault()).toBe("database_unreachable");
    await gate.open();
    expect(await fault()).toBeUndefined();
  });

  it("fails on a connection that hangs, without a second attempt beside it", async () => {
    const { fault } = await readiness({ answerMs: 50 });
    await expect.poll(fault).toBeUndefined();
    gate.freeze();
    await expect.poll(fault).toBe("database_unreachable");
    const sessions = async () =>
      (await direct.query("select from pg_stat_activity where datname = current_database()")).rowCount;
    const before = await sessions();
    for (let time = 0; time < 5; time += 1) expect(await fault()).toBe("database_unreachable");
    expect(await sessions()).toBe(before);
  });

  it("fails on a database that is read-only", async () => {
    const name = new URL(url).pathname.slice(1);
    await direct.query(`alter database ${name} set default_transaction_read_only = on`);
    const later = await openUnmigrated({ url, log: silent });
    const { fault } = await readiness({ database: later });
    expect(await fault()).toBe("database_read_only");
    await later.close();
  });

  it.each(["access exclusive", "exclusive", "share"])(
    "fails while an %s lock keeps inserts out",
    async (mode) => {
      await direct.query(`begin; lock table shiftpact.events in ${mode} mode`);
      expect(await answer()).toBe("inbox_locked");
      await direct.query("rollback");
      expect(await answer()).toBeUndefined();
    },
  );

  it.each([
    ["a table is missing", "alter table shiftpact.events rename to gone"],
    ["a column is missing", "alter table shiftpact.events rename trace_id to gone"],
    ["the schema is missing", "alter schema shiftpact rename to gone"],
  ])("fails when %s", async (_, statement) => {
    await direct.query(statement);
    expect(await fault()).toBe("schema_missing");
  });

  it("fails on a newer schema that does not work with this version, and holds on one that does", async () => {
    const known = await knownVersion();
    await migrated(null);
    expect(await fault()).toBe("schema_newer");
    await direct.query("update shiftpact.migrations set works_with = $1 where name = '999-x.sql'", [known]);
    expect(await fault()).toBeUndefined();
    await direct.query("update shiftpact.migrations set works_with = '998' where name = '999-x.sql'");
    expect(await fault()).toBe("schema_newer");
  });

  it("fails when the role may not write", async () => {
    await direct.query("create role may_read login password 'x'");
    await direct.query(
      "grant usage on schema shiftpact to may_read; grant select on all tables in schema shiftpact to may_read",
    );
    const reading = new URL(url);
    Object.assign(reading, { username: "may_read", password: "x" });
    const later = await openDatabase({ url: reading.href, log: silent });
    expect(await (await readiness({ database: later })).fault()).toBe("database_rights_missing");
    await later.close();
    await direct.query("drop owned by may_read; drop role may_read");
  });

  /** Takes every connection of the inbox, until the returned function is called. */
  async function takeInbox(): Promise<() => Promise<unknown>> {
    const gone = Promise.withResolvers<void>();
    const holding = [1, 2, 3, 4].map(() => {
      const held = Promise.withResolvers<void>();
      const done = database.inbox.transaction().execute(async () => {
        held.resolve();
        await gone.promise;
      });
      return { held: held.promise, done };
    });
    await Promise.all(holding.map(({ held }) => held));
    return () => {
      gone.resolve();
      return Promise.allSettled(holding.map(({ done }) => done));
    };
  }

  it("fails when no connection of the inbox is free", async () => {
    const leave = await takeInbox();
    const { fault } = await readiness({ answerMs: 50 });
    expect(await fault()).toBe("connections_exhausted");
    await leave();
    await expect.poll(fault).toBeUndefined();
  });

  it("names the database, not the number of connections, when its silence holds them", async () => {
    await database.raw.executeSql("select 1");
    const leave = await takeInbox();
    gate.freeze();
    const { fault } = await readiness({ answerMs: 50 });
    expect(await fault()).toBe("database_unreachable");
    await gate.shut();
    await leave();
    await gate.open();
  });

  it("tries once for all requests within a second", async () => {
    let at = 0;
    let trials = 0;
    const counting = {
      isInboxExhausted: () => false,
      inbox: {
        transaction: () => ({
          execute: async () => {
            trials += 1;
          },
        }),
      } as unknown as Database["inbox"],
    };
    const { fault } = await readiness({ database: counting, keptForMs: 1_000, now: () => at });
    await Promise.all(Array.from({ length: 50 }, fault));
    at = 999;
    await fault();
    expect(trials).toBe(1);
    at = 1_000;
    await fault();
    expect(trials).toBe(2);
  });
});

it.each(engines)("readiness holds on a database of %s, and fails when its inbox is gone", async (engine) => {
  await withEngine(engine, async (database) => {
    const options = { database, log: silent, knownSchema: await knownVersion(), keptForMs: 0 };
    const { fault } = createReadiness(options);
    expect(await fault()).toBeUndefined();
    await database.raw.executeSql("alter table shiftpact.events rename to gone");
    expect(await fault()).toBe("schema_missing");
  });
});

describe("a platform whose connections for work are all in use", () => {
  let harness: TenantHarness;
  beforeEach(async () => {
    harness = await startWithTenants("postgres", { config: { databasePool: 2 } });
  });
  afterEach(() => harness.close());

  it("still stores webhooks and is ready", async () => {
    const direct = new pg.Client({ connectionString: harness.location.url });
    await direct.connect();
    await direct.query("begin; lock table shiftpact.workplaces");
    const calls = [1, 2, 3].map((nth) => harness.operate("POST", "/workplaces", { name: `Kajen ${nth}` }));
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect
      .poll(async () => {
        await direct.query("select pg_stat_clear_snapshot()");
        return (await direct.query(waiting)).rowCount;
      })
      .toBe(2);
    expect((await harness.sendEvent(shiftEvent(harness.tenant.providerId))).status).toBe(200);
    expect((await harness.send("/health/ready")).status).toBe(200);
    await direct.query("rollback");
    for (const call of calls) expect((await call).status).toBe(201);
    await direct.end();
  });
});

it("a platform answers with the cause and Retry-After", async () => {
  const harness = await startWithTenants("postgres");
  const direct = new pg.Client({ connectionString: harness.location.url });
  await direct.connect();
  await direct.query("begin; lock table shiftpact.events");
  const answer = await harness.send("/health/ready");
  expectProblem(answer, "inbox_locked");
  expect(answer.headers["retry-after"]).toBe("5");
  await direct.query("rollback");
  await direct.end();
  await expect.poll(async () => (await harness.send("/health/ready")).status).toBe(200);
  await harness.close();
});

describe("readiness on a primary without its synchronous standby", () => {
  it("fails, because no webhook could be committed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-synchronous-"));
    await chmod(folder, 0o755);
    const flags = ["-c", "synchronous_standby_names=gone"];
    const server = await startPostgres({ databaseDir: join(folder, "postgres"), flags });
    const url = `${server.url}/postgres`;
    const local = await openDatabase({ url: `${url}?options=-csynchronous_commit%3Dlocal`, log: silent });
    const database = openPostgres(url, silent, { silence: { statementMs: 1_000, listenMs: 20_000 } });
    const options = { log: silent, knownSchema: await knownVersion(), keptForMs: 0, answerMs: 500 };
    expect(await createReadiness({ ...options, database: local }).fault()).toBeUndefined();
    expect(await createReadiness({ ...options, database }).fault()).toBe("database_unreachable");
    await Promise.all([local.close(), database.close()]);
    await server.crash();
    await rm(folder, { recursive: true });
  });
});
