import type { StoredShift } from "../organisation.ts";
import { changeEntries, changeList, changeMembers, type Entry } from "./entries.ts";
import { empty, type Faults, problemAnswer } from "./fault.ts";
import { after, laterTimes, shiftOf, UNKNOWN_ID } from "./stored-shift.ts";

/** Shifts that were updated to a start that is not a time. */
const startsAtNumber = new WeakSet<StoredShift>();
const startAtNumber = (shift: Entry) => ({ ...shift, startTime: 1_893_456_000 });

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
  "update-stores-numbers": {
    summary: "an update of a shift stores a number as its start, and reads return it",
    operations: ["updateShift", "getShift"],
    rewrite: (answer, call) => {
      const shift = shiftOf(call);
      if (!shift) return answer;
      const isRead = call.operationId === "getShift";
      if (isRead && startsAtNumber.has(shift)) return changeEntries(answer, startAtNumber);
      if (isRead) return answer;
      startsAtNumber.delete(shift);
      if (!JSON.stringify(answer.body ?? "").includes('"/startTime"')) return answer;
      startsAtNumber.add(shift);
      return empty(204);
    },
  },
  "update-zero-is-one": {
    summary: "an update of a shift to 0 positions stores 1",
    operations: ["updateShift"],
    around: after((shift) => Object.assign(shift, { positions: shift.positions || 1 })),
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
