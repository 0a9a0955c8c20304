import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StatisticsStep } from "../../generated/operations/types.ts";
import { chartsOf, isQuiet } from "../../src/console/figures/chart.ts";
import { roundTicks } from "../../src/console/figures/count-axis.ts";
import { geometryOf } from "../../src/console/figures/geometry.ts";
import { linePath } from "../../src/console/figures/line-path.ts";
import { rangeOf } from "../../src/console/figures/range.ts";
import { stepInWords } from "../../src/console/figures/step-words.ts";
import { timeTicks } from "../../src/console/figures/time-axis.ts";

describe("the axis of values", () => {
  it.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [20, [0, 5, 10, 15, 20]],
    [57, [0, 20, 40, 60]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [8.2, [0, 5, 10]],
  ])("up to %d has round ticks", (largest, ticks) => {
    expect(roundTicks(largest)).toEqual(ticks);
  });

  it("counts whole things in whole steps", () => {
    expect(roundTicks(1, { whole: true })).toEqual([0, 1]);
    expect(roundTicks(2, { whole: true })).toEqual([0, 1, 2]);
  });

  it("reaches every value with few, equal and round steps", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (largest) => {
        const ticks = roundTicks(largest);
        const step = ticks[1] ?? 0;
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest * (1 - 1e-9));
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect([1, 2, 5]).toContain(Math.round(step / 10 ** Math.floor(Math.log10(step) + 1e-9)));
      }),
    );
  });
});

describe("the axis of time", () => {
  const HOUR_MS = 3_600_000;
  // A spring day on which many clocks are put forward.
  const from = new Date(2026, 2, 29, 0, 20).getTime();

  it.each([1, 24, 7 * 24])("has ticks at round times of the clock within %d hours", (hours) => {
    const ticks = timeTicks(from, from + hours * HOUR_MS, 8);
    expect(ticks.length).toBeGreaterThan(2);
    expect(ticks.length).toBeLessThanOrEqual(9);
    expect(ticks.every(({ at }) => at >= from && at <= from + hours * HOUR_MS)).toBe(true);
    expect(ticks.every(({ at }) => new Date(at).getMinutes() % 10 === 0)).toBe(true);
  });

  it("names midnights by their day and other times by the clock", () => {
    const labels = timeTicks(from, from + 30 * HOUR_MS, 3).map(({ label }) => label);
    expect(labels).toEqual(["12:00", "Mon 30"]);
  });
});

describe("a line", () => {
  it("has gaps where there is no value, and dots for points without neighbours", () => {
    const points = [
      { x: 0, y: 1 },
      { x: 1, y: 2 },
      undefined,
      { x: 3, y: 4 },
      undefined,
      { x: 5, y: 6 },
      { x: 6, y: 7.25 },
    ];
    expect(linePath(points)).toEqual({ path: "M0 1L1 2M5 6L6 7.3", dots: [{ x: 3, y: 4 }] });
    expect(linePath([undefined])).toEqual({ path: "", dots: [] });
  });
});

const step = (minute: number, rest: Partial<StatisticsStep> = {}): StatisticsStep => ({
  at: new Date(2026, 10, 21, 14, minute).toISOString(),
  ...{ acknowledged: 0, refused: 0, providerCalls: 0, providerFailures: 0 },
  ...rest,
});

const steps = [
  step(0, { acknowledged: 3, acknowledgementMedianMs: 4.21, acknowledgementP99Ms: 12.4, providerCalls: 4 }),
  step(1, { refused: 2, providerCalls: 6, providerFailures: 5 }),
];
const statistics = { stepMinutes: 1, steps, providers: [] };

describe("the charts", () => {
  it("say in a sentence what they show", () => {
    expect(chartsOf(statistics).map(({ summary }) => summary)).toEqual([
      "The slowest step has a 99th percentile of 12 ms. The contract allows 500 ms.",
      "3 acknowledged, 2 refused.",
      "10 calls, of which 5 failed: no answer, a status of 5xx or 429.",
    ]);
  });

  it("tell the values of a step, and that there is none", () => {
    const [latency, webhooks, calls] = chartsOf(statistics);
    const [first, second] = steps;
    if (!latency || !webhooks || !calls || !first || !second) throw new Error("a chart or a step is missing");
    expect(stepInWords(first, 1, latency)).toBe("Sat 21 Nov 14:00: Median 4.2 ms, 99th percentile 12 ms");
    expect(stepInWords(second, 1, latency)).toBe("Sat 21 Nov 14:01: Median none, 99th percentile none");
    expect(stepInWords(second, 8, webhooks)).toBe("Sat 21 Nov 14:01 to 14:09: Acknowledged 0, Refused 2");
    expect(stepInWords(second, 1, calls)).toBe("Sat 21 Nov 14:01: Answered 1, Failed 5");
  });

  it("have room for what stands on one another", () => {
    const calls = chartsOf(statistics)[2];
    if (!calls) throw new Error("a chart is missing");
    const { valueTicks, yOf, bottom, top, xOf, left, right } = geometryOf(calls, statistics, 400);
    expect(valueTicks.at(-1)).toBe(6);
    expect([yOf(0), yOf(6)]).toEqual([bottom, top]);
    expect(xOf(0) - left).toBeCloseTo(right - xOf(1));
  });

  it("know when nothing happened", () => {
    expect(isQuiet(statistics)).toBe(false);
    expect(isQuiet({ ...statistics, steps: [step(0)] })).toBe(true);
  });
});

describe("the range", () => {
  it("is the one that the address names, the last hour otherwise", () => {
    expect(rangeOf({ minutes: "10080" }).name).toBe("Last 7 days");
    expect(rangeOf({ minutes: "61" }).minutes).toBe(60);
    expect(rangeOf({}).minutes).toBe(60);
  });
});
