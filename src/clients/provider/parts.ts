import type { SeenDialect } from "../../contract/dialect.ts";
import { traceHeaders } from "../../contract/trace.ts";
import { requireHeaders } from "../../runtime/path.ts";
import type { ProviderFetch } from "./global-fetch.ts";

/** The options of every call. */
export interface Call {
  /** UUID of the trace that the call belongs to. */
  traceId: string;
  signal?: AbortSignal;
  /** The same for each attempt: a provider that supports it performs the call once. */
  idempotencyKey?: string;
}

/** The settings that the groups of calls share. */
export interface ProviderParts {
  /** IANA zone in which a time without offset is read. */
  timeZone: string;
  /** The known part of the provider's dialect; grows with each response. */
  seen: SeenDialect;
  onSeen: (update: SeenDialect) => void;
  fetch: ProviderFetch;
}

/** Responses arrive as text, because a provider may mislabel or truncate the JSON. @throws ParameterError */
export function init({ traceId, signal, idempotencyKey }: Call) {
  const headers = { ...traceHeaders(traceId), ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
  requireHeaders(headers);
  return { headers, parseAs: "text" as const, ...(signal && { signal }) };
}
