export type Operation =
  | "getShift"
  | "updateShift"
  | "cancelShift"
  | "assign"
  | "unassign"
  | "findCandidates"
  | "createCandidate"
  | "listOutlets"
  | "listRoles"
  | "readRegistry";

export type OddList = "ten-thousand" | "duplicates" | "nulls" | "strangers" | "another-id";

export type Fault =
  /** The effect happens; the connection is cut before the response, or in the middle of its body. */
  | { kind: "lost"; cut?: "before-headers" | "after-headers" }
  /** The connection is cut at once; the effect happens later. */
  | { kind: "late"; afterMs: number }
  /** No effect. Without `code` the problem document has none. */
  | { kind: "status"; status: number; code?: string; retryAfter?: string }
  /** No effect: a gateway without a route answers 404 with HTML. */
  | { kind: "gateway-404" }
  /** The effect happens at once, the response comes later. */
  | { kind: "slow"; ms: number }
  /** Reads show the state of so many milliseconds ago. */
  | { kind: "stale"; ms: number }
  /** Reads show the state of the moment when the fault began. */
  | { kind: "frozen" }
  /** A repeated assignment is refused instead of confirmed. */
  | { kind: "rejected-repeat"; code: "shift_full" | "already_assigned" }
  /** Each POST of a person creates another one. */
  | { kind: "no-duplicate-detection" }
  /** The people of a shift are listed oddly. */
  | { kind: "odd-list"; list: OddList };

export type FaultOf<K extends Fault["kind"]> = Extract<Fault, { kind: K }>;

export interface Scope {
  /** Every operation unless given. */
  on?: Operation | readonly Operation[];
  /** Only calls about this shift. */
  shiftId?: string;
  /** Skips so many calls first. */
  after?: number;
  /** Ends after so many calls. */
  times?: number;
  /** Ends after so many milliseconds. */
  forMs?: number;
}

export interface Target {
  operation: Operation;
  shiftId?: string;
}

export interface ActiveFault {
  /** How many calls met it. */
  readonly hits: number;
  stop(): void;
}

interface Entry {
  fault: Fault;
  scope: Scope;
  since: number;
  skipped: number;
  hits: number;
  isStopped: boolean;
}

export type Faults = ReturnType<typeof createFaults>;

/** Faults are switched on and off at run time; the one that was switched on first applies first. */
export function createFaults() {
  const entries: Entry[] = [];
  return {
    add: (fault: Fault, scope: Scope = {}): ActiveFault => {
      const entry: Entry = { fault, scope, since: performance.now(), skipped: 0, hits: 0, isStopped: false };
      entries.push(entry);
      return {
        get hits() {
          return entry.hits;
        },
        stop: () => {
          entry.isStopped = true;
        },
      };
    },
    clear: () => {
      for (const entry of entries) entry.isStopped = true;
    },
    /** The fault of that kind which this call meets; counts it. */
    take: <K extends Fault["kind"]>(
      kind: K,
      target: Target,
    ): (FaultOf<K> & { since: number }) | undefined => {
      const entry = entries.find((each) => each.fault.kind === kind && applies(each, target));
      if (!entry) return undefined;
      if (entry.skipped < (entry.scope.after ?? 0)) {
        entry.skipped += 1;
        return undefined;
      }
      entry.hits += 1;
      return { ...(entry.fault as FaultOf<K>), since: entry.since };
    },
  };
}

function applies({ scope, since, hits, isStopped }: Entry, { operation, shiftId }: Target): boolean {
  const { on, times = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY } = scope;
  const operations: readonly Operation[] | undefined = typeof on === "string" ? [on] : on;
  return (
    !isStopped &&
    hits < times &&
    performance.now() - since < forMs &&
    (operations === undefined || operations.includes(operation)) &&
    (scope.shiftId === undefined || scope.shiftId === shiftId)
  );
}
