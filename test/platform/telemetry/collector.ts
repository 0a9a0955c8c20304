import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface SentSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status: { code: number };
  attributes: Record<string, string | number>;
}

export interface SentMetric {
  name: string;
  gauge?: { dataPoints: Point[] };
  sum?: { dataPoints: Point[]; isMonotonic: boolean };
  histogram?: { dataPoints: (Point & { bucketCounts: string[]; explicitBounds: number[]; count: string })[] };
}

interface Point {
  asDouble?: number;
  attributes: Attribute[];
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number };
}

/** Takes traces and metrics over OTLP/HTTP, as a collector does. */
export async function startCollector() {
  const spans: SentSpan[] = [];
  const metrics = new Map<string, SentMetric>();
  const headers: Record<string, unknown>[] = [];
  const resources: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: OTLP as JSON.
    const body = (await json(request)) as any;
    headers.push(request.headers);
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      resources.push(attributesOf(resource.attributes));
      for (const span of scopeSpans.flatMap((each: { spans: unknown[] }) => each.spans))
        spans.push({ ...span, attributes: attributesOf(span.attributes) });
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const metric of scopeMetrics.flatMap((each: { metrics: SentMetric[] }) => each.metrics))
        metrics.set(metric.name, metric);
    response.setHeader("Content-Type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { endpoint: `http://127.0.0.1:${port}`, spans, metrics, headers, resources };
}

function attributesOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? ""]),
  );
}
