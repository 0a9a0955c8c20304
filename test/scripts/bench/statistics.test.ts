import { describe, expect, it } from "vitest";
import { median, quantile, ratioOf } from "../../../scripts/bench/statistics.ts";

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
