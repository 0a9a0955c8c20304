import { execFile } from "node:child_process";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import {
  freePort,
  type PostgresServer,
  reopenPostgres,
  startPostgres,
} from "../../test/harness/embedded-postgres.ts";
import { startLoadBalancer } from "./load-balancer.ts";

/** How the primary fails: `frozen` is a machine that hangs and is then fenced, `switched` a shutdown for maintenance. */
export const FAILURES = ["killed", "frozen", "switched"] as const;
export type Failure = (typeof FAILURES)[number];

/** A primary and a synchronous standby, behind a proxy that sends every connection to the primary. */
export interface Pair extends Pick<PostgresServer, "url" | "createDatabase" | "stop"> {
  /** Resolves once the standby is promoted. A new standby is created in the background. */
  failOver(failure: Failure): Promise<void>;
  /** Resolves once the primary commits nothing without it. */
  standby(): Promise<PostgresServer>;
}

interface Member {
  server: PostgresServer;
  databaseDir: string;
}

const run = promisify(execFile);
/** Keeps the log that a standby needs for as long as the copy takes. */
const FLAGS = ["-c", "wal_keep_size=512MB", "-c", "max_wal_size=256MB", "-c", "wal_sender_timeout=5s"];
const FROZEN_MS = 2_000;
const SYNCHRONOUS_WITHIN_MS = 60_000;

/** Starts both, and the proxy, in an empty folder. Rejects with one clear line when haproxy is missing. */
export async function startPair(folder: string): Promise<Pair> {
  const ports = [await freePort(), await freePort()] as const;
  const databaseDir = join(folder, "a");
  const first = await startPostgres({ databaseDir, port: ports[0], flags: FLAGS });
  const loadBalancer = await startLoadBalancer(folder, ports, (port) => isPrimary(urlAt(first.url, port)));
  let primary: Member = { databaseDir, server: first };
  let standby = follow(primary, join(folder, "b"), ports[1]);
  await standby;
  return {
    url: urlAt(first.url, loadBalancer.port),
    createDatabase: (name) => primary.server.createDatabase(name),
    failOver: async (failure) => {
      const [failed, next] = [primary, await standby];
      await end(failed.server, failure);
      await promote(next.server.url);
      primary = next;
      standby = follow(next, failed.databaseDir, failed.server.port);
      // The next failover awaits it and gets the rejection.
      standby.catch(() => undefined);
    },
    standby: async () => (await standby).server,
    stop: async () => {
      const last = await standby.catch(() => undefined);
      await last?.server.stop();
      await primary.server.stop();
      await loadBalancer.close();
    },
  };
}

function urlAt(url: string, port: number): string {
  return Object.assign(new URL(url), { port: `${port}` }).href;
}

async function isPrimary(url: string): Promise<boolean> {
  const { rows } = await withClient(url, (client) => client.query("select pg_is_in_recovery() as standby"));
  return rows[0]?.standby === false;
}

/** Ends the primary. One that could return must be gone before another server takes its place. */
async function end(server: PostgresServer, failure: Failure): Promise<void> {
  if (failure === "switched") return server.stop();
  if (failure === "frozen") {
    server.signal("SIGSTOP");
    await sleep(FROZEN_MS);
  }
  await server.crash();
}

/** Promotes the standby. The new primary commits alone until it has a standby: otherwise it would wait forever. */
function promote(url: string): Promise<void> {
  return withClient(url, async (client) => {
    await client.query("select pg_promote(true, 30)");
    await client.query("alter system set synchronous_standby_names = ''");
    await client.query("select pg_reload_conf()");
  });
}

/** Creates a standby in `databaseDir`, whose former content is deleted. Resolves once the primary commits nothing without it. */
async function follow({ server, databaseDir: from }: Member, databaseDir: string, port: number) {
  await rm(databaseDir, { recursive: true, force: true });
  await copyWhileRunning(server.url, from, databaseDir);
  const { port: primaryPort, username, password } = new URL(server.url);
  const source = `host=127.0.0.1 port=${primaryPort} user=${username} password=${password}`;
  const flags = [...FLAGS, "-c", `primary_conninfo=${source}`];
  const standby = await reopenPostgres({ databaseDir, port, flags });
  await withClient(server.url, async (client) => {
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query("select pg_reload_conf()");
  });
  await untilSynchronous(server.url);
  return { server: standby, databaseDir };
}

/** Files may change or vanish during the copy: the backup's log repairs them. */
const COPY =
  'mkdir -m 700 "$1" && { tar -C "$0" --warning=no-file-changed --warning=no-file-removed --exclude=./pg_wal/* --exclude=./postmaster.* -cf - . || [ $? = 1 ]; } | tar -xpf - -C "$1"';

/** Replaces pg_basebackup, which the package does not contain. */
async function copyWhileRunning(url: string, from: string, to: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query("select pg_backup_start('standby', true)");
    await run("sh", ["-c", COPY, from, to]);
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    await writeFile(join(to, "backup_label"), rows[0]?.labelfile ?? "");
  });
  await mkdir(join(to, "pg_wal", "archive_status"), { recursive: true });
  await writeFile(join(to, "standby.signal"), "");
  const { uid, gid } = await stat(from);
  await run("chown", ["-R", `${uid}:${gid}`, to]);
}

/** New connections see the setting only after the postmaster has read it. */
const IS_SYNCHRONOUS = `select from pg_stat_replication
  where sync_state = 'sync' and current_setting('synchronous_standby_names') = '*'`;

async function untilSynchronous(url: string): Promise<void> {
  const until = performance.now() + SYNCHRONOUS_WITHIN_MS;
  while (performance.now() < until) {
    const { rowCount } = await withClient(url, (client) => client.query(IS_SYNCHRONOUS));
    if (rowCount) return;
    await sleep(50);
  }
  throw new Error("the standby does not follow its primary");
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: Object.assign(new URL(url), { pathname: "/postgres" }).href,
  });
  // A server that is killed ends its connections.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
