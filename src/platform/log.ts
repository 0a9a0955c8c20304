import { hostname } from "node:os";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { scrub } from "../contract/personal-data.ts";
import { visible } from "../contract/storable-text.ts";

/**
 * Returns a log of structured lines without personal data or secrets, each with the name of its level and the process that wrote it.
 * `destination`: stderr unless given; stdout belongs to the command.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { instance: `${hostname()}:${process.pid}` },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
    hooks: {
      // pino's redaction does not reach into texts, so the finished line is scrubbed. It escapes control characters up to U+001F only.
      streamWrite: (line) => visible(scrub(line)),
    },
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }));
}

/** Leaves out `detail` and `where`, in which a database error holds the row's values. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    type: name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
