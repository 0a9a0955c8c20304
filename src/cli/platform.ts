import { setTimeout as sleep } from "node:timers/promises";
import { type Config, readConfig } from "../platform/config.ts";
import { createLog } from "../platform/log.ts";
import { type Platform, startPlatform } from "../platform/main.ts";
import { kitVersion } from "../verify/package-files.ts";
import { createProviderCheck } from "./check-provider.ts";
import { reportFailure } from "./command-failure.ts";
import { endAfter, endOnUnexpected } from "./end-process.ts";
import type { Io } from "./io.ts";
import { untilStopped } from "./stop-signal.ts";
import { readFlags } from "./usage.ts";
import { webPages } from "./web-pages.ts";

const HELP = `shiftpact platform: receives webhooks, fills shifts, and shows their state to operators.

  --port N     PORT or 3000 unless given; 0: any free one
  --host H     HOST or 127.0.0.1 unless given; 0.0.0.0 to be reached from outside
  --data DIR   SHIFTPACT_DATA or .shiftpact unless given
  --version    prints the version

Settings, from the environment:
  HOST, PORT               where it listens
  MANAGEMENT_HOST, MANAGEMENT_PORT
                           a second listener for /metrics and the health checks; without it, /metrics needs the operations token unless
                           the request comes from this machine
  TRUST_PROXY              the number of proxies in front, or their addresses and subnets: they then report the client's address
  DRAIN_SECONDS            5: for how long it serves after SIGTERM while /health/ready answers 503
  DATABASE_URL             PostgreSQL, with several hosts and target_session_attrs=read-write if you like; unset: an embedded database in the
                           data folder
  DIRECT_DATABASE_URL      the same database without the pooler in transaction mode that DATABASE_URL then leads to
  DATABASE_POOL            20: connections for work; the inbox has 4 more, and LISTEN has one
  AUTO_MIGRATE             0: the platform does not start on an old schema; run shiftpact migrate first
  SHIFTPACT_DATA           the data folder
  OPERATIONS_TOKEN, SECRET_KEY (32 bytes, base64)
                           created and kept in the data folder; required with DATABASE_URL
  SECRET_KEYS              instead of SECRET_KEY: comma-separated keys; the first encrypts, all decrypt
  DATABASE_URL_FILE, DIRECT_DATABASE_URL_FILE, OPERATIONS_TOKEN_FILE, SECRET_KEY_FILE, SECRET_KEYS_FILE, SMTP_URL_FILE
                           a file that holds the value
  UNKNOWN_TOKEN_LIMIT      30: unknown tokens a minute from each client address; 0: no limit
  ALLOW_INSECURE_PROVIDERS 1: providers over plain http and at private addresses, for development
  WEBHOOK_RATE_LIMIT       6000: events a minute for each providerId; 0: no limit
  PROVIDER_RATE_LIMIT      500: calls a minute to each provider; 0: no limit
  RETAIN_EVENTS_DAYS (30), RETAIN_TRACES_DAYS (30), RETAIN_JOBS_DAYS (730), RETAIN_NOTIFICATIONS_DAYS (365), RETAIN_ISSUES_DAYS (365)
                           for how long what has ended is kept
  SMTP_URL, SMTP_FROM      sends notifications by e-mail too
  OFFER_MAIL_MINUTES       10: at most one mail with offers to a person in that time, as a digest; 0: no wait
  OFFER_MAIL_DAILY_LIMIT   10: the most mails with offers to a person in 24 hours; 0: no limit
  LOG_LEVEL                info; one of trace, debug, info, warn, error, fatal, silent

When it listens it prints {"listening":true,"port":N}. Logs go to stderr. Exit code 0: stopped; 1: it could not start or continue;
2: flags or settings that cannot be used, or missing rights in the database; 3: the schema of the database is newer than this
version and does not work with it, of another commit before the first release, or old with AUTO_MIGRATE=0. A second SIGINT or SIGTERM ends it at once.

Other commands: migrate, backup, restore, operators. Each has --help, and is run as \`shiftpact NAME\` or \`shiftpact-platform NAME\`.

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
    const {
      port: PORT,
      host,
      data: dataDir,
      help,
      version,
    } = readFlags({ args: argv, options: FLAGS }).values;
    if (help || version) {
      io.stdout(help ? HELP : kitVersion());
      return 0;
    }
    const env = { ...io.env, ...(PORT !== undefined && { PORT }) };
    return await run(
      readConfig(env, { ...(host && { host }), ...(dataDir !== undefined && { dataDir }) }),
      io,
    );
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
    const { url, host, managementPort, database } = running;
    log.info({ version: kitVersion(), ...database, url, host, managementPort, pid: process.pid }, "started");
    io.stdout(
      JSON.stringify({ listening: true, port: running.port, ...(managementPort && { managementPort }) }),
    );
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
