import { describe, expect, it } from "vitest";
import { BELIEVE_MUTANTS, GONE_RETURNS, releasingEmptied } from "../../scripts/simulate/mutants.ts";
import type { Planner } from "../../scripts/simulate/runs.ts";
import type { Action, Schedule, Step } from "../../scripts/simulate/schedules.ts";
import { simulate } from "../../scripts/simulate/simulation.ts";
import { aSchedule } from "./simulate-schedule.ts";

// Schedules of their own for what random ones meet too rarely.

function schedule(shifts: number, candidates: number, actions: Action[]): Schedule {
  const spec = { startsInMs: 108_000_000, positions: 3, outlet: 0, isKnown: true };
  return aSchedule({ shifts: Array(shifts).fill(spec), candidates, known: candidates, actions });
}

const at = (afterMs: number, step: Step): Action => ({ afterMs, step });
const accept = (candidate: number) => at(1_000, { do: "accept", shift: 0, candidate });
describe("a schedule of its own", () => {
  const nine = Array.from({ length: 9 }, (_, index) => index);
  const gone = schedule(9, 1, [
    at(120_000, { do: "window", kind: "lag", lagMs: 20_000, replicas: 2, forMs: 60_000 }),
    at(20, { do: "webhooks", faults: [{ kind: "delayed", delayMs: 2_000 }], eachMs: 190 }),
    ...nine.map((shift) => at(20, { do: "move", shift, byMs: 900_000 })),
    ...nine.map((shift) => at(20, { do: "delete", shift })),
    at(60_000, { do: "return" }),
  ]);
  const emptied = schedule(1, 3, [
    ...[0, 1, 2].map(accept),
    at(900_000, { do: "window", kind: "empty_lists", forMs: 600_000 }),
    at(1_000, { do: "announce", shift: 0, count: 2, eachMs: 200_000 }),
  ]);
  it.each<[string, Planner, Schedule, string]>([
    [GONE_RETURNS, BELIEVE_MUTANTS[GONE_RETURNS] as Planner, gone, "has a job again, although it is gone"],
    ["releases people whom an empty list lacks", releasingEmptied, emptied, "whose list was suddenly empty"],
  ])("finds a counterexample to a plan that %s", (_, mutant, own, violation) => {
    expect(simulate(own).violations).toEqual([]);
    expect(simulate(own, { plan: mutant }).violations).toContainEqual(expect.stringContaining(violation));
  });
});
