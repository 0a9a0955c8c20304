import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { anyText, type Filter, oneOf } from "../components/filter.ts";
import { dayKey, longDay } from "../components/times.ts";

const ACTIVE = ["blocked_mapping", "open", "filled"] as const satisfies readonly JobStatus[];
export const STATUSES = [...ACTIVE, "cancelled", "expired"] as const satisfies readonly JobStatus[];

/** Without a status, the list has the active jobs. */
export const JOB_FILTER = { providerId: anyText, status: oneOf(STATUSES) };
export type JobFilter = Filter<typeof JOB_FILTER>;

/** The statuses to read: those that the page counts, and the one of the filter. */
export function statusesToRead({ status }: JobFilter): JobStatus[] {
  return [...new Set<JobStatus>([...ACTIVE, ...(status ? [status] : [])])];
}

export function matches(job: Job, { providerId, status }: JobFilter): boolean {
  if (providerId !== undefined && job.providerId !== providerId) return false;
  return status === undefined ? ACTIVE.some((each) => each === job.status) : job.status === status;
}

export interface Day {
  /** `Sunday 22 November 2026`. */
  name: string;
  jobs: Job[];
}

/** The jobs by the day on which they start at the workplace, in order of start time. */
export function byDay(jobs: Iterable<Job>, zoneOf: (job: Job) => string | undefined): Day[] {
  const inOrder = [...jobs].sort(
    (one, other) => compare(one.startTime, other.startTime) || compare(one.jobId, other.jobId),
  );
  const days = Map.groupBy(inOrder, (job) => dayKey(job.startTime, zoneOf(job)));
  return [...days]
    .sort(([one], [other]) => compare(one, other))
    .map(([, ofDay]) => ({ name: nameOf(ofDay[0] as Job, zoneOf), jobs: ofDay }));
}

const nameOf = (job: Job, zoneOf: (job: Job) => string | undefined) => longDay(job.startTime, zoneOf(job));

/** By code unit: several times as fast as by the rules of a language. */
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
