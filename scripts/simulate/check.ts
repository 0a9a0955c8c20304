import fc from "fast-check";
import { AllowedCounts } from "./allowed.ts";
import type { Planner } from "./runs.ts";
import { type Schedule, schedules } from "./schedules.ts";
import { type Outcome, simulate } from "./simulation.ts";
import type { Judged } from "./timeliness.ts";

export interface CheckOptions {
  seed: number;
  count: number;
  plan?: Planner;
  /** Called after each schedule with their number so far. */
  onRun?: (done: number, outcome: Outcome) => void;
  /** Whether each outcome has a record, to compare it with that of another plan. */
  isRecorded?: boolean;
  /** Counts all schedules that violate a property, and goes on. */
  isCounting?: boolean;
  /** Skips the reduction of the counterexample. */
  isRaw?: boolean;
}

export interface Counterexample {
  schedule: Schedule;
  violations: readonly string[];
  /** One line for each event and call. */
  lines: readonly string[];
}

export interface CheckReport {
  schedules: number;
  allowed: AllowedCounts;
  /** How many changes were judged by their time, and how many were left out for each reason. */
  judged: ReadonlyMap<Judged, number>;
  /** The violations of each schedule that has some, by its number. */
  failing: ReadonlyMap<number, readonly string[]>;
  counterexample?: Counterexample;
}

/** Simulates random schedules from the seed, and reduces the first that violates a property. */
export function check(options: CheckOptions): CheckReport {
  const { seed, count, plan, onRun, isRecorded = false } = options;
  const allowed = new AllowedCounts();
  const judged = new Map<Judged, number>();
  const failing = new Map<number, readonly string[]>();
  const how = { isRecorded, ...(plan && { plan }) };
  let done = 0;
  /** A counterexample was found: later runs reduce it. */
  let isReduced = false;
  const property = fc.property(schedules(), (schedule) => {
    const outcome = simulate(schedule, how);
    const isViolated = outcome.violations.length > 0;
    if (!isReduced) {
      allowed.add(outcome.allowed);
      for (const [as, times] of outcome.judged) judged.set(as, (judged.get(as) ?? 0) + times);
      done += 1;
      if (isViolated) failing.set(done, outcome.violations);
      onRun?.(done, outcome);
    }
    if (options.isCounting) return true;
    isReduced ||= isViolated;
    return !isViolated;
  });
  const details = fc.check(property, { seed, numRuns: count, endOnFailure: options.isRaw ?? false });
  const [schedule] = details.counterexample ?? [];
  const report = { schedules: done, allowed, judged, failing };
  if (!schedule) return report;
  const { violations, lines } = simulate(schedule, { ...how, isLogged: true });
  return { ...report, counterexample: { schedule, violations, lines } };
}
