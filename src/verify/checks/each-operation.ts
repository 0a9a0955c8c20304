import { operationsTable } from "../../../generated/provider/server.ts";
import type { OperationId } from "../exchange.ts";
import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";
import type { Check, Fact, Holds } from "./check.ts";

/** Operations that change nothing. */
export const READS: readonly OperationId[] = [
  ...(["getShift", "listOutlets", "listRoles", "findCandidates", "getCandidateRegistry"] as const),
];
const ON_SHIFT: readonly OperationId[] = [
  ...(["updateShift", "assignCandidate", "unassignCandidate", "deleteAssignment"] as const),
];

/** What its right request is made of. */
const NEEDS: Readonly<Record<OperationId, readonly Fact[]>> = {
  ...{ listOutlets: [], listRoles: [], getCandidateRegistry: ["registry"], getShift: ["shift"] },
  ...{ findCandidates: ["number", "nobody"], createCandidate: ["person"], cancelShift: ["cancellable"] },
  ...{ updateShift: ["update", "settled"], assignCandidate: ["seat", "settled"] },
  ...{ unassignCandidate: ["seat", "settled"], deleteAssignment: ["seat", "settled"] },
};

const HOLDS: Partial<Record<OperationId, Holds>> = {
  createCandidate: { people: "adds" },
  cancelShift: { cancellable: "changes" },
};

/** The same check of every operation, each as soon as there is what its request takes. */
export function checkEach(
  group: Group,
  check: (run: Run, operation: OperationId) => AsyncIterable<Outcome>,
  tries: Check["tries"] & {} = true,
): Check[] {
  return operationsTable.map(({ operationId }) => ({
    ...{ group, needs: NEEDS[operationId], run: (run: Run) => check(run, operationId) },
    ...(HOLDS[operationId] && { holds: HOLDS[operationId] }),
    ...(operationId === "cancelShift" && { gives: ["used"] as const }),
    ...(ON_SHIFT.includes(operationId) && { tries }),
  }));
}
