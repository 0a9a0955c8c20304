import { AsyncLocalStorage } from "node:async_hooks";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Span as OtelSpan, Tracer } from "@opentelemetry/api";
import type { Sampler } from "@opentelemetry/sdk-trace";
import type { Log } from "../db/database.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Telemetry } from "../telemetry-config.ts";
import type { Attributes, Span, SpanAbout, Tracing } from "../tracing.ts";
import { metricsProducer } from "./metrics-producer.ts";

export interface OpenTelemetry extends Tracing {
  /** Sends the platform's metrics from now on, every minute. */
  exports(metrics: Pick<Metrics, "values">): void;
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>;
}

interface Options {
  telemetry: Telemetry;
  version: string | undefined;
  log: Log;
  /** Between two exports of the metrics. Milliseconds. */
  metricsEveryMs?: number;
}

const EXPORT_MS = 5_000;
const CLOSE_MS = 2_000;

/** Loads OpenTelemetry. Import it nowhere at the top of a module: without an endpoint nothing of it is to be loaded. */
async function load() {
  const [api, trace, traceExporter, resources, metric, metricExporter] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-metrics"),
    import("@opentelemetry/exporter-metrics-otlp-http"),
  ]);
  return { api, trace, traceExporter, resources, metric, metricExporter };
}

export async function startOpenTelemetry(options: Options): Promise<OpenTelemetry> {
  const { telemetry, version, log, metricsEveryMs = 60_000 } = options;
  const { api, trace, traceExporter, resources, metric, metricExporter } = await load();
  const report = (message: string) => log.warn({ cause: message }, "could not export telemetry");
  api.diag.setLogger(
    { error: report, warn: report, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const resource = resources.resourceFromAttributes({
    ...{ "service.instance.id": `${hostname()}:${process.pid}`, ...telemetry.attributes },
    ...(version !== undefined && { "service.version": version }),
  });
  const to = (signal: string) => ({
    ...{ url: `${telemetry.endpoint}/v1/${signal}`, headers: telemetry.headers, timeoutMillis: EXPORT_MS },
  });
  const ids = createIds(trace);
  const provider = new trace.TracerProvider({
    ...{ resource, sampler: samplerOf(trace, telemetry), idGenerator: ids },
    spanProcessors: [
      new trace.BatchSpanProcessor({ exporter: new traceExporter.OTLPTraceExporter(to("traces")) }),
    ],
  });
  let reader: InstanceType<typeof metric.PeriodicExportingMetricReader> | undefined;
  return {
    ...createTracing(api, provider.getTracer("shiftpact", version), ids),
    exports: (metrics) => {
      reader = new metric.PeriodicExportingMetricReader({
        exporter: new metricExporter.OTLPMetricExporter(to("metrics")),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(EXPORT_MS, metricsEveryMs),
        metricProducers: [metricsProducer(metrics, { resource, version }, metric)],
      });
      // The reader works once it belongs to a provider, which has no instruments of its own.
      new metric.MeterProvider({ resource, readers: [reader] });
    },
    close: async () => {
      const ended = Promise.allSettled([provider.shutdown(), reader?.shutdown()]);
      const over = new AbortController();
      await Promise.race([ended, sleep(CLOSE_MS, undefined, over).catch(() => undefined)]);
      over.abort();
    },
  };
}

/** Makes ids. The next trace id may be given: the span that needs it starts at once. */
function createIds(sdk: Sdk) {
  const random = new sdk.RandomIdGenerator();
  const ids = {
    nextTraceId: undefined as string | undefined,
    generateTraceId: () => ids.nextTraceId ?? random.generateTraceId(),
    generateSpanId: () => random.generateSpanId(),
  };
  return ids;
}

function createTracing(api: Api, tracer: Tracer, ids: ReturnType<typeof createIds>): Tracing {
  const contexts = new AsyncLocalStorage<Context>();
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  const parentOf = (traceparent: string | undefined): Context | undefined => {
    const parent = traceparent === undefined ? undefined : parse(traceparent);
    return parent && api.trace.setSpanContext(ROOT_CONTEXT, parent);
  };
  const start = (about: SpanAbout): [OtelSpan, Context] => {
    const { name, traceId } = about;
    const context = about.isFirst ? parentOf(about.parent) : contexts.getStore();
    const attributes = definedOf({ "shiftpact.trace_id": traceId, ...about.attributes });
    ids.nextTraceId = traceId === undefined || context ? undefined : digitsOf(traceId);
    const kind = SpanKind[KINDS[about.kind]];
    const span = tracer.startSpan(name, { kind, attributes }, context ?? ROOT_CONTEXT);
    ids.nextTraceId = undefined;
    return [span, api.trace.setSpan(context ?? ROOT_CONTEXT, span)];
  };
  const fail = (span: OtelSpan, error: unknown) => {
    // Its message may hold what a provider or a person has written.
    span.setAttribute("error.type", codeOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    isOn: true,
    span: async (about, work) => {
      const [span, context] = start(about);
      try {
        return await contexts.run(context, () => work(viewOf(span)));
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
    bound: (work) => AsyncLocalStorage.bind(work),
    queried: ({ sql, ms, error }) => {
      const context = contexts.getStore();
      if (!context) return;
      const text = sql.replaceAll(/\s+/g, " ").trim();
      const [operation = ""] = text.split(" ", 1);
      const attributes = { "db.system.name": "postgresql", "db.query.text": text.slice(0, 1_000) };
      const about = { kind: SpanKind.CLIENT, startTime: Date.now() - ms, attributes };
      const span = tracer.startSpan(`database ${operation.toLowerCase()}`, about, context);
      if (error !== undefined) fail(span, error);
      span.end();
    },
  };
}

const KINDS = { server: "SERVER", client: "CLIENT", internal: "INTERNAL" } as const;

const viewOf = (span: OtelSpan): Span => ({
  set: (attributes) => void span.setAttributes(definedOf(attributes)),
  get traceparent() {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  },
});

function definedOf(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** W3C trace context, version 00 or later. An id of zeros is none. */
function parse(traceparent: string) {
  const [, traceId = "", spanId = "", flags = "0"] =
    /^(?!ff)[\da-f]{2}-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(
      traceparent,
    ) ?? [];
  return traceId
    ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
    : undefined;
}

/** The platform's trace ids are UUIDs. */
function digitsOf(traceId: string): string | undefined {
  const digits = traceId.toLowerCase().replaceAll("-", "");
  return /^(?!0{32})[\da-f]{32}$/.test(digits) ? digits : undefined;
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? error.name) : "unknown";

type Api = typeof import("@opentelemetry/api");
type Sdk = typeof import("@opentelemetry/sdk-trace");

function samplerOf(sdk: Sdk, { sampler, share }: Telemetry): Sampler {
  const [isOfParent, name] = sampler.startsWith("parentbased_")
    ? [true, sampler.slice("parentbased_".length)]
    : [false, sampler];
  const root =
    name === "always_off"
      ? new sdk.AlwaysOffSampler()
      : name === "traceidratio"
        ? new sdk.TraceIdRatioBasedSampler(share)
        : new sdk.AlwaysOnSampler();
  return isOfParent ? new sdk.ParentBasedSampler({ root }) : root;
}
