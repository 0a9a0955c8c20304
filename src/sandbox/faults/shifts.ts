import { randomUUID } from "node:crypto";
import type { StoredShift } from "../organisation.ts";
import { shiftOf } from "./answers.ts";
import { changeEntries, changeMembers } from "./entries.ts";
import {
  type Answer,
  type Call,
  type FaultSettings,
  type Faults,
  isSuccess,
  problemAnswer,
} from "./fault.ts";

const WITH_SHIFT = ["getShift", "updateShift"] as const;
const OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;
const TIMES = ["startTime", "endTime", "createdAt", "updatedAt"];

/** Faults in reading, changing and cancelling shifts. */
export const shiftFaults = {
  "shift-lag": {
    summary: "404 for the first three reads of a shift, as from a lagging replica",
    operations: ["getShift"],
    times: 3,
    instead: () => problemAnswer("shift_not_found"),
  },
  "stale-reads": {
    summary: "a read returns the shift as of the previous read, as from a lagging replica",
    operations: ["getShift"],
    rewrite: asReadBefore,
  },
  "shift-of-another": {
    summary: "a read returns a shift with a different id",
    operations: ["getShift"],
    rewrite: (answer) => changeEntries(answer, (shift) => ({ ...shift, id: randomUUID() })),
  },
  "time-without-offset": {
    summary: "the times of a shift have no offset",
    operations: WITH_SHIFT,
    rewrite: (answer) =>
      changeEntries(answer, (shift) =>
        changeMembers(shift, TIMES, (time) => String(time).replace(OFFSET, "")),
      ),
  },
  "end-before-start": {
    summary: "a shift ends before it starts",
    operations: WITH_SHIFT,
    rewrite: (answer) =>
      changeEntries(answer, (shift) => ({ ...shift, startTime: shift.endTime, endTime: shift.startTime })),
  },
  "update-refused": {
    summary: "409 to an update of a shift",
    operations: ["updateShift"],
    instead: () => problemAnswer("shift_started"),
  },
  "update-not-stored": {
    summary: "an update of a shift is acknowledged and not stored",
    operations: ["updateShift"],
    around: (call) => {
      const shift = shiftOf(call);
      const before = { ...shift };
      return (answer) => {
        if (shift && isSuccess(answer)) Object.assign(shift, before);
        return answer;
      };
    },
  },
  "cancel-refused": {
    summary: "409 to a cancellation",
    operations: ["cancelShift"],
    instead: () => problemAnswer("shift_started"),
  },
} as const satisfies Faults;

/** The actual response to the last read of each shift, since the fault was set. */
const lastReads = new WeakMap<FaultSettings, Map<StoredShift, Answer>>();

function asReadBefore(answer: Answer, call: Call): Answer {
  const shift = shiftOf(call);
  if (!shift) return answer;
  const reads = lastReads.get(call.settings) ?? new Map<StoredShift, Answer>();
  lastReads.set(call.settings, reads);
  const before = reads.get(shift) ?? answer;
  reads.set(shift, answer);
  return before;
}
