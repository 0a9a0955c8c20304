import { EventEmitter, once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Log, openDatabase, openUnmigrated } from "../../../src/platform/db/database.ts";
import { startPostgres } from "../../harness/embedded-postgres.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  undo.push(() => client.end());
  return client;
}

/** A start of the platform on the database. `repeated`: the first two of its warnings that match. */
function starting(url: string) {
  const lines: { line: string }[] = [];
  const logged = new EventEmitter();
  const warn = (fields: object, line: string) => {
    lines.push({ ...fields, line });
    logged.emit("line");
  };
  const log = { ...silent, info: () => undefined, warn } as unknown as Log;
  const opening = openDatabase({ url, log, waits: { firstMs: 20, everyMs: 20 } });
  const repeated = async (pattern: RegExp) => {
    const found = () => lines.filter(({ line }) => pattern.test(line)).slice(0, 2);
    while (found().length < 2) await once(logged, "line");
    return found();
  };
  return { closed: opening.then(({ close }) => close()), repeated };
}

describe("a start", () => {
  it("logs repeatedly that it waits for another process which migrates or restores, and then continues", async () => {
    const { where, remove } = await copyDatabase({ empty: true });
    undo.push(remove);
    const other = await openUnmigrated({ url: where.url, log: silent });
    const [begun, held] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
    const working = other.raw.alone(async (run) => {
      begun.resolve((await run("select pg_backend_pid() as pid")).rows[0].pid);
      await held.promise;
    });
    const pid = await begun.promise;
    const { repeated, closed } = starting(where.url);
    for (const line of await repeated(/^waits until another process has ended its migration or restore$/))
      expect(line).toMatchObject({ holders: [{ pid, application: "shiftpact" }] });
    held.resolve();
    await Promise.all([working, closed]);
    await other.close();
  });

  it("logs which session holds the lock that a migration waits for", async () => {
    const { where, remove } = await copyDatabase({ empty: true });
    undo.push(remove);
    const holder = await connected(where.url);
    await holder.query("begin; create schema shiftpact");
    const { rows } = await holder.query("select pg_backend_pid() as pid");
    const { repeated, closed } = starting(where.url);
    for (const line of await repeated(/^a migration waits for a lock: .* pg_terminate_backend$/))
      expect(line).toMatchObject({ holders: [{ pid: rows[0].pid, state: "idle in transaction" }] });
    await holder.query("rollback");
    await closed;
  });

  it("logs that a commit waits for a synchronous standby, also one of another start, and continues with it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-standby-"));
    await chmod(folder, 0o755);
    const server = await startPostgres({ databaseDir: join(folder, "postgres") });
    undo.push(() => rm(folder, { recursive: true }), server.stop);
    const url = `${server.url}/postgres`;
    const admin = await connected(url);
    const reloaded = async (statement: string) => {
      await admin.query(statement);
      await admin.query("select pg_reload_conf()");
    };
    await reloaded("alter system set synchronous_standby_names = 'gone'");
    const setting = async () => (await admin.query("show synchronous_standby_names")).rows[0];
    await expect.poll(setting).toEqual({ synchronous_standby_names: "gone" });
    const starts = [starting(url), starting(url)];
    for (const { repeated } of starts)
      for (const line of await repeated(/^a commit waits for a synchronous standby: /))
        expect(line).toMatchObject({ synchronousStandbyNames: "gone" });
    await reloaded("alter system reset synchronous_standby_names");
    await Promise.all(starts.map(({ closed }) => closed));
  });

  it("says so after 3 seconds, and then every 30", async () => {
    const waits: number[] = [];
    const third = Promise.withResolvers<void>();
    const sleep = (ms: number) => {
      if (waits.push(ms) < 3) return Promise.resolve(false);
      third.resolve();
      return new Promise(() => undefined);
    };
    onTestFinished(() => {
      vi.doUnmock("node:timers/promises");
      vi.doUnmock("../../../src/platform/db/with-timeout.ts");
      vi.resetModules();
    });
    vi.resetModules();
    vi.doMock("node:timers/promises", () => ({ setTimeout: sleep }));
    vi.doMock("../../../src/platform/db/with-timeout.ts", () => ({
      withTimeout: (work: Promise<unknown>) => work,
    }));
    const { reportingWaits } = await import("../../../src/platform/db/start-waits.ts");
    const queries: unknown[] = [];
    const query = async (_text: string, values: unknown[]) => {
      queries.push(...values);
      return { rows: [] };
    };
    const nothing = async () => undefined;
    const client = { on: () => client, connect: nothing, query, end: nothing };
    await reportingWaits(
      () => third.promise,
      () => client as unknown as pg.Client,
      silent,
    );
    expect([waits, queries]).toEqual([
      [3_000, 30_000, 30_000],
      [3, 3],
    ]);
  });
});
