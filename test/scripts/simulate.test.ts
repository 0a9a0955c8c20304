import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs, states } from "../../scripts/simulate/any-state.ts";
import { type CheckOptions, check } from "../../scripts/simulate/check.ts";
import { believesLateReplica, MUTANTS } from "../../scripts/simulate/mutants.ts";
import { reportOf } from "../../scripts/simulate/report.ts";
import { RULES } from "../../scripts/simulate/runs.ts";
import type { Step } from "../../scripts/simulate/schedule.ts";
import { schedules } from "../../scripts/simulate/schedules.ts";
import { simulate } from "../../scripts/simulate/simulation.ts";
import { START } from "../../scripts/simulate/system.ts";
import { plan } from "../../src/platform/shifts/plan.ts";
import { aSchedule } from "./simulate-schedule.ts";

/** `SIMULATE_SEED=... npx vitest run test/scripts/simulate.test.ts` does the same again. */
const SEED = Number(process.env.SIMULATE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const SCHEDULES = Number(process.env.SIMULATE_SCHEDULES ?? 1_000);
/** Enough to find what each rule prevents, with this seed. */
const MUTATED = { seed: 3, count: 1_000, isRaw: true } as const;

function explained(options: CheckOptions): string {
  const { counterexample, schedules: done } = check(options);
  const command = `npm run simulate -- --schedules ${options.count} --seed ${options.seed}`;
  return counterexample ? reportOf(counterexample, { isColoured: false, command, schedules: done }) : "";
}

describe("the simulator", () => {
  it(`finds that both sides agree in ${SCHEDULES} random schedules (SIMULATE_SEED=${SEED})`, () => {
    expect(explained({ seed: SEED, count: SCHEDULES })).toBe("");
  });

  it.each(Object.entries(MUTANTS))("finds a counterexample to a plan that %s", (_, mutant) => {
    expect(explained({ ...MUTATED, plan: mutant })).toContain("violated: ");
  });

  it("finds that a plan believes a replica which shows a deleted shift once more", () => {
    const shifts = Array.from({ length: 9 }, (_, index) => index);
    const soon = (step: Step) => ({ afterMs: 20, step });
    const schedule = aSchedule({
      shifts: shifts.map(() => ({ startsInMs: 36_000_000, positions: 1, outlet: 0, isKnown: true })),
      actions: [
        { afterMs: 120_000, step: { do: "window", kind: "lag", lagMs: 20_000, replicas: 2, forMs: 60_000 } },
        soon({ do: "webhooks", faults: [{ kind: "delayed", delayMs: 2_000 }], eachMs: 190 }),
        ...shifts.map((shift) => soon({ do: "move", shift, byMs: 900_000 })),
        ...shifts.map((shift) => soon({ do: "delete", shift })),
        { afterMs: 60_000, step: { do: "return" } },
      ],
    });
    expect(simulate(schedule, {}).violations).toEqual([]);
    const again = expect.stringContaining("has a job again, although it is gone");
    expect(simulate(schedule, { plan: believesLateReplica }).violations).toContainEqual(again);
  });

  it("repeats a schedule exactly, and describes it line by line", () => {
    const [schedule] = fc.sample(schedules(), { seed: 7, numRuns: 1 });
    if (!schedule) throw new Error("no schedule was made");
    const { lines } = simulate(schedule, { isLogged: true });
    expect(lines.length).toBeGreaterThan(10);
    expect(simulate(schedule, { isLogged: true }).lines).toEqual(lines);
  });
});

describe("the plan", () => {
  it(`throws for no state (SIMULATE_SEED=${SEED})`, () => {
    const property = fc.property(states, runs, (state, run) => {
      expect(plan(state, run, START, RULES)).toHaveProperty("next");
    });
    fc.assert(property, { seed: SEED, numRuns: 3_000 });
  });

  it(`leaves its arguments as they are (SIMULATE_SEED=${SEED})`, () => {
    const property = fc.property(states, runs, (state, run) => {
      const before = structuredClone(state);
      plan(state, run, START, RULES);
      expect(state).toEqual(before);
    });
    fc.assert(property, { seed: SEED, numRuns: 300 });
  });
});
