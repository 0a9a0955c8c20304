import { describe, expect, it } from "vitest";
import { belowFloor, floors } from "../../../scripts/bench/floors.ts";
import { goals, goalsMarkdown, isReached } from "../../../scripts/bench/goals.ts";
import { median, quantile, ratioOf } from "../../../scripts/bench/statistics.ts";
import { markdownOf, shown, shownRatio, textOf } from "../../../scripts/bench/table.ts";

const table = {
  title: "Speed",
  about: "Of two.",
  head: ["who", "a second"],
  rows: [
    { id: "own", cells: ["one | other", "12,345"] },
    { id: "bare", cells: ["bare", "7"] },
  ],
};

describe("a table of the benchmark", () => {
  it("prints as Markdown with an anchor for each row", () => {
    expect(markdownOf(table)).toBe(`### Speed

Of two.

| who | a second |
| --- | --- |
| <a id="own"></a>one \\| other | 12,345 |
| <a id="bare"></a>bare | 7 |
`);
  });

  it("prints as text in columns", () => {
    expect(textOf(table)).toBe("Speed\n  who          a second\n  one | other  12,345\n  bare         7");
  });

  it("shows three significant digits", () => {
    const values = [1234567.8, 123.4, 99.96, 12.34, 1.5, 0.01234, 0, Number.NaN];
    expect(values.map(shown)).toEqual(["1,234,568", "123", "100", "12.3", "1.5", "0.0123", "0", "-"]);
  });

  it("shows the spread of a ratio, if there is one", () => {
    expect(shownRatio({ ratio: 1.444, low: 1.3, high: 1.52 })).toBe("1.44 (1.30 to 1.52)");
    expect(shownRatio({ ratio: 1, low: 1, high: 1 })).toBe("1.00");
  });
});

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

describe("the statistics of the benchmark", () => {
  it("use the middle value, or the mean of the two middle values, in any order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 2])).toBe(3.5);
    expect(median([10, 9, 100, 8])).toBe(9.5);
    expect(median([7])).toBe(7);
    expect(() => median([])).toThrow("no values");
  });

  it("choose quantiles by the nearest rank", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0, 0.01, 0.5, 0.99, 1].map((q) => quantile(hundred, q))).toEqual([1, 1, 50, 99, 100]);
    expect(quantile([3, 4], 0.99)).toBe(4);
  });

  it("relate medians, with the least and the greatest ratio of one round", () => {
    expect(ratioOf([10, 30, 20], [10, 10, 40])).toEqual({ ratio: 2, low: 0.5, high: 3 });
    expect(() => ratioOf([1, 2], [1])).toThrow("round");
  });
});
