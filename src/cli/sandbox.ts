import { type Logger, pino } from "pino";
import { operationsTable } from "../../generated/provider/server.ts";
import { formsOf } from "../contract/dialect.ts";
import type { OperationId } from "../sandbox/faults/fault.ts";
import { faultTopics } from "../sandbox/faults/registry.ts";
import { type FaultName, faultNamed } from "../sandbox/faults/switchboard.ts";
import { STATES_PATH } from "../sandbox/provider-states.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../sandbox/sandbox.ts";
import type { Forms } from "../sandbox/shift-body.ts";
import type { Io } from "./io.ts";
import { untilStopped } from "./run-command.ts";
import { choice, numberFlag, readFlags, UsageError, uuidFlag } from "./usage.ts";

/** `--fault NAME` or `--fault NAME:OPERATION`. */
export interface FaultFlag {
  name: FaultName;
  /** Undefined: on every operation that supports the fault. */
  operation: OperationId | undefined;
}

const WIDTH = Math.max(
  ...Object.values(faultTopics)
    .flatMap((topic) => Object.keys(topic))
    .map((name) => name.length),
);

/** Returns every fault with its summary, by topic. */
export function faultList(): string {
  const lines = Object.entries(faultTopics).flatMap(([topic, faults]) => [
    `  ${topic}:`,
    ...Object.entries(faults).map(([name, { summary }]) => `    ${name.padEnd(WIDTH)}  ${summary}`),
    "",
  ]);
  return lines.join("\n").trimEnd();
}

/** @throws Error whose message is one line for the user */
export function readFaultFlag(text: string): FaultFlag {
  const [named = "", operation] = text.split(":");
  const name = faultNamed(named, ": --help lists them all");
  if (operation === undefined || isOperation(operation)) return { name, operation };
  const operations = operationsTable.map(({ operationId }) => operationId).join(", ");
  throw new Error(`there is no operation ${JSON.stringify(operation)}; there are ${operations}`);
}

function isOperation(text: string): text is OperationId {
  return operationsTable.some(({ operationId }) => operationId === text);
}

const DEFAULT_PORT = 4010;

const FLAGS = {
  port: { type: "string" },
  variant: { type: "string" },
  routing: { type: "string" },
  "not-found": { type: "string" },
  unassign: { type: "string" },
  ack: { type: "string" },
  "provider-id": { type: "string" },
  token: { type: "string" },
  "platform-url": { type: "string" },
  "platform-token": { type: "string" },
  kind: { type: "string" },
  fault: { type: "string", multiple: true },
  shift: { type: "string" },
  states: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Each flag that chooses a form, what it chooses, and among what. */
const CHOICES = [
  ["variant", "variant", formsOf("variant")],
  ["routing", "routing", formsOf("routing")],
  ["not-found", "notFound", formsOf("notFound")],
  ["unassign", "unassign", [...formsOf("unassign"), "both"]],
  ["ack", "acknowledgement", formsOf("acknowledgement")],
] as const satisfies readonly [keyof typeof FLAGS, keyof Forms, readonly string[]][];

const HELP = `shiftpact sandbox: a reference provider, correct in every dialect, faulty on request.

  --port N                    ${DEFAULT_PORT} unless given; 0: any free one
  --variant a|b               the shift's field set
  --routing path|header       both unless given
  --not-found empty|404       the response to a lookup without a result
  --unassign put|delete|both  which form is offered; the other answers 405
  --ack minimal|full          the acknowledgement of an assignment
  --provider-id UUID          made up unless given
  --token T                   PROVIDER_TOKEN; made up unless given
  --platform-url URL --platform-token T [--kind KIND]
                              where webhooks go
  --shift N                   N open shifts from the start
  --states                    sets up provider states for Pact verifiers: POST /states
  --fault NAME[:OPERATION]    may be given more than once; with OPERATION (such as getShift) on that one only

Examples:
  shiftpact sandbox --variant b --routing header --shift 2
  shiftpact sandbox --platform-url http://127.0.0.1:3000 --platform-token T
  shiftpact sandbox --states
  shiftpact sandbox --fault assign-conflict --fault no-token-accepted:listRoles

Faults, each one violation of the contract:

${faultList()}`;

/**
 * Runs the sandbox until SIGINT or SIGTERM.
 * @returns the exit code: 0 stopped, 1 could not start, 2 for flags that cannot be used.
 */
export async function sandbox(argv: string[], io: Io): Promise<number> {
  try {
    const flags = flagsOf(argv);
    if (flags.help) {
      io.stdout(HELP);
      return 0;
    }
    const options = optionsOf(flags);
    const shifts = numberFlag("shift", flags.shift ?? "0", 0, 1000);
    const faults = (flags.fault ?? []).map(faultOf);
    return await run({ ...options, log: logTo(io) }, { shifts, faults }, io);
  } catch (error) {
    io.stderr(`shiftpact sandbox: ${error instanceof Error ? error.message : "it could not start"}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

type Flags = ReturnType<typeof flagsOf>;

const flagsOf = (args: string[]) => readFlags({ args, options: FLAGS }).values;

function optionsOf(flags: Flags): SandboxOptions {
  const { token } = flags;
  const providerId = flags["provider-id"];
  const platform = platformOf(flags);
  return {
    port: numberFlag("port", flags.port ?? String(DEFAULT_PORT), 0, 65_535),
    dialect: dialectOf(flags),
    ...(providerId !== undefined && { providerId: uuidFlag("provider-id", providerId) }),
    ...(token !== undefined && { token }),
    ...(flags.states && { states: true }),
    ...(platform && { platform }),
  };
}

function dialectOf(flags: Flags): Partial<Forms> {
  const chosen = CHOICES.flatMap(([flag, form, values]) => {
    const value = flags[flag];
    return value === undefined ? [] : [[form, choice<string>(flag, value, values)]];
  });
  return Object.fromEntries(chosen);
}

function platformOf(flags: Flags): SandboxOptions["platform"] {
  const { "platform-url": url, "platform-token": token, kind } = flags;
  if (url === undefined && token === undefined) return undefined;
  if (url === undefined || token === undefined) {
    throw new UsageError("--platform-url and --platform-token belong together");
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageError("--platform-url must be an http or https URL");
  }
  return { url, token, ...(kind !== undefined && { kind }) };
}

function faultOf(text: string): FaultFlag {
  try {
    return readFaultFlag(text);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "--fault cannot be read");
  }
}

function logTo({ stdout }: Io): Logger {
  return pino({ base: null }, { write: (line: string) => stdout(line.trimEnd()) });
}

interface Scene {
  shifts: number;
  faults: readonly FaultFlag[];
}

async function run(options: SandboxOptions, { shifts, faults }: Scene, io: Io): Promise<number> {
  const running = await startSandbox(options);
  for (const name of new Set(faults.map((each) => each.name))) plant(running, name, faults);
  for (let made = 0; made < shifts; made += 1) running.createShift();
  const stopped = untilStopped();
  for (const line of greeting(running, options)) io.stdout(line);
  await stopped;
  await running.close();
  return 0;
}

/** A fault that is also given without an operation applies to all operations. */
function plant({ setFault }: Sandbox, name: FaultFlag["name"], flags: readonly FaultFlag[]): void {
  const operations = flags.filter((each) => each.name === name).map(({ operation }) => operation);
  const named = operations.filter((operation) => operation !== undefined);
  setFault(name, named.length === operations.length ? { operations: named } : {});
}

function greeting(
  { url, providerId, token, shifts }: Sandbox,
  { dialect, states }: SandboxOptions,
): string[] {
  const [base, header] =
    dialect?.routing === "header"
      ? [url, ` -H "X-Provider-Id: ${providerId}"`]
      : [`${url}/providers/${providerId}`, ""];
  return [
    `The sandbox provider listens on ${url}`,
    `  providerId      ${providerId}`,
    `  PROVIDER_TOKEN  ${token}`,
    ...shifts.map(({ id }) => `  shift           ${id}`),
    ...(states ? [`  states          ${url}${STATES_PATH}`] : []),
    `Try: curl -H "Authorization: Bearer ${token}"${header} ${base}/outlets`,
    "Stop it with Ctrl-C.",
  ];
}
