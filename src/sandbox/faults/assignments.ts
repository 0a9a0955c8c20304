import type { StoredShift } from "../organisation.ts";
import { changeEntries, changeMembers } from "./entries.ts";
import { type Answer, type Call, empty, type Faults, isSuccess, json, problemAnswer } from "./fault.ts";
import { UNASSIGN } from "./operations.ts";
import { after, laterTimes, shiftOf, UNKNOWN_ID } from "./stored-shift.ts";
import { organisationOf } from "./tenant.ts";

const LATE_MS = 2_000;

/** The candidates assigned since a shift was last read. */
const unread = new WeakMap<StoredShift, string[]>();

/** Faults in the effects of assignments. */
export const assignmentFaults = {
  "cancelled-assigned": {
    summary: "an assignment to a cancelled shift is accepted",
    operations: ["assignCandidate"],
    around: (call) => {
      const shift = shiftOf(call);
      const { cancelled = false } = shift ?? {};
      if (shift) shift.cancelled = false;
      return (answer) => {
        if (shift) shift.cancelled = cancelled;
        return answer;
      };
    },
  },
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
  "assign-not-stored": {
    summary: "an assignment is acknowledged and not stored",
    operations: ["assignCandidate"],
    around: after((shift, { assigned }) => Object.assign(shift, { assigned })),
  },
  "assign-stores-another": {
    summary: "an assignment stores another candidate",
    operations: ["assignCandidate"],
    around: after((shift, { assigned }, { candidates }) => {
      const other = [...candidates.keys()].find((id) => !shift.assigned.has(id)) ?? UNKNOWN_ID;
      if (shift.assigned.size > assigned.size)
        shift.assigned = new Map([...assigned, [other, shift.updatedAt]]);
    }),
  },
  "assign-replaces": {
    summary: "an assignment unassigns all other candidates",
    operations: ["assignCandidate"],
    around: after((shift, _before, _organisation, { path }) => {
      for (const id of shift.assigned.keys()) if (id !== path.candidateId) shift.assigned.delete(id);
    }),
  },
  "assign-again-refused": {
    summary: "409 to a repeated assignment",
    operations: ["assignCandidate"],
    instead: (call) => (isAssigned(call) ? problemAnswer("shift_full") : undefined),
  },
  "assign-again-listed-twice": {
    summary: "a repeated assignment adds a second entry",
    operations: ["assignCandidate", "getShift", "updateShift"],
    around: (call) => {
      if (call.operationId === "assignCandidate") noteRepetition(call);
      return (answer) => (call.operationId === "assignCandidate" ? answer : withSecondEntries(answer, call));
    },
  },
  "assign-takes-position": {
    summary: "an assignment lowers the number of positions, as if it were the remainder",
    operations: ["assignCandidate"],
    around: after((shift, { assigned }) => {
      shift.positions -= shift.assigned.size - assigned.size;
    }),
  },
  "assign-moves-times": {
    summary: "an assignment moves the shift by an hour",
    operations: ["assignCandidate"],
    around: after((shift) => Object.assign(shift, laterTimes(shift))),
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
  "unassign-not-stored": {
    summary: "an unassignment is acknowledged and the candidate stays",
    operations: UNASSIGN,
    around: after((shift, { assigned }) => Object.assign(shift, { assigned })),
  },
  "unassign-removes-another": {
    summary: "an unassignment removes the candidate who was assigned last",
    operations: UNASSIGN,
    around: after((shift, { assigned }, _organisation, { path }) => {
      const last = [...assigned.keys()].at(-1);
      if (last === undefined || !assigned.has(path.candidateId ?? "")) return;
      shift.assigned = new Map([...assigned].filter(([id]) => id !== last));
    }),
  },
  "unassign-body-odd": {
    summary: "200 to an unassignment by DELETE, with a body other than an acknowledgement",
    operations: ["deleteAssignment"],
    rewrite: (answer) => (isSuccess(answer) ? json(200, { removed: ["row"], affected: 1 }) : answer),
  },
  "overbooks-by-one": {
    summary: "one candidate more than there are positions is assigned; the next one is refused",
    operations: ["assignCandidate"],
    around: (call) => {
      const shift = shiftOf(call);
      if (shift) shift.positions += 1;
      return (answer) => {
        if (shift) shift.positions -= 1;
        return answer;
      };
    },
  },
  "assign-at-once-overwrites": {
    summary: "of two assignments at once, the second overwrites the first",
    operations: ["assignCandidate", "getShift"],
    around: (call) => {
      const shift = shiftOf(call);
      if (!shift) return (answer) => answer;
      const { candidateId = "" } = call.path;
      if (call.operationId === "getShift") unread.delete(shift);
      const isOther = call.operationId === "assignCandidate" && !shift.assigned.has(candidateId);
      if (isOther) for (const id of unread.get(shift) ?? []) shift.assigned.delete(id);
      if (isOther) unread.set(shift, [candidateId]);
      return (answer) => answer;
    },
  },
  "unassign-clears": {
    summary: "an unassignment removes all candidates from the shift",
    operations: UNASSIGN,
    around: after((shift) => shift.assigned.clear()),
  },
  "unassign-moves-times": {
    summary: "an unassignment moves the shift by an hour",
    operations: UNASSIGN,
    around: after((shift) => Object.assign(shift, laterTimes(shift))),
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

/** Repeatedly assigned candidates, by shift. */
const repeated = new WeakMap<StoredShift, Set<string>>();

function noteRepetition(call: Call): void {
  const shift = shiftOf(call);
  if (shift && isAssigned(call))
    repeated.set(shift, new Set([...(repeated.get(shift) ?? []), call.path.candidateId ?? ""]));
}

function withSecondEntries(answer: Answer, call: Call): Answer {
  const shift = shiftOf(call);
  const twice = shift && repeated.get(shift);
  if (!twice) return answer;
  const repeat = (list: unknown) =>
    Array.isArray(list)
      ? list.flatMap((each) => (twice.has(each.candidateId ?? each.id) ? [each, each] : [each]))
      : list;
  return changeEntries(answer, (entry) => changeMembers(entry, ["assignedCandidates"], repeat));
}
