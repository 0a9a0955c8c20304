import { describe, expect, it } from "vitest";
import { LATE_MUTANTS } from "../../scripts/simulate/mutants.ts";
import type { Edit, Schedule, Step } from "../../scripts/simulate/schedules.ts";
import { simulate } from "../../scripts/simulate/simulation.ts";
import { aSchedule } from "./simulate-schedule.ts";

const MINUTE_MS = 60_000;
const MOVED: Edit = { to: "move", byMs: 20 * MINUTE_MS };
const BACK: Edit = { to: "back", edits: 1 };

/** One known shift, whose manager makes these edits five minutes after the start. */
function schedule(edits: readonly [number, Edit][], faults: readonly Step[] = []): Schedule {
  const burst = edits.map(([seconds, edit]) => ({ afterMs: seconds * 1_000, edit }));
  return aSchedule({
    shifts: [{ startsInMs: 30 * 60 * MINUTE_MS, positions: 2, outlet: 0, isKnown: true }],
    actions: [
      ...faults.map((step) => ({ afterMs: 0, step })),
      { afterMs: 5 * MINUTE_MS, step: { do: "burst", shift: 0, edits: burst } },
      { afterMs: 10 * MINUTE_MS, step: { do: "rotate" } },
    ],
  });
}

const lags = (lagMs: number, replicas: 1 | 2 | 3 = 1): Step => ({
  do: "window",
  kind: "lag",
  lagMs,
  replicas,
  forMs: 60 * MINUTE_MS,
});

describe("the property of timeliness", () => {
  it.each(Object.entries(LATE_MUTANTS))("finds a change shown late by a plan that %s", (_, plan) => {
    const { violations } = simulate(schedule([[1, MOVED]], [lags(500)]), { plan });
    expect(violations).toEqual([
      expect.stringMatching(
        /^seed 1: s0 changed at 05T06:05:02.000 from .* to .*, was visible everywhere at 05T06:05:02.500, the last notice came at .*, and at .*, the deadline, the job shows /,
      ),
    ]);
  });

  it.each<[string, [number, Edit][]]>([
    ["one edit", [[1, MOVED]]],
    [
      "two edits seven seconds apart",
      [
        [1, MOVED],
        [7, MOVED],
      ],
    ],
    [
      "an edit and its undoing",
      [
        [1, MOVED],
        [4, BACK],
      ],
    ],
    [
      "four edits two seconds apart",
      [
        [1, MOVED],
        [2, MOVED],
        [2, MOVED],
        [2, MOVED],
      ],
    ],
  ])("holds after %s while the replica lags by half a second", (_, edits) => {
    const { violations, judged } = simulate(schedule(edits, [lags(500)]));
    expect(violations).toEqual([]);
    expect(judged.get("judged_lagging")).toBeGreaterThan(0);
  });

  it("judges the edits that are not replaced before their deadline, and the first publication", () => {
    const edits: [number, Edit][] = [
      [1, MOVED],
      [0.2, MOVED],
      [300, BACK],
    ];
    expect([...simulate(schedule(edits)).judged]).toEqual([
      ["judged", 3],
      ["changed_again", 1],
    ]);
  });

  it.each<[string, Step]>([
    ["lost_notice", { do: "webhooks", faults: [{ kind: "lost" }], eachMs: 20 * MINUTE_MS }],
    ["failing", { do: "window", kind: "down", forMs: 20 * MINUTE_MS }],
    ["paused", { do: "suspend" }],
  ])("leaves out a change whose reason is %s", (reason, step) => {
    const { violations, judged } = simulate(schedule([[1, MOVED]], [step]));
    expect(violations).toEqual([]);
    expect(judged.get(reason as never)).toBeGreaterThan(0);
  });
});
