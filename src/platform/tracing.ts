import {
  type Context,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

// Spans by OpenTelemetry's API alone: unless an SDK is registered, each function merely runs the given work.
const tracer = trace.getTracer("shiftpact");

interface SpanAbout {
  name: string;
  kind: keyof typeof KINDS;
  /** The platform's. */
  traceId?: string;
  /** Never personal data or secrets. */
  attributes?: Readonly<Record<string, string | number>>;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Runs `work` in a span, below the one of `parent`. The span is marked as failed if `work` rejects. */
export function inSpan<T>(
  { name, kind, traceId, attributes }: SpanAbout,
  work: (span: Span) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  const about = {
    kind: KINDS[kind],
    attributes: { ...(traceId !== undefined && { "shiftpact.trace_id": traceId }), ...attributes },
  };
  return tracer.startActiveSpan(name, about, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      // Its message may hold what a provider or a person has written.
      span.setAttribute("error.type", codeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? error.name) : "unknown";

/** Whether an SDK is registered: without one, no span has an id. */
export const isTraced = (): boolean => trace.isSpanContextValid(tracer.startSpan("start").spanContext());

/** The span of a request, which an instrumentation of HTTP may have started, or else that of the caller's `traceparent`. */
export const callerOf = (traceparent: string | undefined): Context =>
  trace.getActiveSpan() ? context.active() : causedBy(traceparent);

/** The span that a W3C `traceparent` names, or none: never the active one, which may merely have woken the worker. */
export const causedBy = (traceparent: string | null | undefined): Context =>
  propagation.extract(ROOT_CONTEXT, traceparent ? { traceparent } : {});

/** The active span as a W3C `traceparent`, for a continuation of the trace. */
export function traceparentOfSpan(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** Replaces the path of a request, which is a secret, in the span that an instrumentation of HTTP has started. */
export function hideFromSpan(route: string): void {
  trace.getActiveSpan()?.setAttributes({
    "http.route": route,
    "url.path": route,
    "url.full": route,
    "http.target": route,
    "http.url": route,
  });
}

/** Binds `work`, which is called later, to the active span. */
export const boundToSpan = <T>(work: () => T): (() => T) => context.bind(context.active(), work);

/** The key by which every SDK and instrumentation of OpenTelemetry knows that it must not trace. */
const SUPPRESSED = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/**
 * Keeps instrumentations out of `work`. That of undici would record the query of a call, in which the contract puts a personal number, and
 * send a second `traceparent`.
 */
export const uninstrumented = <T>(work: () => T): T =>
  context.with(context.active().setValue(SUPPRESSED, true), work);
