import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { scrub } from "../contract/personal-data.ts";

/** Structured lines without personal data or secrets. `destination`: stderr unless given; stdout belongs to the command. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    // pino's redaction does not reach into texts, so the finished line is scrubbed.
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }));
}

/** Leaves out `detail` and `where`, in which a database error holds the row's values. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    ...{ type: name, message, stack },
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
