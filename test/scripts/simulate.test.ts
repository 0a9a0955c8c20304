import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CheckOptions, check } from "../../scripts/simulate/check.ts";
import { BELIEVE_MUTANTS, MUTANTS } from "../../scripts/simulate/mutants.ts";
import { reportOf } from "../../scripts/simulate/report.ts";
import { schedules } from "../../scripts/simulate/schedules.ts";
import { simulate } from "../../scripts/simulate/simulation.ts";

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

  it.each(Object.entries(BELIEVE_MUTANTS))("finds a counterexample to a plan that %s", (_, mutant) => {
    expect(explained({ ...MUTATED, plan: mutant })).toContain("violated: ");
  });

  it("repeats a schedule exactly, and describes it line by line", () => {
    const [schedule] = fc.sample(schedules(), { seed: 7, numRuns: 1 });
    if (!schedule) throw new Error("no schedule was made");
    const { lines } = simulate(schedule, { isLogged: true });
    expect(lines.length).toBeGreaterThan(10);
    expect(simulate(schedule, { isLogged: true }).lines).toEqual(lines);
  });
});
