import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { startCluster } from "../../../src/platform/db/pglite/cluster.ts";
import { lockFolder } from "../../../src/platform/db/pglite/folder.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { copyDatabase, copyFolder, engines, silent, startEngine, useEngine } from "../../harness/engines.ts";

const source = (path: string) => new URL(`../../../src/platform/${path}`, import.meta.url).href;

function runModule(code: string): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe.each(engines)("the database on %s", (engine) => {
  const database = useEngine(engine);

  it("answers ping while it is open, and not afterwards", async () => {
    const own = await startEngine(engine);
    await own.ping();
    await own.close();
    await expect(own.ping()).rejects.toThrow();
    await own.drop();
  });

  it("keeps what was committed and drops what was rolled back", async () => {
    const { kysely } = database();
    const insert = (name: string, fail: boolean) =>
      kysely.transaction().execute(async (trx) => {
        await trx.insertInto("competences").values({ competenceId: crypto.randomUUID(), name }).execute();
        if (fail) throw new Error("no");
      });
    const results = await Promise.allSettled([insert("a", false), insert("b", true), insert("c", false)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const rows = await kysely.selectFrom("competences").select("name").orderBy("name").execute();
    expect(rows.map(({ name }) => name)).toEqual(["a", "c"]);
  });

  it("lets no other statement into a transaction", async () => {
    const { kysely } = database();
    const add = (db: typeof kysely, name: string) =>
      db.insertInto("competences").values({ competenceId: crypto.randomUUID(), name }).execute();
    const find = (name: string) =>
      kysely.selectFrom("competences").select("name").where("name", "=", name).execute();
    let outside: Promise<unknown> = Promise.resolve();
    const transaction = kysely.transaction().execute(async (trx) => {
      await add(trx, "inside");
      outside = Promise.all([find("inside"), add(kysely, "outside"), find("inside")]);
      await add(trx, "inside");
      throw new Error("no");
    });
    await expect(transaction).rejects.toThrow("no");
    expect(await outside).toEqual([[], expect.anything(), []]);
    expect(await Promise.all([find("inside"), find("outside")])).toEqual([[], [{ name: "outside" }]]);
  });

  it("lets a single statement go before transactions that wait", async () => {
    const { kysely } = database();
    const [gate, begun, said] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const transaction = (work: () => Promise<void> | undefined) =>
      kysely.transaction().execute(async (trx) => {
        await trx.selectFrom("competences").select("name").execute();
        begun?.resolve();
        await work();
      });
    const first = transaction(() => gate?.promise);
    await begun?.promise;
    // They end after the single statement, which therefore must not wait for them.
    const others = [1, 2].map(() => transaction(() => said?.promise));
    const single = kysely.selectFrom("competences").select("name").execute();
    // All of them have asked for their turn.
    await setImmediate();
    gate?.resolve();
    await first;
    expect(await single).toEqual([]);
    said?.resolve();
    await Promise.all(others);
  });

  it("does not report a transaction as committed in which a statement failed", async () => {
    const { kysely } = database();
    const transaction = kysely.transaction().execute(async (trx) => {
      await trx.insertInto("competences").values({ competenceId: crypto.randomUUID(), name: "x" }).execute();
      await sql`select no_such_function()`.execute(trx).catch(() => undefined);
    });
    await expect(transaction).rejects.toThrow();
    expect(await kysely.selectFrom("competences").selectAll().execute()).toEqual([]);
  });

  it("rolls back to a savepoint, and keeps the rest", async () => {
    const { kysely } = database();
    const trx = await kysely.startTransaction().execute();
    const add = (name: string) =>
      trx.insertInto("competences").values({ competenceId: crypto.randomUUID(), name }).execute();
    await add("kept");
    const saved = await trx.savepoint("before").execute();
    await add("dropped");
    await saved.rollbackToSavepoint("before").execute();
    await saved.commit().execute();
    const rows = await kysely.selectFrom("competences").select("name").execute();
    expect(rows).toEqual([{ name: "kept" }]);
  });

  it("names the constraint that a statement breaks, and counts the rows that it changes", async () => {
    const { kysely } = database();
    const row = { competenceId: crypto.randomUUID(), name: "x" };
    const inserted = await kysely.insertInto("competences").values(row).executeTakeFirstOrThrow();
    expect(inserted.numInsertedOrUpdatedRows).toBe(1n);
    const again = kysely.insertInto("competences").values(row).execute();
    await expect(again).rejects.toMatchObject({
      code: "23505",
      // A worker of Citus reports them, but the coordinator does not pass them on.
      ...(!isOnCitus && { constraint: "competences_pkey", table: "competences" }),
      detail: expect.stringContaining("already exists"),
    });
    const { numDeletedRows } = await kysely.deleteFrom("competences").executeTakeFirstOrThrow();
    expect(numDeletedRows).toBe(1n);
  });

  it("does not leave a broken script's transaction open", async () => {
    const { raw, kysely } = database();
    await expect(raw.executeSql("begin; select 1; select no_such_function(); commit")).rejects.toThrow();
    const rows = await Promise.all(
      Array.from({ length: 3 }, () => kysely.selectFrom("jobs").selectAll().execute()),
    );
    expect(rows).toEqual([[], [], []]);
  });

  it("forwards notifications", async () => {
    const { raw } = database();
    const subscribed = vi.fn();
    const heard = await new Promise<string>((resolve, reject) => {
      raw
        .listen("probe", resolve, subscribed)
        .then(() => raw.executeSql("select pg_notify('probe', 'hello')"))
        .catch(reject);
    });
    expect(heard).toBe("hello");
    expect(subscribed).toHaveBeenCalledOnce();
  });

  it("lets the process end once database and worker are closed", async () => {
    const { where, remove } = await (engine === "pglite" ? copyFolder() : copyDatabase());
    const child = runModule(`
      import { openDatabase } from ${JSON.stringify(source("db/database.ts"))};
      import { newId } from ${JSON.stringify(source("ids.ts"))};
      import { transact } from ${JSON.stringify(source("transaction.ts"))};
      import { endClaim, markDue } from ${JSON.stringify(source("work/rows.ts"))};
      import { PROVIDER_RETRIES } from ${JSON.stringify(source("../clients/retry-policy.ts"))};
      import { Worker } from ${JSON.stringify(source("work/worker.ts"))};
      const log = { debug() {}, info() {}, warn() {}, error: console.error };
      const database = await openDatabase({ ...${JSON.stringify(where)}, log });
      const providerId = newId();
      await database.kysely.insertInto("integrations").values({ provider_id: providerId, kind: "k", name: "n",
        base_url: "https://p.example", provider_token: "t", state: "active" }).execute();
      let runs = 0;
      const worker = new Worker({
        database, log, retries: PROVIDER_RETRIES, hourlyMs: 1, places: 1, atOnce: 1,
        runs: { shift: async (claim) => {
          runs += 1;
          await transact({ database }, (trx) => endClaim(trx, claim, { attempts: 0, priority: 1 }));
        } },
      });
      await worker.start();
      const due = { providerId, kind: "shift", key: "s", priority: 1 };
      await transact({ database }, (trx) => markDue(trx, { wakeWorker: worker.wake.bind(worker) }, [due]));
      await worker.idle();
      await worker.stop({ graceMs: 1_000 });
      if (runs !== 1) throw new Error("it ran " + runs + " times");
      await database.close();
    `);
    expect(await once(child, "exit")).toEqual([0, null]);
    await remove();
  });
});

it("refuses an embedded database whose commits do not reach the disk", async () => {
  const { where, remove } = await copyFolder();
  const startParams = PGlite.defaultStartParams;
  await expect(startCluster(join(where.dataDir, "pg"), { startParams })).rejects.toThrow("does not sync");
  await (await startCluster(join(where.dataDir, "pg"))).close();
  await remove();
});

describe("the lock of a data folder", () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "shiftpact-lock-"));
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await rm(folder, { recursive: true });
  });

  const lockElsewhere = async () => {
    child = runModule(`
      import { lockFolder } from ${JSON.stringify(source("db/pglite/folder.ts"))};
      globalThis.lock = await lockFolder(${JSON.stringify(folder)});
      setInterval(() => {}, 1000);
      console.log("locked");
    `);
    if (!child.stdout) throw new Error("no stdout");
    await once(createInterface(child.stdout), "line");
    return child;
  };

  it("refuses a second process and names the first", async () => {
    const { pid } = await lockElsewhere();
    await expect(lockFolder(folder)).rejects.toThrow(`is in use by another process (pid ${pid})`);
    await expect(openDatabase({ dataDir: folder, log: silent })).rejects.toThrow(`(pid ${pid})`);
  });

  it("is free after kill -9", async () => {
    const other = await lockElsewhere();
    other.kill("SIGKILL");
    await once(other, "exit");
    (await lockFolder(folder)).release();
  });

  it("refuses a second opening in the same process, and is free after the release", async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(`pid ${process.pid}`);
    lock.release();
    (await lockFolder(folder)).release();
  });

  it("is released when the database could not be opened", async () => {
    const { where, remove } = await copyFolder();
    await chmod(join(where.dataDir, "pg"), 0o700);
    await rm(join(where.dataDir, "pg", "global"), { recursive: true });
    await expect(openDatabase({ ...where, log: silent })).rejects.toThrow();
    (await lockFolder(where.dataDir)).release();
    await remove();
  });
});
