import { describe, expect, it } from "vitest";
import type { StaffingFigures, Statistics } from "../../generated/operations/types.ts";
import { chartsOf, fillText, isEmpty, timeText } from "../../src/console/statistics/chart-section.tsx";

const NONE: StaffingFigures = { positions: 0, filled: 0, cancelled: 0, withdrawn: 0, late: 0 };
const TOTAL = { positions: 1_200, filled: 1_150, timeToFillMinutes: 95, cancelled: 2, withdrawn: 1, late: 1 };
const statisticsOf = (total: StaffingFigures): Statistics => ({
  from: "2026-11-02",
  until: "2026-11-15",
  total,
  weeks: [],
  organisations: [],
});

describe("the charts of the statistics", () => {
  it("have a summary in one sentence", () => {
    expect(chartsOf(statisticsOf(TOTAL)).map(({ summary }) => summary)).toEqual([
      "1,150 of 1,200 positions filled: 95 %.",
      "From a new shift to the acceptance of a booking, the median: 2 h.",
      "2 shifts cancelled, 1 booking withdrawn. 1 of these and other changes came less than 24 hours before the start.",
    ]);
  });

  it.each([
    [TOTAL, [1_150 / 1_200, 95, 2, 1, 1]],
    // No value is not zero.
    [NONE, [null, null, 0, 0, 0]],
  ])("read the values of %j", (figures, values) => {
    const series = chartsOf(statisticsOf(TOTAL)).flatMap((chart) => chart.series);
    expect(series.map(({ read }) => read(figures))).toEqual(values);
  });

  it.each([
    [TOTAL, "95 %", "2 h"],
    [NONE, "none", "none"],
    [{ ...NONE, positions: 1_000, filled: 999, timeToFillMinutes: 0 }, "99 %", "0 min"],
    [{ ...NONE, positions: 3, filled: 3, timeToFillMinutes: 20 }, "100 %", "20 min"],
  ])("name the figures of %j", (figures, rate, time) => {
    expect(fillText(figures)).toBe(rate);
    expect(timeText(figures)).toBe(time);
  });

  it.each([
    [NONE, true],
    [{ ...NONE, positions: 1 }, false],
    [{ ...NONE, cancelled: 1 }, false],
  ])("of %j are missing: %s", (total, isMissing) => {
    expect(isEmpty(statisticsOf(total))).toBe(isMissing);
  });
});
