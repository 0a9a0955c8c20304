import type { Job, JobStatus } from "../../../generated/operations/types.ts";

/** What of the jobs is shown; it is the query of the board's address, so that a link can be shared. */
export interface BoardFilter {
  providerId?: string;
  /** Unless given, everything that is not over. */
  status?: JobStatus;
}

const NOT_OVER = ["blocked_mapping", "open", "filled"] as const satisfies readonly JobStatus[];
export const STATUSES = [...NOT_OVER, "cancelled", "expired"] as const satisfies readonly JobStatus[];

/** Anything else in the query is left out. */
export function filterOf({ providerId, status }: Readonly<Record<string, string>>): BoardFilter {
  const known = STATUSES.find((each) => each === status);
  return { ...(providerId && { providerId }), ...(known && { status: known }) };
}

export function boardAddress({ providerId, status }: BoardFilter): string {
  const query = new URLSearchParams({ ...(providerId && { providerId }), ...(status && { status }) });
  return query.size === 0 ? "/console/" : `/console/?${query}`;
}

/** Which statuses are read: those for the figures at the top, and the one that was asked for. */
export function statusesToRead({ status }: BoardFilter): JobStatus[] {
  return [...new Set<JobStatus>([...NOT_OVER, ...(status ? [status] : [])])];
}

export function fits(job: Job, { providerId, status }: BoardFilter): boolean {
  if (providerId !== undefined && job.providerId !== providerId) return false;
  return status === undefined ? NOT_OVER.some((each) => each === job.status) : job.status === status;
}
