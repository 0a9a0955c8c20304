import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BELIEVE_MUTANTS, GONE_RETURNS, releasingEmptied } from "../../scripts/simulate/mutants.ts";
import { drawsFrom } from "../../scripts/simulate/random.ts";
import { compare, type RunRecord } from "../../scripts/simulate/record.ts";
import type { Planner } from "../../scripts/simulate/runs.ts";
import { type Action, type Schedule, type Step, schedules } from "../../scripts/simulate/schedules.ts";
import { simulate } from "../../scripts/simulate/simulation.ts";
import { plan } from "../../src/platform/shifts/plan/plan.ts";
import { aSchedule } from "./simulate-schedule.ts";

/** Steps whose course does not depend on what the platform has done. */
const FREE: Step["do"][] = [
  "burst",
  "announce",
  "move",
  "resize",
  "move_outlet",
  "publish",
  "webhooks",
  "window",
  "faults",
];

/** Reads shifts once more after every other reading. */
function readingMore(): Planner {
  let isAgain = false;
  return (state, run, now, rules) => {
    const planned = plan(state, run, now, rules);
    if (run.reading?.outcome.kind !== "shift" || planned.next.do !== "rest") return planned;
    isAgain = !isAgain;
    return isAgain ? { ...planned, next: { do: "read", traceId: "again" } } : planned;
  };
}

describe("the draws of the simulator", () => {
  it("depend on the seed, the kind, the subject and the time alone", () => {
    let now = 1;
    const draw = drawsFrom(7, () => now);
    const first = draw("delay", "s0");
    draw("delay", "s1");
    expect(draw("delay", "s0")).toBe(first);
    const others = [draw("delay", "s1"), draw("jitter", "s0"), drawsFrom(8, () => now)("delay", "s0")];
    now = 2;
    expect(new Set([first, ...others, draw("delay", "s0")]).size).toBe(5);
  });

  it("give a plan with more calls the same edits and the same notices of them", () => {
    const isOfWorld = (line: string) => / provider {2}(edits|sends) /.test(line);
    const isFree = ({ step }: Action) => FREE.includes(step.do);
    for (const schedule of fc.sample(schedules(), { seed: 3, numRuns: 60 })) {
      const dialect = { ...schedule.dialect, echoes: false };
      const actions = schedule.actions.filter(isFree);
      const [once, twice] = [plan, readingMore()].map((each) => {
        const options = { plan: each, isLogged: true };
        const { lines, violations } = simulate({ ...schedule, dialect, actions }, options);
        expect(violations).toEqual([]);
        return lines.filter(isOfWorld);
      });
      expect(twice).toEqual(once);
    }
  });
});

describe("the comparison of two plans", () => {
  const record: RunRecord = {
    violations: [],
    jobs: ["s0 open"],
    bookings: [],
    issues: [],
    calls: ["assign p0 on s0", "unassign p0 on s0"],
    notifications: [],
  };
  const lines = (...records: RunRecord[]) => records.map((each) => JSON.stringify(each));

  it("finds no difference between equal records", () => {
    expect([...compare(lines(record), lines(record))]).toEqual(["1 schedules in both, 0 differ"]);
  });

  it("lists what only one plan led to, and shows apart what only the order distinguishes", () => {
    const other = { ...record, jobs: ["s0 filled"], calls: record.calls.toReversed() };
    expect([...compare(lines(record, record), lines(record, other))]).toEqual([
      "2 schedules in both, 1 differ",
      "  calls: another order in 1",
      "  jobs: other content in 1",
      "",
      "schedule 2",
      "  jobs          - s0 open",
      "  jobs          + s0 filled",
      "  calls         in another order",
    ]);
  });
});

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
