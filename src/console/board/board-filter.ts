import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { addressWith } from "../parts/address.ts";

/** Which jobs are shown. It is the query of the address, so that a link can be shared. */
export interface BoardFilter {
  providerId?: string;
  /** Without it, every job that is not over. */
  status?: JobStatus;
}

const NOT_OVER = ["blocked_mapping", "open", "filled"] as const satisfies readonly JobStatus[];
export const STATUSES = [...NOT_OVER, "cancelled", "expired"] as const satisfies readonly JobStatus[];

/** Ignores every other member of the query. */
export function filterOf({ providerId, status }: Readonly<Record<string, string>>): BoardFilter {
  const known = STATUSES.find((each) => each === status);
  return { ...(providerId && { providerId }), ...(known && { status: known }) };
}

export const boardAddress = (filter: BoardFilter): string => addressWith("/console/", filter);

/** Which statuses are read: those of the numbers at the top, and the one of the filter. */
export function statusesToRead({ status }: BoardFilter): JobStatus[] {
  return [...new Set<JobStatus>([...NOT_OVER, ...(status ? [status] : [])])];
}

export function fits(job: Job, { providerId, status }: BoardFilter): boolean {
  if (providerId !== undefined && job.providerId !== providerId) return false;
  return status === undefined ? NOT_OVER.some((each) => each === job.status) : job.status === status;
}
