import { randomUUID } from "node:crypto";
import { organisationOf, shiftOf } from "./answers.ts";
import { type Call, empty, type Faults, isSuccess, json, problemAnswer } from "./fault.ts";

const LATE_MS = 2_000;
const UNASSIGN = ["unassignCandidate", "deleteAssignment"] as const;

/** Faults in assigning and unassigning candidates. */
export const assignmentFaults = {
  "assign-conflict": {
    summary: "409 shift_full to an assignment",
    operations: ["assignCandidate"],
    instead: () => problemAnswer("shift_full"),
  },
  "assign-lost-answer": {
    summary: "assigns, then returns 500 (once)",
    operations: ["assignCandidate"],
    times: 1,
    rewrite: () => problemAnswer("internal_error"),
  },
  "assign-late": {
    summary: "an assignment takes effect some time after the connection was reset",
    operations: ["assignCandidate"],
    instead: assignLater,
  },
  "assign-no-content": {
    summary: "assigns and returns 204, which is correct as well",
    operations: ["assignCandidate"],
    rewrite: (answer) => (answer.status === 200 ? empty(204) : answer),
  },
  "assign-again-refused": {
    summary: "409 to a repeated assignment",
    operations: ["assignCandidate"],
    instead: (call) => (isAssigned(call) ? problemAnswer("shift_full") : undefined),
  },
  "assign-not-successful": {
    summary: "200 with success: false to an assignment",
    operations: ["assignCandidate"],
    instead: () => json(200, { success: false }),
  },
  "assign-of-another": {
    summary: "the acknowledgement names another candidate",
    operations: ["assignCandidate"],
    rewrite: (_, { path }) => json(200, { success: true, ...path, candidateId: randomUUID() }),
  },
  "assign-for-another-shift": {
    summary: "the acknowledgement names another shift",
    operations: ["assignCandidate"],
    rewrite: (answer, { path }) =>
      isSuccess(answer) ? json(200, { success: true, ...path, shiftId: randomUUID() }) : answer,
  },
  "unassign-not-successful": {
    summary: "200 with success: false to an unassignment",
    operations: UNASSIGN,
    instead: () => json(200, { success: false }),
  },
  "unassign-unknown-path": {
    summary: "404 to PUT /unassign/, as for an unknown path",
    operations: ["unassignCandidate"],
    instead: () => problemAnswer("not_found"),
  },
  "unassign-absent": {
    summary: "405 to both forms of unassignment",
    operations: UNASSIGN,
    instead: () => problemAnswer("method_not_allowed"),
  },
} as const satisfies Faults;

/** Assigns like a transaction that commits after the caller has given up. No webhook follows. */
function assignLater(call: Call): "reset" | undefined {
  const organisation = organisationOf(call);
  const { candidateId = "" } = call.path;
  const shift = shiftOf(call);
  const isAuthorized = call.request.get("authorization") === `Bearer ${organisation?.token}`;
  if (!shift || !isAuthorized || !organisation?.candidates.has(candidateId)) return undefined;
  const commit = () => {
    const hasRoom = shift.assigned.size < shift.positions || shift.assigned.has(candidateId);
    if (!shift.cancelled && hasRoom) shift.assigned.set(candidateId, new Date().toISOString());
  };
  setTimeout(commit, call.settings.lateMs ?? LATE_MS).unref();
  return "reset";
}

function isAssigned(call: Call): boolean {
  return shiftOf(call)?.assigned.has(call.path.candidateId ?? "") ?? false;
}
