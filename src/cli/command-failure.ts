import { SchemaError } from "../platform/db/schema-version.ts";
import { ConfigError } from "../platform/environment.ts";
import { CouldNotRun } from "../verify/could-not-run.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage.ts";

/**
 * Prints one line for each problem and returns the exit code: 2 for unusable flags or settings, or missing rights in the database;
 * 3 for an incompatible schema; otherwise 1.
 */
export function reportFailure(command: string, error: unknown, io: Io): number {
  const lines = error instanceof ConfigError ? error.faults : [lineOf(error)];
  for (const line of lines) io.stderr(`shiftpact ${command}: ${line}`);
  if (error instanceof SchemaError) return 3;
  return error instanceof ConfigError || error instanceof UsageError || isRightMissing(error) ? 2 : 1;
}

/** PostgreSQL's code of a right that the role does not have: another start does not help. */
const isRightMissing = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === "42501";

/** Returns the first line of the message: the rest is for developers. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const line = error.message.split("\n")[0];
  if (isRightMissing(error))
    return `${line}: grant the role of DATABASE_URL the rights that the operator's guide lists`;
  // A refused connection to a name with several addresses has no message of its own.
  return line || `cannot connect to PostgreSQL: ${(error as NodeJS.ErrnoException).code}`;
}

/** Prints why a command cannot run with what it was given, and returns exit code 2. Other errors are rethrown. */
export function reportUnusable(command: string, error: unknown, io: Io): number {
  if (!(error instanceof UsageError || error instanceof CouldNotRun)) throw error;
  io.stderr(`shiftpact ${command}: ${error.message}`);
  return 2;
}
