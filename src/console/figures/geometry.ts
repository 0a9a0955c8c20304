import type { Statistics, StatisticsStep } from "../../../generated/operations/types.ts";
import type { Chart } from "./chart.ts";
import { roundTicks } from "./count-axis.ts";
import { type TimeTick, timeTicks } from "./time-axis.ts";

/** Where a chart's parts are, in pixels. */
export interface Geometry {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  /** Where values are 0. */
  bottom: number;
  /** Of one step. */
  slot: number;
  valueTicks: number[];
  timeTicks: TimeTick[];
  /** The middle of a step. */
  xOf(place: number): number;
  xAt(at: number): number;
  yOf(value: number): number;
}

const HEIGHT = 200;
const LEFT = 56;
const RIGHT = 12;
const TOP = 10;
const BELOW = 26;
/** Room for one label of the time axis. Pixels. */
const LABEL = 74;

export function geometryOf(
  chart: Chart,
  statistics: Pick<Statistics, "steps" | "stepMinutes">,
  width: number,
): Geometry {
  const { steps, stepMinutes } = statistics;
  const right = width - RIGHT;
  const bottom = HEIGHT - BELOW;
  const slot = (right - LEFT) / Math.max(1, steps.length);
  const ticks = roundTicks(largestOf(chart, steps), { whole: chart.kind === "bars" });
  const top = ticks.at(-1) ?? 1;
  const from = Date.parse(steps[0]?.at ?? "");
  const perMs = slot / (stepMinutes * 60_000);
  const to = from + (right - LEFT) / perMs;
  return {
    ...{ width, height: HEIGHT, left: LEFT, right, top: TOP, bottom, slot },
    valueTicks: ticks,
    timeTicks: timeTicks(from, to, Math.max(2, Math.floor((right - LEFT) / LABEL))),
    xOf: (place) => LEFT + (place + 0.5) * slot,
    xAt: (at) => LEFT + (at - from) * perMs,
    yOf: (value) => bottom - (value / top) * (bottom - TOP),
  };
}

/** Bars stand on one another, lines do not. */
function largestOf({ kind, series }: Chart, steps: readonly StatisticsStep[]): number {
  const ofStep = (step: StatisticsStep) => {
    const values = series.map(({ read }) => read(step) ?? 0);
    return kind === "bars" ? values.reduce((total, value) => total + value, 0) : Math.max(...values);
  };
  return steps.reduce((largest, step) => Math.max(largest, ofStep(step)), 0);
}
