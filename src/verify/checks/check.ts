import { operationsTable } from "../../../generated/provider/server.ts";
import type { OperationId } from "../exchange.ts";
import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";

/** What a check detects for other checks; stored in `run.known` and `run.forms`. */
export type Fact =
  /** How the organisation is sent. Every other check needs it. */
  | "routing"
  /** The original fixture shift, and its variant. */
  | "shift"
  /** The response to a lookup without a match, and the accepted formats of a number. */
  | "unknownCandidate"
  | "person"
  /** A second test candidate, created with the full payload. */
  | "second"
  /** Whether the known candidate of the fixtures is found. */
  | "known"
  | "number"
  | "firstReads"
  | "registry"
  /** The response to an update, and the field name for positions. */
  | "update"
  /** The acknowledgement, and the forms of unassignment. */
  | "assign"
  /** The response to an assignment to a full shift. */
  | "full"
  /** The cancellable shift, or why none is known. */
  | "cancellable"
  /** No check except the cancellation needs the cancellable shift any more. */
  | "used"
  /** No check changes the fixture shift any more. */
  | "settled"
  /** The response to a read of a cancelled shift. */
  | "deleted";

/** Resources that two checks must not change at the same time. */
export type Resource = "shift" | "cancellable" | "people";

/** `reads` allows other `reads`, and `adds` other `adds`; `changes` is exclusive. */
export type Hold = "changes" | "adds" | "reads";

/** One topic of the verification. A check yields outcomes, but does not count or print. */
export interface Check {
  group: Group;
  /** Not counted as a check of its group. */
  isAside?: true;
  /** The check runs only if one of these groups runs. */
  isFor?: readonly Group[];
  /** Checks that give one of these facts run first. */
  needs: readonly Fact[];
  gives?: readonly Fact[];
  holds?: Holds | ((run: Run) => Holds);
  /** A rejection test: a correct provider refuses its requests to the fixture shift. `first`: it makes several calls in sequence. */
  rejection?: true | "first";
  /** Reports count each title as a separate check; otherwise all outcomes for an operation are one check. */
  isByTitle?: true;
  /** Name in reports, set in all-checks.ts. */
  name?: string;
  run(run: Run): AsyncIterable<Outcome>;
}

export type Holds = Readonly<Partial<Record<Resource, Hold>>>;

const EVERY = operationsTable.map(({ operationId }) => operationId);
const LISTS = ["listOutlets", "listRoles"] as const;
const CANDIDATES = ["createCandidate", "findCandidates"] as const;
export const UNASSIGNMENTS = ["unassignCandidate", "deleteAssignment"] as const;
export const ASSIGNMENTS = ["assignCandidate", ...UNASSIGNMENTS] as const;
export const BY_SHIFT = ["getShift", "updateShift", "cancelShift", ...ASSIGNMENTS] as const;
const BODIES = ["updateShift", "createCandidate"] as const;

/**
 * By the name of a check (checks/all-checks.ts): it reports a result for each of these in every run. An operation that it did not reach is
 * reported as not checked. A check that is missing here is reported only where it has a result.
 */
export const checkOperations: Readonly<Record<string, readonly OperationId[]>> = {
  dialect: [
    ...(["getShift", "findCandidates", "getCandidateRegistry", "updateShift"] as const),
    ...(["assignCandidate", "unassignCandidate"] as const),
  ],
  organisation: LISTS,
  "known person": ["findCandidates"],
  "repeated reads": ["getShift", ...LISTS, "findCandidates", "getCandidateRegistry"],
  candidates: CANDIDATES,
  hire: CANDIDATES,
  updates: ["updateShift"],
  assignments: ASSIGNMENTS,
  "full shift": ["assignCandidate"],
  authentication: EVERY,
  "unknown without token": BY_SHIFT,
  tenants: EVERY,
  "unknown ids": BY_SHIFT,
  "malformed ids": BY_SHIFT,
  "odd lookups": ["findCandidates"],
  "malformed bodies": BODIES,
  "invalid updates": ["updateShift"],
  "invalid creations": ["createCandidate"],
  generated: ["findCandidates", "getShift", ...BODIES],
  registry: ["getCandidateRegistry"],
  "later reads": LISTS,
  cancellation: ["cancelShift", "assignCandidate"],
};
