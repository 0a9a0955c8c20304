import type { StatisticsStep } from "../../../generated/operations/types.ts";
import { formatTime } from "../parts/times.ts";
import type { Chart, Series } from "./chart.ts";

const MINUTE_MS = 60_000;

/** `Sat 21 Nov 14:05`, and until when if that is not the next minute. */
export function nameOfStep({ at }: StatisticsStep, stepMinutes: number): string {
  if (stepMinutes === 1) return formatTime(at);
  const end = new Date(Date.parse(at) + stepMinutes * MINUTE_MS).toISOString();
  return `${formatTime(at)} to ${formatTime(end).split(" ").at(-1)}`;
}

/** A step without a value has none: that is not zero. */
export function valueInWords({ read }: Series, step: StatisticsStep, { format }: Chart): string {
  const value = read(step);
  return value === undefined ? "none" : format(value);
}

/** `Sat 21 Nov 14:05: Acknowledged 3, Refused 0`. */
export function stepInWords(step: StatisticsStep, stepMinutes: number, chart: Chart): string {
  const values = chart.series.map((series) => `${series.name} ${valueInWords(series, step, chart)}`);
  return `${nameOfStep(step, stepMinutes)}: ${values.join(", ")}`;
}
