import type { SeenDialect } from "../../contract/dialect.ts";
import { traceHeaders } from "../../contract/trace.ts";
import type { ProviderFetch } from "./global-fetch.ts";

/** What every call carries. */
export interface Call {
  /** UUID of the trace that the call belongs to. */
  traceId: string;
  signal?: AbortSignal;
  /** The same at each attempt: a provider that knows it does the thing once. */
  idempotencyKey?: string;
}

/** What the groups of calls share. */
export interface ProviderParts {
  /** IANA zone in which a time without offset is read. */
  timeZone: string;
  /** What is known of the provider's dialect; grows as answers come in. */
  seen: SeenDialect;
  onSeen: (news: SeenDialect) => void;
  /** Called with what each shift held: names of optional fields that had a value, and of what was odd about it. */
  onFields: (fields: readonly string[]) => void;
  fetch: ProviderFetch;
}

/** The answers are parsed by us, because a provider may label or cut them as it likes. */
export function init({ traceId, signal, idempotencyKey }: Call) {
  const headers = { ...traceHeaders(traceId), ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
  return { headers, parseAs: "text" as const, ...(signal && { signal }) };
}
