export interface SpanAbout {
  name: string;
  kind: "server" | "client" | "internal";
  /** Of the platform, for a span that has no parent: its 32 digits are then the trace id of OpenTelemetry too. */
  traceId?: string;
  /** Not a part of the span that is active, which may merely have woken the worker. */
  isFirst?: true;
  /** W3C traceparent of the span that caused it, for one that is the first here. */
  parent?: string | undefined;
  attributes?: Attributes;
}

/** Never personal data, nor a secret. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Span {
  set(attributes: Attributes): void;
  /** For what continues the trace elsewhere; undefined while nothing is traced. */
  readonly traceparent: string | undefined;
}

/** What is traced over OTLP. Off unless OTEL_EXPORTER_OTLP_ENDPOINT is set: then every method does what it is given, and nothing else. */
export interface Tracing {
  readonly isOn: boolean;
  /** Runs `work` in a span: within the active one if there is one. The span has failed when `work` rejects. */
  span<T>(about: SpanAbout, work: (span: Span) => Promise<T>): Promise<T>;
  /** `work`, to be called later in the span that is active now. */
  bound<T>(work: () => T): () => T;
  /** A statement of the database has ended just now, within the active span. */
  queried(query: { sql: string; ms: number; error?: unknown }): void;
}

const NO_SPAN: Span = { set: () => undefined, traceparent: undefined };

export const NO_TRACING: Tracing = {
  isOn: false,
  span: (_about, work) => work(NO_SPAN),
  bound: (work) => work,
  queried: () => undefined,
};
