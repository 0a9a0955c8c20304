import { sql } from "kysely";
import type { ProviderStatistics, Statistics, StatisticsStep } from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../contract/durations.ts";
import type { Deps } from "../deps.ts";
import { FIGURES, minuteOf } from "./figures.ts";
import { ACKNOWLEDGEMENT_EDGES } from "./observer.ts";
import { quantileOf } from "./quantile.ts";

/** More points than a screen can show. */
const MOST_STEPS = 180;

/** Of the figures with a name: in a step, or of a provider in the whole time. */
interface Sum {
  step: number | null;
  provider_id: string | null;
  name: string;
  value: number;
}

/** What all processes did in the last minutes, in steps; the minute under way is the last. */
export async function readStatistics({ database, now }: Deps, minutes: number): Promise<Statistics> {
  const stepMinutes = Math.ceil(minutes / MOST_STEPS);
  const count = Math.ceil(minutes / stepMinutes);
  const stepMs = stepMinutes * MINUTE_MS;
  const end = minuteOf(now()) + MINUTE_MS;
  const from = end - count * stepMs;
  const { rows } = await sql<Sum>`
    select step, provider_id, name, sum(value)::float8 as value
    from (
      select name, provider_id, value, floor(extract(epoch from minute - ${new Date(from)}) / ${stepMs / 1_000})::int as step
      from figures where minute >= ${new Date(from)} and minute < ${new Date(end)}) as those
    group by grouping sets ((step, name), (provider_id, name))`.execute(database.kysely);
  const steps = Map.groupBy(rows, ({ step }) => step);
  return {
    stepMinutes,
    steps: Array.from({ length: count }, (_, step) =>
      viewOfStep(new Date(from + step * stepMs), valuesOf(steps.get(step))),
    ),
    providers: providersOf(steps.get(null) ?? []),
  };
}

/** The value of a name; 0 of any that is not among the sums. */
type Values = (name: string) => number;

function valuesOf(sums: readonly Sum[] = []): Values {
  const values = new Map(sums.map(({ name, value }) => [name, value]));
  return (name) => values.get(name) ?? 0;
}

function viewOfStep(at: Date, value: Values): StatisticsStep {
  const buckets = FIGURES.acknowledged.map(value);
  const median = quantileOf(0.5, buckets, ACKNOWLEDGEMENT_EDGES);
  const p99 = quantileOf(0.99, buckets, ACKNOWLEDGEMENT_EDGES);
  return {
    at: at.toISOString(),
    acknowledged: buckets.reduce((sum, count) => sum + count, 0),
    refused: value(FIGURES.refused),
    ...(median !== undefined && { acknowledgementMedianMs: median }),
    ...(p99 !== undefined && { acknowledgementP99Ms: p99 }),
    providerCalls: value(FIGURES.calls),
    providerFailures: value(FIGURES.failures),
  };
}

function providersOf(sums: readonly Sum[]): ProviderStatistics[] {
  const providers = Map.groupBy(sums, ({ provider_id }) => provider_id ?? "");
  providers.delete("");
  const views = [...providers].map(([providerId, own]) => {
    const value = valuesOf(own);
    return { providerId, calls: value(FIGURES.calls), failures: value(FIGURES.failures) };
  });
  return views.sort((one, other) => other.failures - one.failures || other.calls - one.calls);
}
