import { join } from "node:path";
import { pino } from "pino";
import { type Config, readConfig } from "../platform/config.ts";
import type { Mail } from "../platform/deps.ts";
import { ConfigError } from "../platform/environment.ts";
import { createLog } from "../platform/log.ts";
import { type Platform, startPlatform } from "../platform/main.ts";
import { type FaultName, faultNamed, faultNames } from "../sandbox/faults/switchboard.ts";
import type { StoredShift } from "../sandbox/organisation.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox.ts";
import { createProviderCheck } from "./check-provider.ts";
import { readDemo, writeDemo } from "./demo/demo-file.ts";
import { runDemo } from "./demo/flows.ts";
import { freePort, startNotifiedService } from "./demo/onboarding.ts";
import { catchMails, createPrinter, type DemoContext, mailedLink, operationsOf } from "./demo/step.ts";
import { type Io, reportOutput } from "./io.ts";
import { isMain } from "./is-main.ts";
import { runCommand, untilStopped } from "./run-command.ts";
import { numberFlag, readFlags } from "./usage.ts";
import { webPages } from "./web-pages.ts";

const HELP = `npm start: the platform and a sandbox provider, the four flows of the contract run once between them.

  --once             end after the flows: exit 0 if they succeed, 1 if not
  --port N           the platform's port; 3000 unless given, 0: any free one
  --sandbox-port N   the sandbox provider's port; 4010 unless given, 0: any free one
  --data DIR         the platform's data folder; SHIFTPACT_DATA or .shiftpact unless given; a later start
                     with the same folder continues with the same organisation
  --fault NAME       sets a fault in the sandbox, to see the demo fail; one of
                     ${faultNames.join(", ")}

Examples:
  npm start
  npm start -- --once --port 0 --sandbox-port 0
  npm start -- --once --fault assign-conflict`;

const STEP_TIMEOUT_MS = 15_000;

interface Options {
  once: boolean;
  port: number;
  sandboxPort: number;
  dataDir: string | undefined;
  faults: FaultName[];
}

/**
 * Returns the exit code: 0 completed and stopped; 1 a step failed; 2 it could not start.
 * @param timeoutMs how long one step of the demo may take. Milliseconds.
 */
export async function start(argv: string[], io: Io, timeoutMs = STEP_TIMEOUT_MS): Promise<number> {
  try {
    const options = readOptions(argv);
    if (options) return await run(options, io, timeoutMs);
    io.stdout(HELP);
    return 0;
  } catch (error) {
    for (const line of linesOf(error)) io.stderr(`npm start: ${line}`);
    return 2;
  }
}

/** Returns a line for each problem; never a stack. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.faults;
  if (!(error instanceof Error)) return [String(error)];
  const { code, port } = (error.cause ?? error) as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE") {
    return [`port ${port} is in use: choose others with --port and --sandbox-port, 0 for any free one`];
  }
  return error.message.split("\n", 1);
}

/** Returns undefined when help is requested. */
function readOptions(args: string[]): Options | undefined {
  const { values } = readFlags({
    args,
    options: {
      once: { type: "boolean", default: false },
      port: { type: "string", default: "3000" },
      "sandbox-port": { type: "string", default: "4010" },
      data: { type: "string" },
      fault: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    once: values.once,
    port: numberFlag("port", values.port, 0, 65_535),
    sandboxPort: numberFlag("sandbox-port", values["sandbox-port"], 0, 65_535),
    dataDir: values.data,
    faults: values.fault.map((name) => faultNamed(name, `; there are ${faultNames.join(", ")}`)),
  };
}

async function run(options: Options, io: Io, timeoutMs: number): Promise<number> {
  const { dataDir } = options;
  // Links name it before the platform listens.
  const port = options.port === 0 ? await freePort() : options.port;
  const config = readConfig(io.env, { port, ...(dataDir !== undefined && { dataDir }) });
  const { sandboxPort, faults } = options;
  const snapshot = readDemo(config.dataDir);
  // It starts before the platform and ends after it, because a platform with stored work calls its provider immediately.
  const provider = await startSandbox({ port: sandboxPort, faults, ...(snapshot && { snapshot }) });
  const service = config.webhook ? undefined : await startNotifiedService();
  try {
    // The sandbox listens on plain http on this machine.
    const caught = config.mail ? undefined : catchMails();
    const platform = await startPlatform(
      {
        ...config,
        ...(service && { webhook: service.webhook }),
        allowInsecureProviders: true,
        publicUrl: config.publicUrl ?? `http://127.0.0.1:${port}`,
      },
      {
        log: logTo(config),
        checkProvider: createProviderCheck(),
        pages: webPages(),
        ...(caught && { channel: caught.channel }),
      },
    );
    try {
      writeDemo(config.dataDir, provider.snapshot());
      const sent = { mails: caught?.mails, messages: service?.messages };
      return await runAndServe(options, { platform, provider, config, io, timeoutMs, ...sent });
    } finally {
      await platform.close();
      writeDemo(config.dataDir, provider.snapshot());
    }
  } finally {
    await service?.close();
    await provider.close();
  }
}

/** The demo prints to the terminal; the platform logs to a file beside its data. */
function logTo({ logLevel, dataDir }: Config) {
  return createLog(
    logLevel,
    pino.destination({ dest: join(dataDir, "platform.log"), mkdir: true, sync: false }),
  );
}

interface Running {
  platform: Platform;
  provider: Sandbox;
  config: Config;
  io: Io;
  timeoutMs: number;
  /** Undefined when mails are sent. */
  mails: readonly Mail[] | undefined;
  /** Handed to the service of the demo; undefined when they go to another one. */
  messages: readonly string[] | undefined;
}

async function runAndServe({ once }: Options, running: Running): Promise<number> {
  const { platform, provider, config, io, timeoutMs, mails, messages } = running;
  const { write, isInteractive } = reportOutput(io);
  const printer = createPrinter(write, isInteractive);
  const operations = operationsOf(platform.url, platform.operationsToken);
  const demo: DemoContext = { provider, operations, platformUrl: platform.url, printer, timeoutMs };
  printer.title("A shift travels from a provider to a confirmed assignment, and to a cancellation", [
    [
      "platform",
      `${platform.url}   data in ${config.dataDir}, log in ${join(config.dataDir, "platform.log")}`,
    ],
    ["provider", `${provider.url}   the sandbox, organisation ${provider.providerId}`],
  ]);
  const isRight = await runDemo(demo);
  if (once) return isRight ? 0 : 1;
  // The demo cancels its own shift; another one gives the console a shift to show and to staff.
  if (provider.shifts.every(isOver)) provider.createShift({ positions: 2 });
  writeDemo(config.dataDir, provider.snapshot());
  const stopped = untilStopped();
  // A failed demo may have no candidates, and those of an earlier start may have declined.
  const link = isRight && mails ? await mailedLink(demo, mails, messages).catch(() => undefined) : undefined;
  printer.line("");
  printer.line(`Both stay up. Console: ${platform.url}/console/#token=${platform.operationsToken}`);
  printer.line(`Operations API: ${platform.url}/operations/v1 (token: ${platform.operationsToken})`);
  printer.line(`Documentation: ${platform.url}/docs/`);
  if (link) printer.line(`Accept a shift as ${link.firstName}, from the mail of its offer: ${link.url}`);
  if (link?.message) printer.line(`The same for a company's SMS service, by the webhook: ${link.message}`);
  printer.line("Stop them with Ctrl-C.");
  const lost = await Promise.race([stopped.then(() => undefined), platform.lost]);
  if (lost) io.stderr(`npm start: ${lost.message}; stored work continues at the next start`);
  return isRight && !lost ? 0 : 1;
}

const isOver = ({ startTime, cancelled, assigned, positions }: StoredShift): boolean =>
  cancelled || Date.parse(startTime) <= Date.now() || assigned.size >= positions;

if (isMain(import.meta)) await runCommand("npm start", start);
