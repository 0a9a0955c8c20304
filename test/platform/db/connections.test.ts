import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, describe, expect, inject, it } from "vitest";
import { startPostgres } from "../../../scripts/embedded-postgres.ts";
import { connectorOf } from "../../../src/platform/db/connect.ts";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { faultOfUrl } from "../../../src/platform/db/database-url.ts";
import { copyDatabase, silent } from "../../engines.ts";
import { type Gate, openGate } from "../http/gate.ts";

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

async function gateTo(url: string): Promise<Gate> {
  const gate = await openGate(url);
  undo.push(gate.shut);
  return gate;
}

const hostOf = (url: string) => new URL(url).host;
const inboxOf = (database: Awaited<ReturnType<typeof opened>>) => async () => {
  const row = { workplace_id: randomUUID(), name: "Kajen" };
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
    const database = await opened(url);
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

describe("a URL with several servers", () => {
  it("leads to the first that responds", async () => {
    const url = await newDatabase();
    const gate = await gateTo(url);
    const several = url.replace(hostOf(url), `${hostOf(gate.url)},${hostOf(url)}`);
    const database = await opened(several);
    await inboxOf(database)();
    await gate.shut();
    const again = async () =>
      inboxOf(database)().then(
        () => "stored",
        () => "failed",
      );
    await expect.poll(again).toBe("stored");
    await gate.open();
  });

  it("says in one line what is wrong with each, without the password", async () => {
    const url = "postgres://user:hunter2@127.0.0.1:9,localhost:9/x";
    const refusal = await openDatabase({ url, log: silent }).catch((error: Error) => error);
    const { message } = refusal as Error;
    expect(message).toMatch(
      /^no server of the URL can be used: 127\.0\.0\.1:9 .*ECONNREFUSED.*; localhost:9 .*ECONNREFUSED/,
    );
    expect(message).not.toMatch(/hunter2|\n/);
  });

  it("leads to the one that accepts writes when it must, and to the first otherwise", async () => {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-standby-"));
    await chmod(folder, 0o755);
    const flags = ["-c", "default_transaction_read_only=on"];
    const standby = await startPostgres({ databaseDir: join(folder, "postgres"), flags });
    undo.push(() => rm(folder, { recursive: true }), standby.stop);
    const primary = inject("postgresServer");
    const several = `${standby.url.replace(hostOf(standby.url), `${hostOf(standby.url)},${hostOf(primary)}`)}/postgres`;
    const portOf = async (query: string) => {
      const client = connectorOf(several + query).newClient();
      await client.connect();
      const { rows } = await client.query("select inet_server_port() as port");
      await client.end();
      return rows[0]?.port;
    };
    expect(await portOf("?target_session_attrs=read-write")).toBe(Number(new URL(primary).port));
    expect(await portOf("?target_session_attrs=any")).toBe(standby.port);
    expect(await portOf("")).toBe(standby.port);
    const alone = `${standby.url}/postgres?target_session_attrs=primary`;
    await expect(connectorOf(alone).newClient().connect()).rejects.toThrow(
      `127.0.0.1:${standby.port} is read-only`,
    );
  });
});

describe("the URL of a database", () => {
  const BASE = "postgres://user:hunter2@one/shiftpact";
  it.each([
    ["mysql://x", /^DATABASE_URL must start with postgres/],
    [
      `${BASE}?sslmode=prefer`,
      /^DATABASE_URL: sslmode must be one of disable, require, verify-ca, verify-full$/,
    ],
    [`${BASE}?sslmode=verify_full`, /sslmode must be one of/],
    [`${BASE}?sslmode=verify-ca`, /sslmode=verify-ca needs sslrootcert/],
    [`${BASE}?sslmode=verify-full&sslrootcert=/not/there.pem`, /there is no file \/not\/there\.pem$/],
    [`${BASE}?target_session_attrs=standby`, /target_session_attrs must be one of any, read-write, primary$/],
  ])("is refused: %s", (url, line) => {
    expect(faultOfUrl("DATABASE_URL", url)).toMatch(line);
    expect(faultOfUrl("DATABASE_URL", url)).not.toContain("hunter2");
  });

  it.each([
    BASE,
    `${BASE}?sslmode=require`,
    "postgres://user:hunter2@one:1,two:2/shiftpact?target_session_attrs=read-write&sslmode=verify-full",
    "postgresql:///shiftpact?host=/run/postgresql",
  ])("is accepted: %s", (url) => {
    expect(faultOfUrl("DATABASE_URL", url)).toBeUndefined();
  });
});
