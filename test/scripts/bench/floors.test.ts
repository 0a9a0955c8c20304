import { describe, expect, it } from "vitest";
import { belowFloor, floors } from "../../../scripts/bench/floors.ts";
import { goals, goalsMarkdown, isReached } from "../../../scripts/bench/goals.ts";

const speed = { figure: "stub.speed.ratio", what: "speed", least: 0.5 };

describe("a floor", () => {
  it("reports each ratio below it", () => {
    const below = (ratio: number) => belowFloor({ "stub.speed.ratio": ratio }, ["stub"], [speed]);
    expect(below(0.5)).toEqual([]);
    expect(below(0.49)).toEqual(["stub.speed.ratio is 0.49, below its floor 0.5: speed"]);
    expect(below(Number.NaN)).toHaveLength(1);
  });

  it("reports a ratio that its section did not measure, and ignores other sections", () => {
    expect(belowFloor({}, ["stub"], [speed])).toEqual(["stub.speed.ratio was not measured: speed"]);
    expect(belowFloor({}, ["kit"], [speed])).toEqual([]);
  });

  it("applies to a ratio, never to a time", () => {
    expect(floors.map(({ figure }) => figure).filter((figure) => !figure.endsWith(".ratio"))).toEqual([]);
    expect(new Set(floors.map(({ figure }) => figure)).size).toBe(floors.length);
  });
});

const [reading] = goals.filter(({ figure }) => figure === "stub.read.cpu");
const [stored] = goals.filter(({ figure }) => figure === "acknowledgement.postgres.ratio");

describe("a goal", () => {
  it("compares in the right direction", () => {
    if (!reading || !stored) throw new Error("a goal is missing");
    expect([1.19, 1.2, 1.21].map((cpu) => isReached(reading, cpu))).toEqual([true, true, false]);
    expect([0.99, 1, 1.01].map((ratio) => isReached(stored, ratio))).toEqual([false, true, true]);
  });

  it("shows the reached part of the target, and links to its row", () => {
    const text = goalsMarkdown({ "acknowledgement.postgres.ratio": 0.4, "stub.read.cpu": 1.1 });
    expect(text).toContain(
      "(#acknowledgement-postgres-shiftpact) | at least 1 | 0.4  | missed: 40 % of the target |",
    );
    expect(text).toContain("(#stub-read-stub) | at most 1.2 | 1.1  | reached |");
  });
});
