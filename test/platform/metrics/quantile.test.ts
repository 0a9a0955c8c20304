import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantileOf } from "../../../src/platform/metrics/quantile.ts";

const EDGES = [1, 2, 4];

/** The quantile, the counts of up to 1, 2, 4 and more, and what comes out. */
const CASES: [quantile: number, counts: number[], value: number | undefined][] = [
  [0.5, [0, 0, 0, 0], undefined],
  [0.5, [10, 0, 0, 0], 0.5],
  [0.99, [100, 0, 0, 0], 0.99],
  [0.5, [0, 10, 0, 0], 1.5],
  // On an edge: half are in the first bucket.
  [0.5, [5, 5, 0, 0], 1],
  [0.6, [5, 5, 0, 0], 1.2],
  // Empty buckets between are passed over.
  [0.75, [2, 0, 2, 0], 3],
  [1, [1, 1, 1, 0], 4],
  // It is unknown how slow the slowest were.
  [0.5, [0, 0, 0, 3], 4],
  [0.99, [97, 1, 1, 1], 4],
  [1, [97, 1, 1, 1], 4],
];

describe("a quantile of a histogram", () => {
  it.each(CASES)("%d of %j is %d", (quantile, counts, value) => {
    const found = quantileOf(quantile, counts, EDGES);
    if (value === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(value, 9);
  });

  it("stays within the histogram, and never falls as the share grows", () => {
    const shares = fc.tuple(
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
    );
    const counts = fc
      .array(fc.nat(1_000), { minLength: 4, maxLength: 4 })
      .filter((each) => each.some(Boolean));
    fc.assert(
      fc.property(shares, counts, (pair, histogram) => {
        const [low = 0, high = 0] = pair
          .toSorted((one, other) => one - other)
          .map((share) => quantileOf(share, histogram, EDGES) ?? Number.NaN);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(high + 1e-9);
        expect(high).toBeLessThanOrEqual(4);
      }),
    );
  });
});
