import type { JobStatus } from "../db/schema.ts";

export interface JobFacts {
  isCancelled: boolean;
  isMapped: boolean;
  startTime: Date;
  positions: number;
  /** Pending and confirmed bookings. */
  booked: number;
}

/** The status of a job follows from its facts (DECISIONS, "shift status"); only `cancelled` is final. */
export function jobStatus(facts: JobFacts, now: Date): JobStatus {
  if (facts.isCancelled) return "cancelled";
  if (facts.startTime <= now) return "expired";
  if (!facts.isMapped) return "blocked_mapping";
  return facts.booked >= facts.positions ? "filled" : "open";
}

export interface MaterialFacts {
  start_time: Date;
  end_time: Date;
  outlet_id: string;
  role_id: string;
}

/** What a booked person has to know of: other times, another place, another role. */
export function isMaterialChange(before: MaterialFacts, after: MaterialFacts): boolean {
  return (
    before.start_time.getTime() !== after.start_time.getTime() ||
    before.end_time.getTime() !== after.end_time.getTime() ||
    before.outlet_id !== after.outlet_id ||
    before.role_id !== after.role_id
  );
}
