import { setTimeout as sleep } from "node:timers/promises";
import { type Config, readConfig } from "../platform/config.ts";
import { createLog } from "../platform/log.ts";
import { type Platform, startPlatform } from "../platform/main.ts";
import { kitVersion } from "../verify/package-files.ts";
import { createProviderCheck } from "./check-provider.ts";
import type { Io } from "./io.ts";
import { reportFailure, untilStopped } from "./run-command.ts";
import { numberFlag, readFlags, settingsHelp } from "./usage.ts";
import { webPages } from "./web-pages.ts";

/**
 * Reports an uncaught error and ends the process with code 1, because its state is undefined. What was acknowledged is stored.
 * Returns a function that removes the handlers.
 */
export function endOnUnexpected(report: (error: unknown) => void): () => void {
  const end = (error: unknown) => {
    try {
      report(error);
    } finally {
      process.exit(1);
    }
  };
  // Unhandled rejections arrive here too.
  process.on("uncaughtException", end);
  return () => void process.off("uncaughtException", end);
}

/** Ends the process if it is still alive after `ms`; with code 1 unless its command has ended. */
export function endAfter(ms: number, report: () => void): void {
  const end = () => {
    if (process.exitCode === undefined) report();
    process.exit(process.exitCode ?? 1);
  };
  setTimeout(end, ms).unref();
}

const HELP = `shiftpact platform: receives webhooks, fills shifts, and shows their state to operators.

  --port N     instead of the port in PORT
  --host H     instead of the host in PORT
  --data DIR   instead of SHIFTPACT_DATA
  --version    prints the version

Settings are read from the environment.

${settingsHelp()}

When it listens it prints {"listening":true,"port":N}. Logs go to stderr. Exit code 0: stopped; 1: it could not start or continue;
2: flags or settings that cannot be used, missing rights in the database, or a database that was restored (shiftpact after-restore); 3: the schema of the database is newer than this
version and does not work with it, of another commit before the first release, or old with AUTO_MIGRATE=0. A second SIGINT or SIGTERM ends it at once.

Other commands: migrate, backup, restore, after-restore, operators. Each has --help, and is run as \`shiftpact NAME\` or \`shiftpact-platform NAME\`.

Examples:
  shiftpact platform --port 3000 --data ./data
  DATABASE_URL=postgres://localhost/shiftpact SECRET_KEY=... OPERATIONS_TOKEN=... shiftpact platform`;

const FLAGS = {
  port: { type: "string" },
  host: { type: "string" },
  data: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

// Without the drain. A supervisor kills after 10 s by default, unless its limit includes the drain too.
const STOP_MS = 9_500;

/**
 * Runs the platform until SIGINT or SIGTERM; a second one ends the process at once. Returns the exit code: 0 stopped; 1 it could not start
 * or continue; 2 unusable flags or values; 3 an incompatible schema.
 */
export async function platform(argv: string[], io: Io): Promise<number> {
  try {
    const { port, host, data: dataDir, help, version } = readFlags({ args: argv, options: FLAGS }).values;
    if (help || version) {
      io.stdout(help ? HELP : kitVersion());
      return 0;
    }
    const flags = {
      ...(port !== undefined && { port: numberFlag("port", port, 0, 65_535) }),
      ...(host && { host }),
      ...(dataDir !== undefined && { dataDir }),
    };
    return await run(readConfig(io.env, flags), io);
  } catch (error) {
    return reportFailure("platform", error, io);
  }
}

async function run(config: Config, io: Io): Promise<number> {
  const log = createLog(config.logLevel);
  const forget = endOnUnexpected((error) => log.fatal({ err: error }, "unexpected: the process ends"));
  try {
    const running = await startPlatform(config, {
      log,
      checkProvider: createProviderCheck(),
      pages: webPages(),
      about: { version: kitVersion() },
    });
    // Installed before the platform reports that it listens: a supervisor may stop it right after that report.
    const stopped = untilStopped();
    const { url, host, port, managementPort, publicPort, database } = running;
    const ports = { ...(managementPort && { managementPort }), ...(publicPort && { publicPort }) };
    log.info({ version: kitVersion(), ...database, url, host, ...ports, pid: process.pid }, "started");
    io.stdout(JSON.stringify({ listening: true, port, ...ports }));
    const end = await Promise.race([stopped, running.lost]);
    const lost = end instanceof Error ? end : undefined;
    // After Ctrl-C at a terminal there is no load balancer to wait for.
    if (end === "SIGTERM") await drain(running, config.drainMs);
    endAfter(STOP_MS, () => log.error("the stop took too long; unfinished work continues at the next start"));
    if (lost) io.stderr(`shiftpact platform: ${lost.message}; stored work continues at the next start`);
    await running.close(lost ? 0 : undefined);
    return lost ? 1 : 0;
  } finally {
    forget();
  }
}

/** Serves what a load balancer still sends for that long; ends at once when the database is lost. */
async function drain(running: Platform, ms: number): Promise<void> {
  running.drain();
  const over = new AbortController();
  await Promise.race([sleep(ms, undefined, over).catch(() => undefined), running.lost]);
  over.abort();
}
