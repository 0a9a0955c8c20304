import type { HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { MetricData, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { Metrics, MetricValues } from "../metrics/metrics.ts";

type Sdk = typeof import("@opentelemetry/sdk-metrics");
/** `ValueType.DOUBLE`, without loading the module for it. */
const DOUBLE = 1 as ValueType.DOUBLE;

interface Source {
  resource: Resource;
  version: string | undefined;
}

/** The metrics of /metrics in OpenTelemetry's form. */
export function metricsProducer(
  metrics: Pick<Metrics, "values">,
  { resource, version }: Source,
  sdk: Sdk,
): MetricProducer {
  const since = hrTime(Date.now() - process.uptime() * 1_000);
  return {
    collect: async () => {
      const times = { startTime: since, endTime: hrTime(Date.now()) };
      const found = (await metrics.values()).flatMap((each) => dataOf(each, times, sdk) ?? []);
      const scope = { name: "shiftpact", ...(version !== undefined && { version }) };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: found }] }, errors: [] };
    },
  };
}

interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

/** Undefined for a summary, which OpenTelemetry does not have. */
function dataOf({ name, help, type, values }: MetricValues, times: Times, sdk: Sdk): MetricData | undefined {
  const common = {
    descriptor: { name, description: help, unit: "", valueType: DOUBLE },
    aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
  };
  const points = values.map(({ value, labels }) => ({ ...times, value, attributes: labels }));
  switch (type) {
    case "gauge":
      return { ...common, dataPointType: sdk.DataPointType.GAUGE, dataPoints: points };
    case "counter":
      return { ...common, dataPointType: sdk.DataPointType.SUM, isMonotonic: true, dataPoints: points };
    case "histogram":
      return {
        ...common,
        dataPointType: sdk.DataPointType.HISTOGRAM,
        dataPoints: histogramsOf(values).map((each) => ({ ...times, ...each })),
      };
    default:
      return undefined;
  }
}

/** One for each set of labels. Prometheus counts what is below each edge; OpenTelemetry, what is between two. */
function histogramsOf(values: MetricValues["values"]) {
  const bySeries = Map.groupBy(values, ({ labels: { le: _edge, ...rest } }) => JSON.stringify(rest));
  return [...bySeries].map(([labels, series]) => {
    const buckets = series.filter(({ metricName }) => metricName?.endsWith("_bucket"));
    const ending = (end: string) => series.find(({ metricName }) => metricName?.endsWith(end))?.value ?? 0;
    const below = buckets.map(({ value }) => value);
    return {
      attributes: JSON.parse(labels) as Record<string, string>,
      value: {
        buckets: {
          boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
          counts: below.map((count, nth) => count - (below[nth - 1] ?? 0)),
        },
        ...{ sum: ending("_sum"), count: ending("_count") },
      },
    };
  });
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
