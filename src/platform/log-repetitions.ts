/** So many lines of one kind in a minute are written; the others are counted. */
const WRITTEN = 5;
const WINDOW_MS = 60_000;
/** Kinds that are told apart. Beyond them, every line is written. */
const MOST_KINDS = 1_000;

interface Kind {
  count: number;
  /** ISO 8601. */
  first: string;
  last: string;
}

type Write = (line: object, message: string) => void;

/** Faults that are repeated: in an outage every webhook has the same one, and thousands of lines a minute hide what else happens. */
export interface Repetitions {
  /** Whether a line is to be written. `write` writes the summary of those that were not, a minute after the first. */
  isWritten(args: readonly unknown[], write: Write): boolean;
}

export function createRepetitions(windowMs = WINDOW_MS, now: () => Date = () => new Date()): Repetitions {
  const kinds = new Map<string, Kind>();
  const open = (key: string, message: string, write: Write) => {
    const kind = { count: 0, first: "", last: "" };
    kinds.set(key, kind);
    setTimeout(() => {
      kinds.delete(key);
      const { count, first, last } = kind;
      if (count > WRITTEN) write({ repeated: count - WRITTEN, first, last }, message);
    }, windowMs).unref();
    return kind;
  };
  return {
    isWritten: (args, write) => {
      const [line, message] = partsOf(args);
      const key = keyOf(line, message);
      if (!kinds.has(key) && kinds.size >= MOST_KINDS) return true;
      const kind = kinds.get(key) ?? open(key, message, write);
      kind.count += 1;
      if (kind.count <= WRITTEN) return true;
      kind.last = now().toISOString();
      kind.first ||= kind.last;
      return false;
    },
  };
}

function partsOf(args: readonly unknown[]): [line: Record<string, unknown>, message: string] {
  const [first, second] = args;
  if (typeof first === "object" && first !== null)
    return [first as Record<string, unknown>, String(second ?? "")];
  return [{}, String(first)];
}

/** The same fault: of the same provider, the same request, and the same error, whichever event or person it is about. */
function keyOf({ err, providerId, req, res }: Record<string, unknown>, message: string): string {
  const error = err instanceof Error ? [err.name, (err as NodeJS.ErrnoException).code, err.message] : err;
  return JSON.stringify([message, providerId, error, req, res]);
}
