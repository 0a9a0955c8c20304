import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startCluster } from "../../../src/platform/db/pglite/cluster.ts";
import { lockFolder } from "../../../src/platform/db/pglite/folder.ts";
import { openPglite } from "../../../src/platform/db/pglite/pglite.ts";
import { copyFolder, silent, useEngine } from "../../harness/engines.ts";

describe("the embedded database", () => {
  const database = useEngine("pglite");

  it("leaves the event loop to others while a statement runs", async () => {
    let done = false;
    const slow = database()
      .raw.executeSql("select count(*) from generate_series(1, 1000000)")
      .then(() => {
        done = true;
      });
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    expect(done).toBe(false);
    await slow;
  });

  it("refuses a value that cannot be sent, and goes on", async () => {
    const { raw } = database();
    const [refused, taken] = await Promise.allSettled([
      raw.executeSql("select $1::text", [() => "a function"]),
      raw.executeSql("select $1::text as text", ["a text"]),
    ]);
    expect(refused.status).toBe("rejected");
    expect(taken).toMatchObject({ value: { rows: [{ text: "a text" }] } });
  });

  it("has statistics of its tables soon after they have grown", async () => {
    const { raw } = database();
    await raw.executeSql(`insert into workplaces (workplace_id, name, address, created_at)
      select gen_random_uuid(), 'Ward', '', now() from generate_series(1, 300)`);
    const size = async () => {
      for (let call = 0; call < 500; call += 1) await raw.executeSql("select $1::int", [call]);
      const { rows } = await raw.executeSql(
        "select reltuples::int as count from pg_class where relname = 'workplaces'",
      );
      return rows;
    };
    await expect.poll(size).toEqual([{ count: 300 }]);
  });

  it("keeps the values of a statement out of its error", async () => {
    const failed = database()
      .raw.executeSql("select $1::int", ["a-secret"])
      .catch((error: unknown) => error);
    const { message, ...rest } = (await failed) as Error;
    expect(message).toContain("invalid input");
    expect(JSON.stringify(rest)).not.toContain("a-secret");
  });
});

it("creates the cluster again after an interrupted first start", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "shiftpact-draft-"));
  await mkdir(join(dataDir, "pg.new"));
  await writeFile(join(dataDir, "pg.new", "PG_VERSION"), "17\n");
  const database = await openPglite(dataDir, silent);
  await database.ping();
  await database.close();
  rmSync(dataDir, { recursive: true });
});

/** Not even root may change its mode. */
const KERNELS = "/proc/self/task";

describe("the folder of the embedded database", () => {
  it("is readable by its owner only, even if it existed with other permissions", async () => {
    const { where, remove } = await copyFolder();
    await chmod(where.dataDir, 0o755);
    const database = await openPglite(where.dataDir, silent);
    expect((await stat(where.dataDir)).mode & 0o777).toBe(0o700);
    await database.close();
    await remove();
  });

  it.runIf(existsSync(KERNELS))("is refused in one clear line if another user owns it", async () => {
    await expect(openPglite(KERNELS, silent)).rejects.toThrow(
      /^the data folder \/proc\/self\/task must belong to the user that runs the platform \(EPERM\)$/,
    );
  });
});

it("reports a failed sync, because PGlite would report the commit as done", async () => {
  const { where, remove } = await copyFolder();
  const reasons: string[] = [];
  let failing = false;
  const pglite = await startCluster(join(where.dataDir, "pg"), {
    fsync: () => {
      if (failing) throw new Error("EIO: i/o error");
    },
    onBroken: (reason) => {
      reasons.push(reason);
      throw new Error(reason);
    },
  });
  failing = true;
  await pglite.query("create table lost (n int)").catch(() => undefined);
  failing = false;
  expect(reasons[0]).toBe("a sync to disk failed: EIO: i/o error");
  await pglite.close().catch(() => undefined);
  await remove();
});

/** A thread that takes calls as the real one does, until it is asked for its end. */
const DOOMED = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    const ends = {
      throws: () => { throw new Error("out of luck"); },
      exits: () => process.exit(7),
      hangs: () => { for (;;); },
      reports: () => { parentPort.postMessage({ lost: "no room on the disk" }); process.exit(1); },
    };
    parentPort.on("message", ({ id, text }) => {
      ends[text]?.();
      if (text !== "waits") parentPort.postMessage({ id, answer: { rows: [{ text }] } });
    });
    parentPort.postMessage({ ready: true });
  `)}`,
);

describe("a database thread that ends unexpectedly", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "shiftpact-thread-"));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it.each([
    ["throws", "out of luck"],
    ["exits", "its thread ended with code 7"],
    ["hangs", "its thread does not answer any more"],
    ["reports", "no room on the disk"],
  ])("fails every call when it %s", async (end, reason) => {
    // Where it does not hang, a busy machine must not make it look so.
    const database = await openPglite(dataDir, silent, {
      file: DOOMED,
      silenceMs: end === "hangs" ? 1_000 : 30_000,
    });
    expect(await database.raw.executeSql("first")).toMatchObject({ rows: [{ text: "first" }] });
    const pending = [database.raw.executeSql("waits"), database.raw.executeSql(end), database.ping()];
    const results = await Promise.allSettled(pending);
    const lost = { message: `the embedded database stopped: ${reason}`, code: "08006" };
    expect(results.map((result) => "reason" in result && result.reason)).toMatchObject([lost, lost, lost]);
    expect(await database.lost).toMatchObject(lost);
    await expect(database.ping()).rejects.toMatchObject(lost);
    const transaction = database.kysely
      .transaction()
      .execute((trx) => trx.selectFrom("jobs").selectAll().execute());
    await expect(transaction).rejects.toMatchObject(lost);
    await database.close();
    (await lockFolder(dataDir)).release();
  });
});
