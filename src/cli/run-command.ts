import { schemas } from "../../generated/platform/validators.js";
import { visibleLine } from "../contract/storable-text.ts";
import { DatabaseRefusal, explained } from "../platform/db/database-errors.ts";
import { SchemaError } from "../platform/db/migrate.ts";
import { ConfigError } from "../platform/environment.ts";
import { CouldNotRun } from "../verify/connection-errors.ts";
import { supportedNode } from "../verify/package-files.ts";
import { type Io, ioOf } from "./io.ts";
import { UsageError } from "./usage.ts";

/** Runs `command` as this process, with its arguments and its exit code; 2 on an unsupported Node version. */
export async function runCommand(
  name: string,
  command: (argv: string[], io: Io) => Promise<number>,
): Promise<void> {
  const io = ioOf(process);
  const fault = faultOfNode(process.versions.node, supportedNode());
  if (fault !== undefined) io.stderr(`${name}: ${fault}`);
  process.exitCode = fault === undefined ? await command(process.argv.slice(2), io) : 2;
}

/** @param least such as `22.12` */
function faultOfNode(version: string, least: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node ${version} is not supported: install Node ${least} or newer`;
}

/**
 * Prints one line for each problem and returns the exit code: 2 for unusable flags, settings or databases, or missing rights;
 * 3 for an incompatible schema; otherwise 1.
 */
export function reportFailure(command: string, failure: unknown, io: Io): number {
  const error = explained(failure);
  const lines = error instanceof ConfigError ? error.faults : [lineOf(error)];
  for (const line of lines) io.stderr(`shiftpact ${command}: ${line}`);
  if (error instanceof SchemaError) return 3;
  const isFinal = error instanceof DatabaseRefusal && error.isFinal;
  return isFinal || error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
}

/** Returns the first line of the message: the rest is for developers. */
const lineOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);

/** Prints why a command cannot run with what it was given, and returns exit code 2. Other errors are rethrown. */
export function reportUnusable(command: string, error: unknown, io: Io): number {
  if (!(error instanceof UsageError || error instanceof CouldNotRun)) throw error;
  io.stderr(`shiftpact ${command}: ${visibleLine(error.message)}`);
  return 2;
}

/** Returns one printable line for each input that a problem document names: where it is, and what is wrong there. */
export function inputErrorsOf(body: unknown): string[] {
  if (!schemas.Problem(body)) return [];
  return (body.errors ?? []).map(({ pointer, message }) =>
    `${pointer} ${message}`.replaceAll(/\p{Cc}/gu, " "),
  );
}

/**
 * Resolves at SIGINT or SIGTERM, when the reader of the output has closed it, or when `enough` aborts, and removes its listeners.
 * Returns the signal, if it was one.
 */
export function untilStopped(enough?: AbortSignal): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    const stop = (signal?: unknown) => {
      process.stdout.off("error", stop);
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      enough?.removeEventListener("abort", stop);
      resolve(signal === "SIGINT" || signal === "SIGTERM" ? signal : undefined);
    };
    process.stdout.on("error", stop);
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    enough?.addEventListener("abort", stop);
  });
}
