import { ServerResponse } from "node:http";

/** So many lines of one kind in a minute are written; the others are counted. */
const WRITTEN = 5;
const WINDOW_MS = 60_000;
/** The most kinds that are counted. Beyond them, every line is written. */
const MOST_KINDS = 1_000;

interface Kind {
  count: number;
  /** ISO 8601. */
  first: string;
  last: string;
}

type Line = Record<string, unknown>;
type Write = (line: Line, message: string) => void;

/** Repeated faults: in an outage every webhook has the same one, and thousands of lines a minute hide what else happens. */
export interface Repetitions {
  /** Whether a line is to be written. `write` writes the last of those that were not, with their number, a minute after the first. */
  isWritten(args: readonly unknown[], write: Write): boolean;
}

export function createRepetitions(windowMs = WINDOW_MS, now: () => Date = () => new Date()): Repetitions {
  const kinds = new Map<string, Kind>();
  const open = (key: string, summarise: (kind: Kind) => void) => {
    const kind = { count: 0, first: "", last: "" };
    kinds.set(key, kind);
    setTimeout(() => {
      kinds.delete(key);
      if (kind.count > WRITTEN) summarise(kind);
    }, windowMs).unref();
    return kind;
  };
  return {
    isWritten: (args, write) => {
      const [line, message] = partsOf(args);
      const key = keyOf(line, message);
      if (!kinds.has(key) && kinds.size >= MOST_KINDS) return true;
      const kind =
        kinds.get(key) ??
        open(key, ({ count, first, last }) => {
          write({ ...line, repeated: count - WRITTEN, first, last }, message);
        });
      kind.count += 1;
      if (kind.count <= WRITTEN) return true;
      kind.last = now().toISOString();
      kind.first ||= kind.last;
      return false;
    },
  };
}

function partsOf(args: readonly unknown[]): [line: Line, message: string] {
  const [first, second] = args;
  if (typeof first === "object" && first !== null) return [first as Line, String(second ?? "")];
  return [{}, String(first)];
}

/** The same fault: of the same provider, the same request, and the same error, whichever event or person it is about. */
function keyOf({ err, providerId, kind, req, res }: Line, message: string): string {
  const error = err instanceof Error ? [err.name, (err as NodeJS.ErrnoException).code, err.message] : err;
  const request = res instanceof ServerResponse ? [res.req.method, res.req.url, res.statusCode] : [req, res];
  return JSON.stringify([message, providerId, kind, error, request]);
}
