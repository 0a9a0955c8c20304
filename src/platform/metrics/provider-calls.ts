import { operationsTable } from "../../../generated/provider/server.ts";
import { readRetryAfter } from "../../clients/provider/answer.ts";
import type { Integration } from "../db/schema.ts";

/** One call that went out to a provider. */
export interface ProviderCall {
  kind: string;
  providerId: string;
  /** The operationId of the provider's document. */
  operation: string;
  /** Of the response; undefined without one. */
  status: number | undefined;
  /** The response's Retry-After. */
  retryAfterMs?: number | undefined;
  seconds: number;
}

// The literal path before the templated one, as OpenAPI matches them.
const OPERATIONS = operationsTable.map(({ operationId, method, path }) => ({
  operationId,
  method,
  path: new RegExp(`${path.replaceAll(/\{[^}]{1,99}\}/g, "[^/]+").replace(/\/$/, "")}/?$`),
}));

/** The operation by the end of the path only, because a provider's base URL may hold any path. */
export function operationOf(request: Request): string {
  const { pathname } = new URL(request.url);
  const found = OPERATIONS.find(({ method, path }) => method === request.method && path.test(pathname));
  return found?.operationId ?? "unknown";
}

/** Makes a call and reports it. Of the URL only the operation is reported: a query may hold a personal number. */
export async function measureCall(
  { kind, providerId }: Pick<Integration, "kind" | "providerId">,
  request: Request,
  call: () => Promise<Response>,
  onCall: (call: ProviderCall) => void,
): Promise<Response> {
  const operation = operationOf(request);
  const startedAt = performance.now();
  let status: number | undefined;
  let retryAfterMs: number | undefined;
  try {
    const response = await call();
    status = response.status;
    retryAfterMs = readRetryAfter(response.headers.get("retry-after"), Date.now());
    return response;
  } finally {
    onCall({
      kind,
      providerId,
      operation,
      status,
      retryAfterMs,
      seconds: (performance.now() - startedAt) / 1_000,
    });
  }
}
