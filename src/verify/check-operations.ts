import { operationsTable } from "../../generated/provider/server.ts";
import type { OperationId } from "./exchange.ts";
import type { Group } from "./groups.ts";

interface Row {
  group: Group;
  /** The check reports a result for each of these in every run. An operation that it did not reach is reported as not checked. */
  operations: readonly OperationId[];
}

const EVERY = operationsTable.map(({ operationId }) => operationId);
const LISTS = ["listOutlets", "listRoles"] as const;
const CANDIDATES = ["createCandidate", "findCandidates"] as const;
export const UNASSIGNMENTS = ["unassignCandidate", "deleteAssignment"] as const;
export const ASSIGNMENTS = ["assignCandidate", ...UNASSIGNMENTS] as const;
export const BY_SHIFT = ["getShift", "updateShift", "cancelShift", ...ASSIGNMENTS] as const;
const BODIES = ["updateShift", "createCandidate"] as const;

/** By the name of a check (checks/all-checks.ts). A check that is missing here is reported only where it has a result. */
export const checkOperations: Readonly<Record<string, Row>> = {
  dialect: {
    group: "dialect",
    operations: [
      ...(["getShift", "findCandidates", "getCandidateRegistry", "updateShift"] as const),
      ...(["assignCandidate", "unassignCandidate"] as const),
    ],
  },
  organisation: { group: "answers", operations: LISTS },
  "known person": { group: "answers", operations: ["findCandidates"] },
  "repeated reads": {
    group: "answers",
    operations: ["getShift", ...LISTS, "findCandidates", "getCandidateRegistry"],
  },
  candidates: { group: "meaning", operations: CANDIDATES },
  hire: { group: "meaning", operations: CANDIDATES },
  updates: { group: "meaning", operations: ["updateShift"] },
  assignments: { group: "meaning", operations: ASSIGNMENTS },
  "full shift": { group: "meaning", operations: ["assignCandidate"] },
  authentication: { group: "authentication", operations: EVERY },
  "unknown without token": { group: "authentication", operations: BY_SHIFT },
  tenants: { group: "tenants", operations: EVERY },
  "unknown ids": { group: "errors", operations: BY_SHIFT },
  "malformed ids": { group: "errors", operations: BY_SHIFT },
  "odd lookups": { group: "errors", operations: ["findCandidates"] },
  "malformed bodies": { group: "errors", operations: BODIES },
  "invalid updates": { group: "errors", operations: ["updateShift"] },
  "invalid creations": { group: "errors", operations: ["createCandidate"] },
  generated: { group: "generated", operations: ["findCandidates", "getShift", ...BODIES] },
  registry: { group: "registry", operations: ["getCandidateRegistry"] },
  "later reads": { group: "cancellation", operations: LISTS },
  cancellation: { group: "cancellation", operations: ["cancelShift", "assignCandidate"] },
};
