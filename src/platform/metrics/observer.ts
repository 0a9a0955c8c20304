import type { RequestHandler } from "express";
import { operationsTable } from "../../../generated/provider/server.ts";
import type { Integration } from "../db/schema.ts";

/** Records what this process does. Returns at once, and never throws. */
export interface Observer {
  /** `ms`: from a webhook's arrival until its response is handed to the network. */
  webhookAnswered(status: number, ms: number): void;
  /** An event of this provider was stored, or repeated one that is. */
  webhookStored(provider: { kind: string; providerId: string }): void;
  providerCalled(call: ProviderCall): void;
}

/** Upper edges of the buckets that count acknowledgements; one more bucket has no upper edge. Milliseconds. */
export const ACKNOWLEDGEMENT_EDGES: readonly number[] = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** One observer that passes every call on to all of these. */
export function toAll(...observers: readonly Partial<Observer>[]): Observer {
  return {
    webhookAnswered: (status, ms) => {
      for (const observer of observers) observer.webhookAnswered?.(status, ms);
    },
    webhookStored: (provider) => {
      for (const observer of observers) observer.webhookStored?.(provider);
    },
    providerCalled: (call) => {
      for (const observer of observers) observer.providerCalled?.(call);
    },
  };
}

/** The first handler of a webhook, so that it measures all others. */
export function timeWebhooks({ webhookAnswered }: Pick<Observer, "webhookAnswered">): RequestHandler {
  return (_request, response, next) => {
    const startedAt = performance.now();
    response.once("finish", () => webhookAnswered(response.statusCode, performance.now() - startedAt));
    next();
  };
}

/** One call that went out to a provider. */
export interface ProviderCall {
  kind: string;
  providerId: string;
  /** The operationId of the provider's document. */
  operation: string;
  /** Of the response; undefined without one. */
  status: number | undefined;
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
  try {
    const response = await call();
    status = response.status;
    return response;
  } finally {
    onCall({
      kind,
      providerId,
      operation,
      status,
      seconds: (performance.now() - startedAt) / 1_000,
    });
  }
}
