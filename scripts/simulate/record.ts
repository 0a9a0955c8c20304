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

const PARTS = ["violations", "jobs", "bookings", "issues", "calls", "notifications"] as const;

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

const SHOWN = 20;

/** Compares the records of two plans, one schedule a line. Yields the lines of a report: counts, and the first schedules that differ. */
export function* compare(before: readonly string[], after: readonly string[]): Generator<string> {
  const counts = new Map<string, number>();
  const differing: string[][] = [];
  const both = Math.min(before.length, after.length);
  for (let index = 0; index < both; index += 1) {
    if (before[index] === after[index]) continue;
    const one = JSON.parse(before[index] ?? "") as RunRecord;
    const other = JSON.parse(after[index] ?? "") as RunRecord;
    const lines = PARTS.flatMap((part) => {
      const [kind, differences] = differencesOf(one[part], other[part]);
      if (kind) counts.set(`${part}: ${kind}`, (counts.get(`${part}: ${kind}`) ?? 0) + 1);
      return differences.map((line) => `  ${part.padEnd(14)}${line}`);
    });
    differing.push([`schedule ${index + 1}`, ...lines]);
  }
  yield `${both} schedules in both, ${differing.length} differ`;
  for (const [kind, count] of [...counts].sort()) yield `  ${kind} in ${count}`;
  for (const lines of differing.slice(0, SHOWN)) yield* ["", ...lines];
  if (differing.length > SHOWN) yield `\nand ${differing.length - SHOWN} more schedules`;
}

/** Returns the kind of the difference, if any, and what only one of the lists has. */
function differencesOf(one: readonly string[], other: readonly string[]): [string | undefined, string[]] {
  if (one.join("\n") === other.join("\n")) return [undefined, []];
  const removed = without(one, other).map((line) => `- ${line}`);
  const added = without(other, one).map((line) => `+ ${line}`);
  if (removed.length + added.length === 0) return ["another order", ["in another order"]];
  return ["other content", [...removed, ...added]];
}

/** Returns the lines without those of the other list, each as often as it is there. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
