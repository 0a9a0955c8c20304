import { operationsTable } from "../../generated/provider/server.ts";
import type { OperationId } from "./exchange.ts";

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
