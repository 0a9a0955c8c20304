import type { SimulatedSystem } from "./system.ts";

/** What a schedule led to, in words that do not depend on how the plan works: two plans are compared by it. Each line is one fact. */
export interface RunRecord {
  violations: readonly string[];
  jobs: string[];
  bookings: string[];
  issues: string[];
  /** Calls that change something at the provider, in their order. */
  calls: string[];
  /** In their order. */
  notifications: string[];
}

export const PARTS = ["violations", "jobs", "bookings", "issues", "calls", "notifications"] as const;

/** Returns the record of a simulation that has ended. */
export function recordOf({ store, network, invariants }: SimulatedSystem): RunRecord {
  const jobs = [...store.jobs.values()].map((job) => {
    const facts = [job.outletId, job.roleId, `${job.positions} positions`, `${job.ownPeopleCount} own`];
    const cancelled = job.cancelledBy ? `by ${job.cancelledBy}` : "";
    return [job.shiftId, job.status, cancelled, ...times(job), ...facts].join(" ");
  });
  const bookings = store.bookings.map(({ shiftId, candidateId, status, reason }) =>
    [shiftId, candidateId, status, reason ?? ""].join(" "),
  );
  const issues = store.issues.flatMap(({ code, subject, isOpen }) => (isOpen ? [`${code} ${subject}`] : []));
  const notifications = store.notifications.map(({ shiftId, candidateId, kind, reason, ...row }) =>
    [candidateId, kind, shiftId, ...times(row), reason ?? ""].join(" "),
  );
  const { violations } = invariants;
  return {
    violations,
    jobs: jobs.sort(),
    bookings: bookings.sort(),
    issues: issues.sort(),
    calls: network.changes,
    notifications,
  };
}

const times = ({ startTime, endTime }: { startTime: number; endTime: number }): string[] =>
  [startTime, endTime].map((time) => new Date(time).toISOString().slice(5, 23));
