import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { type PostgresOptions, packagedPostgres, startPostgres } from "./embedded-postgres.ts";
import { placeOnDisk } from "./process.ts";

const isRoot = process.getuid?.() === 0;
// On a disk: containers often run no programs from /dev/shm.
const place = await placeOnDisk();
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function folder(mode: number): string {
  const path = mkdtempSync(join(place, "shiftpact-embedded-postgres-"));
  made.push(path);
  chmodSync(path, mode);
  return path;
}

/** Creates a folder that only the user of this process can enter, like root's home folder. */
function closedNative(): string {
  const native = join(folder(0o700), "native");
  cpSync(packagedPostgres(), native, { recursive: true, verbatimSymlinks: true });
  return native;
}

async function answerOf(url: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT 1 AS one").finally(() => client.end());
  return rows;
}

/** Whether the process exists and has not ended: a stopped one counts. */
function isRunning(pid: number): boolean {
  try {
    return !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

const outcomeOf = (options: PostgresOptions): Promise<string> =>
  startPostgres(options).then(
    (server) => server.stop().then(() => "started"),
    (error: Error) => error.message,
  );

describe("a PostgreSQL server whose binaries are in a folder that is closed to other users", () => {
  it("starts, from one copy for all servers where it runs as another user", async () => {
    const [native, clusters, copies] = [closedNative(), folder(0o755), folder(0o755)];
    const start = (name: string) =>
      startPostgres({ databaseDir: join(clusters, name), native, copiesIn: [copies] });
    const servers = await Promise.all([start("one"), start("two")]);
    try {
      for (const server of servers) {
        await server.createDatabase("mine");
        expect(await answerOf(`${server.url}/mine`)).toEqual([{ one: 1 }]);
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
    const copied = readdirSync(copies);
    expect(copied).toHaveLength(isRoot ? 1 : 0);
    const links = (path: string) =>
      readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    for (const copy of copied) expect(links(join(copies, copy))).toHaveLength(links(native).length);
  });

  it("names the folders when no copy can run either", async () => {
    const [native, copies] = [closedNative(), folder(0o700)];
    const outcome = await outcomeOf({
      databaseDir: join(folder(0o755), "cluster"),
      native,
      copiesIn: [copies],
    });
    const failure = `PostgreSQL runs as the user nobody, which can run neither ${native} nor a copy in ${copies}: `;
    expect(outcome.slice(0, failure.length)).toBe(isRoot ? failure : "started");
    expect(readdirSync(copies)).toEqual([]);
  });
});

describe("a PostgreSQL server", () => {
  it("names the data folder when its user cannot reach it", async () => {
    const databaseDir = join(folder(0o700), "cluster");
    const failure = `PostgreSQL runs as the user nobody, which cannot reach ${databaseDir}: set TMPDIR to a folder that every user can enter, such as /tmp`;
    expect(await outcomeOf({ databaseDir })).toBe(isRoot ? failure : "started");
  });

  it("leaves no process behind when it crashes, not even while it is frozen", async () => {
    const server = await startPostgres({ databaseDir: join(folder(0o755), "cluster") });
    const client = new Client({ connectionString: `${server.url}/postgres` });
    client.on("error", () => undefined);
    await client.connect();
    server.signal("SIGSTOP");
    const pids = server.pids();
    expect(pids.length).toBeGreaterThan(2);
    await server.crash();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    await client.end().catch(() => undefined);
  });

  it("ends when the process that started it is killed", async () => {
    const script = new URL("./embedded-postgres.ts", import.meta.url);
    const options = JSON.stringify({ databaseDir: join(folder(0o755), "cluster") });
    const code = `const { startPostgres } = await import("${script}"); console.log((await startPostgres(${options})).port);`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = await once(createInterface({ input: child.stdout }), "line");
    expect(await isListening(Number(port))).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => isListening(Number(port))).toBe(false);
  });
});

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return once(socket, "connect")
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
