import type { JobStatus } from "../db/schema.ts";

export interface StatusFacts {
  isMapped: boolean;
  /** Milliseconds since 1970. */
  startTime: number;
  positions: number;
  /** Bookings that hold a seat, and people whom the provider assigned itself. */
  taken: number;
}

/** The status of a job that is not cancelled follows from its facts (decisions, "shift status"). */
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

/** What a booked person has to know: other times, another outlet, another role. */
export function isMaterialChange(before: MaterialFacts, after: MaterialFacts): boolean {
  return (
    before.startTime !== after.startTime ||
    before.endTime !== after.endTime ||
    before.outletId !== after.outletId ||
    before.roleId !== after.roleId
  );
}
