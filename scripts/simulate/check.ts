import fc from "fast-check";
import { Excuses } from "./excuses.ts";
import type { Planner } from "./runs.ts";
import { type Schedule, schedules } from "./schedule.ts";
import { simulate } from "./simulation.ts";

export interface CheckOptions {
  seed: number;
  count: number;
  plan?: Planner;
  /** Called after each schedule with how many were run. */
  onRun?: (done: number) => void;
  /** Do not look for a smaller counterexample. */
  isRaw?: boolean;
}

export interface Counterexample {
  schedule: Schedule;
  violations: readonly string[];
  /** One for each event and call. */
  lines: readonly string[];
}

export interface CheckReport {
  schedules: number;
  excuses: Excuses;
  counterexample?: Counterexample;
}

/** Simulates so many schedules made from the seed, and reduces the first that violates a property. */
export function check({ seed, count, plan, onRun, isRaw = false }: CheckOptions): CheckReport {
  const excuses = new Excuses();
  const options = plan ? { plan } : {};
  let done = 0;
  /** A counterexample was found: what is run from then on reduces it. */
  let isReduced = false;
  const property = fc.property(schedules(), (schedule) => {
    const outcome = simulate(schedule, options);
    if (!isReduced) {
      excuses.add(outcome.excuses);
      done += 1;
      onRun?.(done);
    }
    isReduced ||= outcome.violations.length > 0;
    return outcome.violations.length === 0;
  });
  const details = fc.check(property, { seed, numRuns: count, endOnFailure: isRaw });
  const [schedule] = details.counterexample ?? [];
  if (!schedule) return { schedules: done, excuses };
  const { violations, lines } = simulate(schedule, { ...options, isLogged: true });
  return { schedules: done, excuses, counterexample: { schedule, violations, lines } };
}
