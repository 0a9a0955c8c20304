export interface SpanAbout {
  name: string;
  kind: "server" | "client" | "internal";
  /** The platform's traceId, for a span without a parent: its 32 digits become OpenTelemetry's trace id. */
  traceId?: string;
  /** Starts a new root, because the active span may merely have woken the worker. */
  isFirst?: true;
  /** The W3C traceparent of the span that caused a root span. */
  parent?: string | undefined;
  attributes?: Attributes;
}

/** Never contains personal data or secrets. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Span {
  set(attributes: Attributes): void;
  /** The W3C traceparent for a continuation of the trace; undefined while tracing is off. */
  readonly traceparent: string | undefined;
}

/** Tracing over OTLP. It is off unless OTEL_EXPORTER_OTLP_ENDPOINT is set; the methods then only run the given work. */
export interface Tracing {
  readonly isOn: boolean;
  /** Runs `work` in a span, a child of the active one if any. The span is marked as failed if `work` rejects. */
  span<T>(about: SpanAbout, work: (span: Span) => Promise<T>): Promise<T>;
  /** Binds `work`, which is called later, to the active span. */
  bound<T>(work: () => T): () => T;
  /** Records a database statement that has just ended within the active span. */
  queried(query: { sql: string; ms: number; error?: unknown }): void;
}

const NO_SPAN: Span = { set: () => undefined, traceparent: undefined };

export const NO_TRACING: Tracing = {
  isOn: false,
  span: (_about, work) => work(NO_SPAN),
  bound: (work) => work,
  queried: () => undefined,
};
