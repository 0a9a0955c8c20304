import { join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { type Config, readConfig } from "../platform/config.ts";
import { ConfigError } from "../platform/environment.ts";
import { createLog } from "../platform/log.ts";
import { type Platform, startPlatform } from "../platform/main.ts";
import { type FaultName, faultNames, isFaultName } from "../sandbox/faults/switchboard.ts";
import type { StoredShift } from "../sandbox/organisation.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox.ts";
import { checkProvider } from "./check-provider.ts";
import { type Io, isColoured } from "./io.ts";
import { isMain } from "./is-main.ts";
import { runCommand } from "./run-command.ts";
import { untilStopped } from "./stop-signal.ts";
import { readDemo, writeDemo } from "./story/demo-file.ts";
import { playStory } from "./story/play.ts";
import { operationsOf, type Stage } from "./story/stage.ts";
import { createTeller } from "./story/teller.ts";
import { webPages } from "./web-pages.ts";

const HELP = `npm start: the platform and a sandbox provider, the four flows of the contract played once between them.

  --once             end after the flows: exit 0 when they went right, 1 when not
  --port N           the platform's port; 3000 unless given, 0: any free one
  --sandbox-port N   the sandbox provider's port; 4010 unless given, 0: any free one
  --data DIR         the platform's data folder; SHIFTPACT_DATA or .shiftpact unless given; a later start
                     with the same folder continues with the same organisation
  --fault NAME       plants a fault in the sandbox, to see the story fail; one of
                     ${faultNames.join(", ")}

Examples:
  npm start
  npm start -- --once --port 0 --sandbox-port 0
  npm start -- --once --fault assign-conflict`;

const PATIENCE_MS = 15_000;

interface Orders {
  once: boolean;
  port: number;
  sandboxPort: number;
  dataDir: string | undefined;
  faults: FaultName[];
}

/**
 * Exit code 0: played and stopped; 1: a step went wrong; 2: it could not start.
 * @param patienceMs how long one step of the story may take. Milliseconds.
 */
export async function start(argv: string[], io: Io, patienceMs = PATIENCE_MS): Promise<number> {
  try {
    const orders = readOrders(argv);
    if (orders) return await run(orders, io, patienceMs);
    io.stdout(HELP);
    return 0;
  } catch (error) {
    for (const line of linesOf(error)) io.stderr(`npm start: ${line}`);
    return 2;
  }
}

/** A line for each thing to fix; never a stack. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.faults;
  if (!(error instanceof Error)) return [String(error)];
  const { code, port } = (error.cause ?? error) as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE") {
    return [`port ${port} is in use: choose others with --port and --sandbox-port, 0 for any free one`];
  }
  return error.message.split("\n", 1);
}

/** Undefined when help is asked for. */
function readOrders(args: string[]): Orders | undefined {
  const { values } = parseArgs({
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
    port: portOf("port", values.port),
    sandboxPort: portOf("sandbox-port", values["sandbox-port"]),
    dataDir: values.data,
    faults: values.fault.map(faultOf),
  };
}

function portOf(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Error(`--${flag} must be a port, 0 to 65535, not ${JSON.stringify(text)}`);
}

function faultOf(name: string): FaultName {
  if (isFaultName(name)) return name;
  throw new Error(`there is no fault ${JSON.stringify(name)}; there are ${faultNames.join(", ")}`);
}

async function run(orders: Orders, io: Io, patienceMs: number): Promise<number> {
  const { port, dataDir } = orders;
  const config = readConfig(io.env, { port, ...(dataDir !== undefined && { dataDir }) });
  const { sandboxPort, faults } = orders;
  const snapshot = readDemo(config.dataDir);
  // It starts before the platform and ends after it: the platform calls the provider of an earlier start at once.
  const provider = await startSandbox({ port: sandboxPort, faults, ...(snapshot && { snapshot }) });
  try {
    // The sandbox listens on plain http on this machine.
    const platform = await startPlatform(
      { ...config, allowInsecureProviders: true },
      { log: logTo(config), checkProvider, pages: webPages() },
    );
    try {
      writeDemo(config.dataDir, provider.snapshot());
      return await perform(orders, { platform, provider, config, io, patienceMs });
    } finally {
      await platform.close();
      writeDemo(config.dataDir, provider.snapshot());
    }
  } finally {
    await provider.close();
  }
}

/** The story has the terminal; what the platform logs goes to a file beside its data. */
function logTo({ logLevel, dataDir }: Config) {
  return createLog(
    logLevel,
    pino.destination({ dest: join(dataDir, "platform.log"), mkdir: true, sync: false }),
  );
}

interface Cast {
  platform: Platform;
  provider: Sandbox;
  config: Config;
  io: Io;
  patienceMs: number;
}

async function perform({ once }: Orders, cast: Cast): Promise<number> {
  const { platform, provider, config, io, patienceMs } = cast;
  const teller = createTeller(io.stdout, isColoured(io.env));
  const operations = operationsOf(platform.url, platform.operationsToken);
  const stage: Stage = { provider, operations, platformUrl: platform.url, teller, patienceMs };
  teller.title("A shift travels from a provider to a confirmed assignment, and to a cancellation", [
    [
      "platform",
      `${platform.url}   data in ${config.dataDir}, log in ${join(config.dataDir, "platform.log")}`,
    ],
    ["provider", `${provider.url}   the sandbox, organisation ${provider.providerId}`],
  ]);
  const isRight = await playStory(stage);
  if (once) return isRight ? 0 : 1;
  // The story's own shift is cancelled in the end: the console has something to show, and to staff.
  if (provider.shifts.every(hasStarted)) provider.createShift({ positions: 2 });
  writeDemo(config.dataDir, provider.snapshot());
  const stopped = untilStopped();
  teller.line("");
  teller.line(`Both stay up. Console: ${platform.url}/console/#token=${platform.operationsToken}`);
  teller.line(`Operations API: ${platform.url}/operations/v1 (token: ${platform.operationsToken})`);
  teller.line(`Documentation: ${platform.url}/docs/`);
  teller.line("Stop them with Ctrl-C.");
  const lost = await Promise.race([stopped.then(() => undefined), platform.lost]);
  if (lost) io.stderr(`npm start: ${lost.message}; what is stored goes on at the next start`);
  return isRight && !lost ? 0 : 1;
}

const hasStarted = ({ startTime, cancelled }: StoredShift): boolean =>
  cancelled || Date.parse(startTime) <= Date.now();

if (isMain(import.meta)) await runCommand("npm start", start);
