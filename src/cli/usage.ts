import { type ParseArgsConfig, parseArgs } from "node:util";

/** An unusable flag; the message is one line for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws UsageError for an unknown flag, or one without its value */
export function readFlags<const C extends ParseArgsConfig>(config: C): ReturnType<typeof parseArgs<C>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const line = error instanceof Error ? error.message.split("\n")[0] : "bad flags";
    throw new UsageError(`${line} (see --help)`);
  }
}

/** @throws UsageError */
export function numberFlag(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${flag} must be a number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

/** @throws UsageError when it is missing, or not a UUID */
export function uuidFlag(flag: string, text: string | undefined): string {
  if (text === undefined) throw new UsageError(`--${flag} is required (see --help)`);
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return text;
  throw new UsageError(`--${flag} must be a UUID, not ${JSON.stringify(text)}`);
}
