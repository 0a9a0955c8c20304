import { isUuid } from "./uuid.ts";

const TRACEPARENT = /^00-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const ALL_ZERO = /^0+$/;

/** How a traceId travels in calls; `traceparent` only when the traceId can be a W3C trace-id. */
export interface TraceHeaders {
  "X-Trace-Id": string;
  traceparent?: string;
}

/**
 * The headers of one outgoing call. Contract section 5 asks providers to log the traceId but names no header for it: both
 * `X-Trace-Id` and W3C `traceparent` are sent. A traceId that is no UUID goes into `X-Trace-Id` alone.
 * @param parentId returns 16 hexadecimal digits that identify this call.
 */
export function traceHeaders(traceId: string, parentId: () => string = randomParentId): TraceHeaders {
  const traceparent = toTraceparent(traceId, parentId);
  const headers: TraceHeaders = { "X-Trace-Id": headerSafe(traceId) };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  return headers;
}

/** The UUID without hyphens is the trace-id. Undefined for anything else, and for the nil UUID, which W3C forbids. */
export function toTraceparent(traceId: string, parentId: () => string = randomParentId): string | undefined {
  if (!isUuid(traceId)) return undefined;
  const hex = traceId.replaceAll("-", "").toLowerCase();
  // 01: sampled, because the platform keeps every trace.
  return ALL_ZERO.test(hex) ? undefined : `00-${hex}-${parentId()}-01`;
}

/** The traceId of a received `traceparent` as a UUID; undefined when the header breaks W3C Trace Context. */
export function fromTraceparent(traceparent: string): string | undefined {
  const hex = TRACEPARENT.exec(traceparent)?.[1];
  if (hex === undefined || ALL_ZERO.test(hex)) return undefined;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** fetch refuses a header with control or non-ASCII characters, and a trace must never cost the call. */
function headerSafe(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, "?");
}

function randomParentId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
