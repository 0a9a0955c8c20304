import type { Organisation, StoredShift } from "../organisation.ts";
import { changeEntries, changeList, changeMembers } from "./entries.ts";
import { type Answer, type Call, empty, type Faults, isSuccess, json, problemAnswer } from "./fault.ts";
import { UNASSIGN } from "./operations.ts";
import { organisationOf } from "./tenant.ts";

const HOUR = 3_600_000;
const LATE_MS = 2_000;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** Faults in the effects of calls: the stored shift differs from the acknowledged one. */
export const shiftFaults = {
  "update-refused": {
    summary: "409 to an update of a shift",
    operations: ["updateShift"],
    instead: () => problemAnswer("shift_started"),
  },
  "update-not-stored": {
    summary: "an update of a shift is acknowledged and not stored",
    operations: ["updateShift"],
    around: after((shift, before) => Object.assign(shift, before)),
  },
  "update-without-times": {
    summary: "an update of a shift stores the positions and not the times",
    operations: ["updateShift"],
    around: after((shift, { startTime, endTime }) => Object.assign(shift, { startTime, endTime })),
  },
  "update-without-positions": {
    summary: "an update of a shift stores the times and not the positions",
    operations: ["updateShift"],
    around: after((shift, { positions }) => Object.assign(shift, { positions })),
  },
  "update-without-end": {
    summary: "an update of a shift stores everything but its end",
    operations: ["updateShift"],
    around: after((shift, { endTime }) => Object.assign(shift, { endTime })),
  },
  "update-loses-zone": {
    summary: "an updated shift is an hour later than requested",
    operations: ["updateShift"],
    around: after((shift) => Object.assign(shift, laterTimes(shift))),
  },
  "update-keeps-duration": {
    summary: "an update of a shift moves its start, and keeps its duration instead of the requested end",
    operations: ["updateShift"],
    around: after((shift, before) => {
      const duration = Date.parse(before.endTime) - Date.parse(before.startTime);
      shift.endTime = new Date(Date.parse(shift.startTime) + duration).toISOString();
    }),
  },
  "update-drops-offset": {
    summary: "an update of a shift drops the offset and stores the local times as UTC",
    operations: ["updateShift"],
    around: after((shift) => {
      const inUtc = (time: string) => time.replace(/(Z|[+-]\d{2}:?\d{2})$/, "Z");
      Object.assign(shift, { startTime: inUtc(shift.startTime), endTime: inUtc(shift.endTime) });
    }),
  },
  "update-resets-omitted": {
    summary: "an update of a shift resets the description and the break, which it does not contain",
    operations: ["updateShift"],
    around: after((shift) => Object.assign(shift, { description: null, breakMinutes: 0 })),
  },
  "update-rewrites-created": {
    summary: "an update of a shift sets the time of its creation",
    operations: ["updateShift"],
    around: after((shift) => Object.assign(shift, { createdAt: shift.updatedAt })),
  },
  "update-unassigns": {
    summary: "an update of a shift unassigns all its candidates",
    operations: ["updateShift"],
    around: after((shift) => shift.assigned.clear()),
  },
  "cancel-refused": {
    summary: "409 to a cancellation",
    operations: ["cancelShift"],
    instead: () => problemAnswer("shift_started"),
  },
  "cancel-not-stored": {
    summary: "a cancellation is acknowledged and the shift stays",
    operations: ["cancelShift"],
    around: after((shift, before) => Object.assign(shift, before)),
  },
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
  "outlet-not-listed": {
    summary: "the first outlet is not listed",
    operations: ["listOutlets"],
    rewrite: (answer) => changeList(answer, (outlets) => outlets.slice(1)),
  },
  "role-not-listed": {
    summary: "the first role is not listed",
    operations: ["listRoles"],
    rewrite: (answer) => changeList(answer, (roles) => roles.slice(1)),
  },
  "outlet-under-another-id": {
    summary: "a shift has ids of outlet and role that the lists do not contain",
    operations: ["getShift"],
    rewrite: (answer) =>
      changeEntries(answer, (shift) => changeMembers(shift, ["outletId", "roleId"], () => UNKNOWN_ID)),
  },
  "lists-now-and-then-shorter": {
    summary: "every third list of outlets or roles lacks its last entry",
    operations: ["listOutlets", "listRoles"],
    every: 3,
    rewrite: (answer) => changeList(answer, (entries) => entries.slice(0, -1)),
  },
} as const satisfies Faults;

function shiftOf(call: Call): StoredShift | undefined {
  return organisationOf(call)?.shifts.get(call.path.shiftId ?? "");
}

type Change = (shift: StoredShift, before: StoredShift, organisation: Organisation, call: Call) => unknown;

/** Changes the stored shift after the handler; the response is the handler's. */
function after(change: Change) {
  return (call: Call) => {
    const organisation = organisationOf(call);
    const shift = shiftOf(call);
    if (!organisation || !shift) return (answer: Answer) => answer;
    const before = { ...shift, assigned: new Map(shift.assigned) };
    return (answer: Answer) => {
      if (isSuccess(answer)) change(shift, before, organisation, call);
      return answer;
    };
  };
}

function laterTimes({ startTime, endTime }: StoredShift) {
  const later = (time: string) => new Date(Date.parse(time) + HOUR).toISOString();
  return { startTime: later(startTime), endTime: later(endTime) };
}

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
