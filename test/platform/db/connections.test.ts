import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { type Database, openDatabase, openUnmigrated } from "../../../src/platform/db/database.ts";
import { faultOfUrl } from "../../../src/platform/db/database-url.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

async function newDatabase(): Promise<string> {
  const { where, remove } = await copyDatabase();
  undo.push(remove);
  return where.url;
}

async function opened(url: string) {
  const database = await openDatabase({ url, log: silent });
  undo.push(database.close);
  return database;
}

const inboxOf = (database: Awaited<ReturnType<typeof opened>>) => async () => {
  const row = { workplaceId: randomUUID(), name: "Kajen" };
  return database.inbox.insertInto("workplaces").values(row).execute();
};

describe("a server that becomes read-only for a moment", () => {
  it("loses every connection that was made before or meanwhile, as soon as one reports it", async () => {
    const url = await newDatabase();
    const name = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    undo.push(() => admin.end());
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    const database = await openUnmigrated({ url, log: silent });
    undo.push(database.close);
    const held = Promise.withResolvers<void>();
    const idle = Array.from({ length: 4 }, () => database.inbox.connection().execute(() => held.promise));
    held.resolve();
    await Promise.all(idle);
    const sessions = "select count(*)::int as count from pg_stat_activity where datname = current_database()";
    const { rows } = await admin.query(sessions);
    expect(rows[0]?.count).toBeGreaterThanOrEqual(5);
    await admin.query(`alter database ${name} set default_transaction_read_only = off`);
    const store = inboxOf(database);
    await expect(store()).rejects.toMatchObject({ code: "25006" });
    for (let time = 0; time < 8; time += 1) await store();
  });
});

/** The connections of the pool for work. */
async function pidsOf({ kysely }: Database, count: number): Promise<number[]> {
  const held = Promise.withResolvers<void>();
  const pids = Array.from({ length: count }, () =>
    kysely.connection().execute(async (connection) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
      await held.promise;
      return rows[0]?.pid ?? 0;
    }),
  );
  held.resolve();
  return Promise.all(pids);
}

describe("a server that stops", () => {
  it.each(["57P01", "57P02", "57P03"])(
    "loses the connections that were made before it reports %s",
    async (code) => {
      const database = await opened(await newDatabase());
      const before = await pidsOf(database, 3);
      const failed = sql.raw(`do $$ begin raise using errcode = '${code}'; end $$`).execute(database.kysely);
      await expect(failed).rejects.toMatchObject({ code });
      const after = await pidsOf(database, 3);
      expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    },
  );

  it("ends a connection in use and an idle one, and the next statements have new ones", async () => {
    const url = await newDatabase();
    const database = await opened(url);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    undo.push(() => admin.end());
    const before = await pidsOf(database, 3);
    const busy = sql`select pg_sleep(60)`.execute(database.kysely);
    const refused = expect(busy).rejects.toMatchObject({ code: "57P01" });
    const sleeping = "select pid from pg_stat_activity where query = 'select pg_sleep(60)'";
    await expect.poll(async () => (await admin.query(sleeping)).rowCount).toBe(1);
    const { pid } = (await admin.query(sleeping)).rows[0];
    const idle = before.find((each) => each !== pid);
    for (const each of [idle, pid]) await admin.query("select pg_terminate_backend($1::int)", [each]);
    await refused;
    const after = await pidsOf(database, 3);
    expect(after.filter((each) => before.includes(each))).toEqual([]);
  });
});

describe("prepared statements", () => {
  it("have names that no other process uses", async () => {
    const module = (path: string) =>
      JSON.stringify(new URL(`../../../src/platform/db/${path}`, import.meta.url).href);
    const script = `
      import { preparing } from ${module("postgres/prepared.ts")};
      const client = { query: async ({ name }) => console.log(name), release: () => undefined };
      const { query } = await preparing({ connect: async () => client }, { silenceMs: 0 }).connect();
      await query("select $1", [1]);
      await query("select $1", [2]);`;
    const run = async () => {
      const flags = ["--input-type=module", "--eval", script];
      const { stdout } = await promisify(execFile)(process.execPath, flags);
      return stdout.trim().split("\n");
    };
    const [one, two] = [await run(), await run()];
    for (const names of [one, two])
      expect(names).toEqual([expect.stringMatching(/^s[0-9a-f]{8}_0$/), names[0]]);
    expect(one[0]).not.toBe(two[0]);
  });
});

describe("the URL of a database", () => {
  const BASE = "postgres://user:hunter2@one/shiftpact";
  it.each([
    ["mysql://x", /^DATABASE_URL must start with postgres/],
    ...["p@ss", "p/ss", "p?ss", "p#ss", "12/ss", "p@s/s", "p@s?s", "p?s=s"].map(
      (password): [string, RegExp] => [
        `postgres://user:hunter2${password}@one/shiftpact`,
        /^DATABASE_URL: write \/ \? # and @ in the user and the password as %2F %3F %23 and %40 \(and % as %25\)$/,
      ],
    ),
    [
      `${BASE}?sslmode=prefer`,
      /^DATABASE_URL: sslmode must be one of disable, require, verify-ca, verify-full$/,
    ],
    [`${BASE}?sslmode=verify_full`, /sslmode must be one of/],
    [`${BASE}?sslmode=verify-ca`, /sslmode=verify-ca needs sslrootcert/],
    [`${BASE}?sslmode=verify-full&sslrootcert=/not/there.pem`, /there is no file \/not\/there\.pem$/],
    [`${BASE}?ssl_mode=require`, /^DATABASE_URL: ssl_mode is not a parameter of TLS; there are sslmode, /],
    [`${BASE}?ssl=true&sslmode=require`, /^DATABASE_URL: ssl is not a parameter of TLS/],
    [`${BASE}?sslMode=verify-full`, /^DATABASE_URL: sslMode is not a parameter of TLS/],
    [
      `${BASE}?target_session_attrs=any`,
      /^DATABASE_URL: target_session_attrs has no meaning .* of the primary$/,
    ],
    [
      "postgres://user:hunter2@one:1,two:2/shiftpact",
      /^DATABASE_URL names several servers: name one address, /,
    ],
    ["postgres:///shiftpact?host=one,two&password=hunter2", /^DATABASE_URL names several servers/],
    [`${BASE}?port=1,2`, /^DATABASE_URL names several servers/],
  ])("is refused: %s", (url, line) => {
    expect(faultOfUrl("DATABASE_URL", url)).toMatch(line);
    expect(faultOfUrl("DATABASE_URL", url)).not.toContain("hunter2");
  });

  it("is refused when PGSSLMODE has a value that the driver would ignore, unless the URL says what to do", () => {
    const fault = /^PGSSLMODE is not a value that the driver knows: set sslmode in DATABASE_URL$/;
    for (const PGSSLMODE of ["verify_full", "allow"]) {
      expect(faultOfUrl("DATABASE_URL", BASE, { PGSSLMODE })).toMatch(fault);
      expect(faultOfUrl("DATABASE_URL", `${BASE}?sslmode=require`, { PGSSLMODE })).toBeUndefined();
    }
    for (const PGSSLMODE of ["", "verify-full"])
      expect(faultOfUrl("DATABASE_URL", BASE, { PGSSLMODE })).toBeUndefined();
  });

  it.each([
    BASE,
    `${BASE}?sslmode=require`,
    "postgres://user:%40%2F%3F%23@one/shiftpact",
    "postgres://one/shiftpact?application_name=a@b",
    "postgresql:///shiftpact?host=/run/postgresql&user=a@b",
    "postgresql:///shiftpact?host=/run/postgresql",
  ])("is accepted: %s", (url) => {
    expect(faultOfUrl("DATABASE_URL", url)).toBeUndefined();
  });
});
