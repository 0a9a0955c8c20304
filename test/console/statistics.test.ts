import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StatisticsStep } from "../../generated/operations/types.ts";
import { chartsOf, isEmpty, partsOf, stepText, topOf } from "../../src/console/statistics/chart.ts";

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
  it("have a summary in one sentence", () => {
    expect(chartsOf(statistics).map(({ summary }) => summary)).toEqual([
      "The slowest step has a 99th percentile of 12 ms. The contract allows 500 ms.",
      "3 acknowledged, 2 refused.",
      "10 calls, of which 5 failed: no response, or a status of 5xx or 429.",
    ]);
  });

  it("describe a step by its values, with none where it has no value", () => {
    const [latency, webhooks, calls] = chartsOf(statistics);
    const [first, second] = steps;
    if (!latency || !webhooks || !calls || !first || !second) throw new Error("a chart or a step is missing");
    expect(stepText(first, 1, latency)).toBe("Sat 21 Nov 14:00: Median 4.2 ms, 99th percentile 12 ms");
    expect(stepText(second, 1, latency)).toBe("Sat 21 Nov 14:01: Median none, 99th percentile none");
    expect(stepText(second, 8, webhooks)).toBe("Sat 21 Nov 14:01 to 14:09: Acknowledged 0, Refused 2");
    expect(stepText(second, 1, calls)).toBe("Sat 21 Nov 14:01: Succeeded 1, Failed 5");
  });

  it("stack values that add up, and show a percentile above the median", () => {
    const [latency, , calls] = chartsOf(statistics);
    const [first, second] = steps;
    if (!latency || !calls || !first || !second) throw new Error("a chart or a step is missing");
    expect(partsOf(calls, second)).toEqual([1, 5]);
    expect(partsOf(latency, first)).toEqual([4.21, 12.4 - 4.21]);
    expect(partsOf(latency, second)).toEqual([0, 0]);
  });

  it("end at a round value that no column exceeds", () => {
    const [, webhooks] = chartsOf(statistics);
    if (!webhooks) throw new Error("a chart is missing");
    expect(topOf(webhooks, [step(0)])).toBe(1);
    expect(topOf(webhooks, [step(0, { acknowledged: 3, refused: 4 })])).toBe(10);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (acknowledged) => {
        const top = topOf(webhooks, [step(0, { acknowledged })]);
        expect(top).toBeGreaterThanOrEqual(acknowledged);
        expect(top / acknowledged).toBeLessThanOrEqual(2.5);
        expect([1, 2, 5]).toContain(top / 10 ** Math.floor(Math.log10(top)));
      }),
    );
  });

  it("are empty if nothing happened", () => {
    expect(isEmpty(statistics)).toBe(false);
    expect(isEmpty({ ...statistics, steps: [step(0)] })).toBe(true);
  });
});
