import { visibleLine } from "../contract/visible-text.ts";
import { DatabaseRefusal, explained } from "../platform/db/database-errors.ts";
import { SchemaError } from "../platform/db/migrate.ts";
import { ConfigError } from "../platform/environment.ts";
import { CouldNotRun } from "../verify/could-not-run.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage.ts";

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
