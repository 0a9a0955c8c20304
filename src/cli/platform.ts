import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../platform/config.ts";
import { createLog } from "../platform/log.ts";
import { startPlatform } from "../platform/main.ts";
import { checkProvider } from "./check-provider.ts";
import { endAfter, endOnUnexpected } from "./end-process.ts";
import type { Io } from "./io.ts";
import { untilStopped } from "./stop-signal.ts";
import { webPages } from "./web-pages.ts";

const HELP = `shiftpact platform: takes webhooks, fills shifts, and tells its operators what happened.

  --port N     PORT or 3000 unless given; 0: any free one
  --data DIR   SHIFTPACT_DATA or .shiftpact unless given

It reads PORT, DATABASE_URL (unset: an embedded database in the data folder), SHIFTPACT_DATA, OPERATIONS_TOKEN and SECRET_KEY (32
bytes, base64; both are made and kept in the data folder unless DATABASE_URL is set), ALLOW_INSECURE_PROVIDERS=1, WEBHOOK_RATE_LIMIT,
SMTP_URL and SMTP_FROM (notifications by e-mail too) and LOG_LEVEL. When it listens it prints {"listening":true,"port":N}. Logs go to stderr.

Examples:
  shiftpact platform --port 3000 --data ./data
  DATABASE_URL=postgres://localhost/shiftpact SECRET_KEY=... OPERATIONS_TOKEN=... shiftpact platform`;

// A supervisor waits 10 s before it kills.
const STOP_MS = 9_500;

/**
 * Runs the platform until SIGINT or SIGTERM; a second one ends the process at once. Exit code 0: stopped; 1: it could not start, or
 * could not go on; 2: flags or values that cannot be used.
 */
export async function platform(argv: string[], io: Io): Promise<number> {
  try {
    const { values } = parseArgs({
      args: argv,
      options: { port: { type: "string" }, data: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const env = { ...io.env, ...(values.port !== undefined && { PORT: values.port }) };
    return await run(readConfig(env, values.data === undefined ? {} : { dataDir: values.data }), io);
  } catch (error) {
    const lines = error instanceof ConfigError ? error.faults : [messageOf(error)];
    for (const line of lines) io.stderr(`shiftpact platform: ${line}`);
    return error instanceof ConfigError || isUsageError(error) ? 2 : 1;
  }
}

async function run(config: ReturnType<typeof readConfig>, io: Io): Promise<number> {
  const log = createLog(config.logLevel);
  const forget = endOnUnexpected((error) => log.fatal({ err: error }, "unexpected: the process ends"));
  try {
    const running = await startPlatform(config, { log, checkProvider, pages: webPages() });
    // Before it says that it listens: who hears that may stop it at once.
    const stopped = untilStopped();
    io.stdout(JSON.stringify({ listening: true, port: running.port }));
    const lost = await Promise.race([stopped, running.lost]);
    endAfter(STOP_MS, () =>
      log.error("the stop took too long; what is not finished goes on at the next start"),
    );
    if (lost) io.stderr(`shiftpact platform: ${lost.message}; what is stored goes on at the next start`);
    await running.close(lost ? 0 : undefined);
    return lost ? 1 : 0;
  } finally {
    forget();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message.split("\n")[0] : String(error));

const isUsageError = (error: unknown) =>
  error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");
