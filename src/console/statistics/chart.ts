import type { Statistics, StatisticsStep } from "../../../generated/operations/types.ts";
import { formatCount, formatTime } from "../components/times.ts";

interface Series {
  name: string;
  tone: "main" | "second" | "bad";
  /** Undefined where the step has no value, which is not zero. */
  read(step: StatisticsStep): number | undefined;
}

/** Columns of values over time. */
export interface Chart {
  title: string;
  /** One sentence about the whole range, which is also the chart's text for screen readers. */
  summary: string;
  /** From the bottom of a column to its top. */
  series: readonly Series[];
  /** The series add up. Otherwise each one reaches from the value of the one before to its own. */
  isSum: boolean;
  /** A value with its unit. */
  format(value: number): string;
  /** What the values should not exceed. */
  limit?: { value: number; name: string };
}

/** The contract's limit for an acknowledgement (contract section 4.3). Milliseconds. */
const LIMIT_MS = 500;

export function chartsOf({ steps }: Statistics): Chart[] {
  return [acknowledgementChart(steps), webhookChart(steps), callChart(steps)];
}

/** Whether nothing happened. */
export function isEmpty({ steps }: Statistics): boolean {
  return steps.every((step) => step.acknowledged + step.refused + step.providerCalls === 0);
}

function acknowledgementChart(steps: readonly StatisticsStep[]): Chart {
  const p99s = steps.flatMap(({ acknowledgementP99Ms }) => acknowledgementP99Ms ?? []);
  const found =
    p99s.length === 0
      ? "No webhook was acknowledged."
      : `The slowest step has a 99th percentile of ${formatMs(Math.max(...p99s))}.`;
  return {
    title: "Webhook acknowledgement time",
    summary: `${found} The contract allows ${formatMs(LIMIT_MS)}.`,
    series: [
      { name: "Median", tone: "main", read: (step) => step.acknowledgementMedianMs },
      { name: "99th percentile", tone: "second", read: (step) => step.acknowledgementP99Ms },
    ],
    isSum: false,
    format: formatMs,
    limit: { value: LIMIT_MS, name: "limit of the contract" },
  };
}

function webhookChart(steps: readonly StatisticsStep[]): Chart {
  const acknowledged = sum(steps, (step) => step.acknowledged);
  const refused = sum(steps, (step) => step.refused);
  return {
    title: "Webhooks",
    summary: `${formatCount(acknowledged)} acknowledged, ${formatCount(refused)} refused.`,
    series: [
      { name: "Acknowledged", tone: "main", read: (step) => step.acknowledged },
      { name: "Refused", tone: "bad", read: (step) => step.refused },
    ],
    isSum: true,
    format: formatCount,
  };
}

function callChart(steps: readonly StatisticsStep[]): Chart {
  const calls = sum(steps, (step) => step.providerCalls);
  const failures = sum(steps, (step) => step.providerFailures);
  return {
    title: "Calls to providers",
    summary: `${formatCount(calls)} calls, of which ${formatCount(failures)} failed: no response, or a status of 5xx or 429.`,
    series: [
      { name: "Succeeded", tone: "main", read: (step) => step.providerCalls - step.providerFailures },
      { name: "Failed", tone: "bad", read: (step) => step.providerFailures },
    ],
    isSum: true,
    format: formatCount,
  };
}

function sum(steps: readonly StatisticsStep[], read: (step: StatisticsStep) => number): number {
  return steps.reduce((total, step) => total + read(step), 0);
}

/** Two digits below ten milliseconds, where most acknowledgements are. */
function formatMs(ms: number): string {
  return `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`;
}

/** The length of each part of a step's column, from the bottom to the top, in the unit of the values. */
export function partsOf({ series, isSum }: Chart, step: StatisticsStep): number[] {
  const values = series.map(({ read }) => read(step) ?? 0);
  return isSum ? values : values.map((value, place) => Math.max(0, value - (values[place - 1] ?? 0)));
}

/** The value at the top of the chart: the first of 1, 2, 5, 10, 20, ... that is not below the highest column. */
export function topOf(chart: Chart, steps: readonly StatisticsStep[]): number {
  const heights = steps.map((step) => partsOf(chart, step).reduce((total, part) => total + part, 0));
  const highest = Math.max(0, ...heights);
  if (highest === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 5].find((factor) => factor * power >= highest) ?? 10) * power;
}

const MINUTE_MS = 60_000;

/** `Sat 21 Nov 14:05`, with the end of a step that is longer than a minute. */
export function nameOfStep({ at }: StatisticsStep, stepMinutes: number): string {
  if (stepMinutes === 1) return formatTime(at);
  const end = new Date(Date.parse(at) + stepMinutes * MINUTE_MS).toISOString();
  return `${formatTime(at)} to ${formatTime(end).split(" ").at(-1)}`;
}

export function valueText({ read }: Series, step: StatisticsStep, { format }: Chart): string {
  const value = read(step);
  return value === undefined ? "none" : format(value);
}

/** `Sat 21 Nov 14:05: Acknowledged 3, Refused 0`. */
export function stepText(step: StatisticsStep, stepMinutes: number, chart: Chart): string {
  const values = chart.series.map((series) => `${series.name} ${valueText(series, step, chart)}`);
  return `${nameOfStep(step, stepMinutes)}: ${values.join(", ")}`;
}
