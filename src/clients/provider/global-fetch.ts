import { CALL_TIMEOUT_MS } from "../retry-policy.ts";
import { failureOf } from "./http-error.ts";

/** The limit of an unusually long response. Bytes. */
export interface Allowance {
  maxBytes?: number;
}

/** Replaces the global `fetch`; never follows a redirect. Rejects with `ProviderHttpError`. */
export type ProviderFetch = (request: Request, allowance?: Allowance) => Promise<Response>;

/**
 * The runtime's own `fetch` with the limits for providers: no redirects, and a time limit to the last byte.
 * @throws ProviderHttpError
 */
export async function globalFetch(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
  try {
    const response = await fetch(request, { redirect: "error", signal });
    const body = await response.arrayBuffer();
    return new Response(body.byteLength > 0 ? body : null, response);
  } catch (error) {
    throw failureOf(error, request.signal.aborted);
  }
}
