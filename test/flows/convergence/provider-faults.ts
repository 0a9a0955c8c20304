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

export type OddList = "ten-thousand" | "duplicates" | "nulls" | "empty";

export type Fault =
  /** The connection is cut immediately; the call takes effect later. */
  | { kind: "late"; afterMs: number }
  /** No effect. Without `code` the problem document has none. */
  | { kind: "status"; status: number; code?: string; retryAfter?: string }
  /** No effect: a gateway without a route responds with 404 and HTML. */
  | { kind: "gateway-404" }
  /** The call takes effect immediately, and the response follows later. */
  | { kind: "slow"; ms: number }
  /** Reads show an earlier state. Milliseconds. */
  | { kind: "stale"; ms: number }
  /** Reads show the state at the begin of the fault. */
  | { kind: "frozen" }
  /** Each POST of a person creates another one. */
  | { kind: "no-duplicate-detection" }
  /** The list of a shift's people is malformed. */
  | { kind: "odd-list"; list: OddList };

export type FaultOf<K extends Fault["kind"]> = Extract<Fault, { kind: K }>;

export interface Scope {
  /** Every operation unless given. */
  on?: Operation | readonly Operation[];
  /** Only calls about this shift. */
  shiftId?: string;
  /** Only each so manyth call, as one of so many replicas. */
  every?: number;
  /** The number of calls after which it ends. */
  times?: number;
}

export interface Target {
  operation: Operation;
  shiftId?: string;
}

export interface ActiveFault {
  /** The number of affected calls. */
  readonly hits: number;
  stop(): void;
}

interface Entry {
  fault: Fault;
  scope: Scope;
  since: number;
  calls: number;
  hits: number;
  isStopped: boolean;
}

export type Faults = ReturnType<typeof createFaults>;

/** Enables and disables faults at run time; the oldest one applies first. */
export function createFaults() {
  const entries: Entry[] = [];
  return {
    add: (fault: Fault, scope: Scope = {}): ActiveFault => {
      const entry: Entry = {
        fault,
        scope,
        since: performance.now(),
        calls: 0,
        hits: 0,
        isStopped: false,
      };
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
    /** Returns and counts the fault of that kind for this call. */
    take: <K extends Fault["kind"]>(
      kind: K,
      target: Target,
    ): (FaultOf<K> & { since: number }) | undefined => {
      const entry = entries.find((each) => each.fault.kind === kind && applies(each, target));
      if (!entry) return undefined;
      entry.calls += 1;
      if (entry.calls % (entry.scope.every ?? 1) !== 0) return undefined;
      entry.hits += 1;
      return { ...(entry.fault as FaultOf<K>), since: entry.since };
    },
  };
}

function applies({ scope, hits, isStopped }: Entry, { operation, shiftId }: Target): boolean {
  const { on, times = Number.POSITIVE_INFINITY } = scope;
  const operations: readonly Operation[] | undefined = typeof on === "string" ? [on] : on;
  return (
    !isStopped &&
    hits < times &&
    (operations === undefined || operations.includes(operation)) &&
    (scope.shiftId === undefined || scope.shiftId === shiftId)
  );
}
