import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { hasPgDump, pgDump, pgRestore } from "../harness/embedded-postgres.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { addRows } from "../harness/many-rows.ts";
import {
  type DataFolder,
  endProcesses,
  makeDataFolder,
  type Owner,
  startProcess,
} from "../harness/process.ts";

const COMMAND = fileURLToPath(new URL("../../src/cli/shiftpact.ts", import.meta.url));
const TOKEN = "operations-token-of-the-proof";
/** Enough rows to kill a command before it ends. */
const ROWS = 30_000;

afterEach(endProcesses);

/** Runs `shiftpact ARGS`. */
function command(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ["--liftoff-only", COMMAND, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    text: lines.join("\n"),
  }));
  return { child, ended, lines };
}

/** Sends one webhook after the other, each until it is acknowledged. */
function sendWebhooks(owner: Owner, urlOf: () => string) {
  const acknowledged: string[] = [];
  let isStopped = false;
  const send = async (traceId: string) => {
    const response = await fetch(`${urlOf()}/api/v3/integrations/${owner.kind}/webhook`, {
      method: "POST",
      headers: { Authorization: `Bearer ${owner.platformToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        event: "shift.create",
        providerId: owner.providerId,
        content: { shiftId: randomUUID() },
        traceId,
      }),
    }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status;
  };
  const work = async () => {
    while (!isStopped) {
      const traceId = randomUUID();
      for (;;) {
        const status = await send(traceId);
        if (status === 200) break;
        if (isStopped) return;
        await sleep(20);
      }
      acknowledged.push(traceId);
      await sleep(2);
    }
  };
  const done = Promise.all(Array.from({ length: 4 }, work));
  return {
    acknowledged,
    stop: async () => {
      isStopped = true;
      await done;
    },
  };
}

async function stored({ raw }: Database): Promise<Set<string>> {
  const { rows } = await raw.executeSql("select trace_id from shiftpact.events");
  return new Set(rows.map((row) => row.trace_id));
}

async function storedAt(where: { url?: string; dataDir?: string }): Promise<Set<string>> {
  const database = await openDatabase({ ...where, log: silent });
  return stored(database).finally(database.close);
}

const missing = (all: readonly string[], found: Set<string>) => all.filter((each) => !found.has(each));

async function makeFilledFolder() {
  const home = await makeDataFolder();
  onTestFinished(home.remove);
  home.env.OPERATIONS_TOKEN = TOKEN;
  home.env.WEBHOOK_RATE_LIMIT = "0";
  // An address without a listener.
  const owner = await home.addIntegration("http://127.0.0.1:9");
  const vault = createVault(Buffer.from(home.env.SECRET_KEY ?? "", "base64"));
  await home.withDatabase((database) => addRows(database, vault, ROWS));
  return { home, owner };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "close");
}

const untilSome = (acknowledged: readonly string[], more = 50) => {
  const before = acknowledged.length;
  return expect.poll(() => acknowledged.length).toBeGreaterThan(before + more);
};

async function emptyPostgres() {
  const { where, remove } = await copyDatabase({ empty: true });
  onTestFinished(remove);
  return where.url;
}

/** Returns the environment of a restore, with a second data folder. */
const restoredEnv = (home: DataFolder, url?: string): NodeJS.ProcessEnv => ({
  ...home.env,
  SHIFTPACT_DATA: join(home.dataDir, "restored"),
  ...(url !== undefined && { DATABASE_URL: url }),
});

describe("under load,", () => {
  it("a backup of the running embedded platform has every event that was acknowledged before it", async () => {
    const { home, owner } = await makeFilledFolder();
    const platform = startProcess(home);
    const port = await platform.port;
    const load = sendWebhooks(owner, () => `http://127.0.0.1:${port}`);
    await untilSome(load.acknowledged);
    const file = join(home.dataDir, "file");
    const backup = () => command(["backup", file, "--url", `http://127.0.0.1:${port}`], home.env);
    const killed = backup();
    await expect.poll(() => readdirSync(home.dataDir).some((name) => name.endsWith(".partial"))).toBe(true);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(existsSync(file)).toBe(false);
    const before = [...load.acknowledged];
    // The platform may still be busy with the killed backup.
    await expect.poll(async () => (await backup().ended).code, { interval: 500 }).toBe(0);
    await load.stop();
    await end(platform.child);
    const restore = () => command(["restore", file], restoredEnv(home));
    const half = restore();
    const draft = join(home.dataDir, "restored", "database.restoring");
    await expect.poll(() => existsSync(join(draft, "pg"))).toBe(true);
    half.child.kill("SIGKILL");
    await half.ended;
    const database = join(home.dataDir, "restored", "database");
    expect(existsSync(database)).toBe(false);
    expect(await restore().ended).toMatchObject({ code: 0 });
    const lost = missing(before, await storedAt({ dataDir: database }));
    expect(lost).toEqual([]);
    expect(before.length).toBeGreaterThan(50);
  });

  it.runIf(hasPgDump)(
    "a platform that goes to PostgreSQL, and a dump of that, have every event that was acknowledged before",
    async () => {
      const { home, owner } = await makeFilledFolder();
      const embedded = startProcess(home);
      const port = await embedded.port;
      const load = sendWebhooks(owner, () => `http://127.0.0.1:${port}`);
      await untilSome(load.acknowledged);
      await end(embedded.child);
      const url = await emptyPostgres();
      const env = { ...home.env, DATABASE_URL: url };
      const move = () => command(["migrate", "--from", home.dataDir], env);
      const half = move();
      await untilLoading(url);
      half.child.kill("SIGKILL");
      await half.ended;
      // The server ends the transaction once it sees that its client is gone.
      await expect.poll(async () => (await move().ended).code, { timeout: 30_000 }).toBe(0);
      const platform = startProcess({ env }, port);
      await platform.port;
      await untilSome(load.acknowledged);
      const before = [...load.acknowledged];
      const file = join(home.dataDir, "file");
      await pgDump(url, file);
      await load.stop();
      await end(platform.child);
      const target = await emptyPostgres();
      await pgRestore(file, target);
      const restored = restoredEnv(home, target);
      const refused = startProcess({ env: restored });
      refused.port.catch(() => undefined);
      expect(await refused.ended).toMatchObject({
        code: 2,
        errors: [expect.stringContaining("after-restore")],
      });
      // The dump has the process that was at work.
      await expect
        .poll(async () => (await command(["after-restore"], restored).ended).code, { timeout: 30_000 })
        .toBe(0);
      const after = startProcess({ env: restored });
      await after.port;
      await end(after.child);
      expect(missing(before, await storedAt({ url: target }))).toEqual([]);
    },
  );
});

/** Resolves while rows are copied, within a transaction. */
async function untilLoading(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await expect
    .poll(
      async () => {
        const { rows } = await client.query(
          "select query from pg_stat_activity where datname = current_database() and query like 'insert into shiftpact.%'",
        );
        return rows.length;
      },
      { interval: 5 },
    )
    .toBeGreaterThan(0);
  await client.end();
}
