import { operationsTable } from "../../../generated/provider/server.ts";
import { ASSIGNMENTS } from "../check-operations.ts";
import type { OperationId } from "../exchange.ts";
import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";
import type { Check, Fact, Holds } from "./check.ts";

/** Operations that change nothing. */
export const READS: readonly OperationId[] = [
  ...(["getShift", "listOutlets", "listRoles", "findCandidates", "getCandidateRegistry"] as const),
];
const ON_SHIFT: readonly OperationId[] = ["updateShift", ...ASSIGNMENTS];

/** Facts that the valid request of an operation needs. */
const NEEDS: Readonly<Record<OperationId, readonly Fact[]>> = {
  listOutlets: [],
  listRoles: [],
  getCandidateRegistry: ["registry"],
  getShift: ["shift"],
  findCandidates: ["number", "unknownCandidate"],
  createCandidate: ["person"],
  cancelShift: ["cancellable"],
  updateShift: ["update", "settled"],
  assignCandidate: ["assign", "settled"],
  unassignCandidate: ["assign", "settled"],
  deleteAssignment: ["assign", "settled"],
};

const HOLDS: Partial<Record<OperationId, Holds>> = {
  createCandidate: { people: "adds" },
  cancelShift: { cancellable: "changes" },
};

/** Returns the same check for every operation. Each runs as soon as its request is possible. */
export function checkEach(
  group: Group,
  check: (run: Run, operation: OperationId) => AsyncIterable<Outcome>,
  rejection: Check["rejection"] & {} = true,
): Check[] {
  return operationsTable.map(({ operationId }) => ({
    group,
    needs: NEEDS[operationId],
    run: (run: Run) => check(run, operationId),
    ...(HOLDS[operationId] && { holds: HOLDS[operationId] }),
    ...(operationId === "cancelShift" && { gives: ["used"] as const }),
    ...(ON_SHIFT.includes(operationId) && { rejection }),
  }));
}
