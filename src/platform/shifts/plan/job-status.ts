import type { JobStatus } from "../../../../generated/operations/types.ts";
import { wholeMinute } from "../../../contract/durations.ts";

export interface StatusFacts {
  isMapped: boolean;
  /** Milliseconds since 1970. */
  startTime: number;
  positions: number;
  /** Bookings that hold a seat, plus people assigned by the provider. */
  taken: number;
}

/** Returns the status of a job that is not cancelled (decisions, "shift status"). */
export function jobStatus({ isMapped, startTime, positions, taken }: StatusFacts, now: number): JobStatus {
  if (startTime <= now) return "expired";
  if (!isMapped) return "blocked_mapping";
  return taken >= positions ? "filled" : "open";
}

interface MaterialFacts {
  startTime: number;
  endTime: number;
  outletId: string;
  roleId: string;
}

/** Whether the times as people read them, the outlet, or the role changed, which booked people have to know. */
export function isMaterialChange(before: MaterialFacts, after: MaterialFacts): boolean {
  return (
    wholeMinute(before.startTime) !== wholeMinute(after.startTime) ||
    wholeMinute(before.endTime) !== wholeMinute(after.endTime) ||
    before.outletId !== after.outletId ||
    before.roleId !== after.roleId
  );
}
