import type { RequestHandler } from "express";
import type { ProviderCall } from "./provider-calls.ts";

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
