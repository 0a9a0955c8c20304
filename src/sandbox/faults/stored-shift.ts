import { HOUR_MS } from "../../contract/durations.ts";
import type { Organisation, StoredShift } from "../organisation.ts";
import { type Answer, type Call, isSuccess } from "./fault.ts";
import { organisationOf } from "./tenant.ts";

export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

export function shiftOf(call: Call): StoredShift | undefined {
  return organisationOf(call)?.shifts.get(call.path.shiftId ?? "");
}

type Change = (shift: StoredShift, before: StoredShift, organisation: Organisation, call: Call) => unknown;

/** Changes the stored shift after the handler; the response is the handler's. */
export function after(change: Change) {
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

/** Returns the times of a shift, an hour later. */
export function laterTimes({ startTime, endTime }: StoredShift) {
  const later = (time: string) => new Date(Date.parse(time) + HOUR_MS).toISOString();
  return { startTime: later(startTime), endTime: later(endTime) };
}
