import type { Statistics, StatisticsStep } from "../../../generated/operations/types.ts";

export type Tone = "main" | "second" | "bad";

export interface Series {
  name: string;
  tone: Tone;
  read(step: StatisticsStep): number | undefined;
}

/** What a chart shows; the charts themselves know nothing of webhooks. */
export interface Chart {
  title: string;
  /** One sentence about the whole time, for the eye and for whoever does not see the chart. */
  summary: string;
  kind: "bars" | "lines";
  series: readonly Series[];
  /** As it is read, with its unit. */
  format(value: number): string;
  /** What the values should not exceed. */
  bound?: { value: number; name: string };
}

/** The contract's bound for an acknowledgement (contract section 4.3). Milliseconds. */
const BOUND_MS = 500;

export function chartsOf({ steps }: Statistics): Chart[] {
  return [acknowledgementChart(steps), webhookChart(steps), callChart(steps)];
}

/** Whether anything at all happened. */
export function isQuiet({ steps }: Statistics): boolean {
  return steps.every((step) => step.acknowledged + step.refused + step.providerCalls === 0);
}

function acknowledgementChart(steps: readonly StatisticsStep[]): Chart {
  const p99s = steps.flatMap(({ acknowledgementP99Ms }) => acknowledgementP99Ms ?? []);
  const slowest = p99s.length === 0 ? undefined : Math.max(...p99s);
  const found =
    slowest === undefined
      ? "No webhook was acknowledged."
      : `The slowest step has a 99th percentile of ${formatMs(slowest)}.`;
  return {
    title: "How fast webhooks are acknowledged",
    summary: `${found} The contract allows ${formatMs(BOUND_MS)}.`,
    kind: "lines",
    series: [
      { name: "Median", tone: "main", read: (step) => step.acknowledgementMedianMs },
      { name: "99th percentile", tone: "second", read: (step) => step.acknowledgementP99Ms },
    ],
    format: formatMs,
    bound: { value: BOUND_MS, name: "the contract's bound" },
  };
}

function webhookChart(steps: readonly StatisticsStep[]): Chart {
  const acknowledged = sum(steps, (step) => step.acknowledged);
  const refused = sum(steps, (step) => step.refused);
  return {
    title: "Webhooks",
    summary: `${formatCount(acknowledged)} acknowledged, ${formatCount(refused)} refused.`,
    kind: "bars",
    series: [
      { name: "Acknowledged", tone: "main", read: (step) => step.acknowledged },
      { name: "Refused", tone: "bad", read: (step) => step.refused },
    ],
    format: formatCount,
  };
}

function callChart(steps: readonly StatisticsStep[]): Chart {
  const calls = sum(steps, (step) => step.providerCalls);
  const failures = sum(steps, (step) => step.providerFailures);
  return {
    title: "Calls to providers",
    summary: `${formatCount(calls)} calls, of which ${formatCount(failures)} failed: no answer, a status of 5xx or 429.`,
    kind: "bars",
    series: [
      { name: "Answered", tone: "main", read: (step) => step.providerCalls - step.providerFailures },
      { name: "Failed", tone: "bad", read: (step) => step.providerFailures },
    ],
    format: formatCount,
  };
}

function sum(steps: readonly StatisticsStep[], read: (step: StatisticsStep) => number): number {
  return steps.reduce((total, step) => total + read(step), 0);
}

const formatCount = (count: number) => count.toLocaleString("en-GB");

/** Two digits below ten milliseconds: that is where acknowledgements are. */
function formatMs(ms: number): string {
  return `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`;
}
