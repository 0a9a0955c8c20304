import fc from "fast-check";
import { AllowedCounts } from "./allowed.ts";
import type { Planner } from "./runs.ts";
import { type Schedule, schedules } from "./schedule.ts";
import { simulate } from "./simulation.ts";

export interface CheckOptions {
  seed: number;
  count: number;
  plan?: Planner;
  /** Called after each schedule with their number so far. */
  onRun?: (done: number) => void;
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
  counterexample?: Counterexample;
}

/** Simulates random schedules from the seed, and reduces the first that violates a property. */
export function check({ seed, count, plan, onRun, isRaw = false }: CheckOptions): CheckReport {
  const allowed = new AllowedCounts();
  const options = plan ? { plan } : {};
  let done = 0;
  /** A counterexample was found: later runs reduce it. */
  let isReduced = false;
  const property = fc.property(schedules(), (schedule) => {
    const outcome = simulate(schedule, options);
    if (!isReduced) {
      allowed.add(outcome.allowed);
      done += 1;
      onRun?.(done);
    }
    isReduced ||= outcome.violations.length > 0;
    return outcome.violations.length === 0;
  });
  const details = fc.check(property, { seed, numRuns: count, endOnFailure: isRaw });
  const [schedule] = details.counterexample ?? [];
  if (!schedule) return { schedules: done, allowed };
  const { violations, lines } = simulate(schedule, { ...options, isLogged: true });
  return { schedules: done, allowed, counterexample: { schedule, violations, lines } };
}
