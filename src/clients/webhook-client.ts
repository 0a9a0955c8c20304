import type { Message } from "../../generated/events/types.ts";
import { createClient } from "../../generated/platform/client.ts";
import { isReceipt } from "../../generated/platform/validators.js";
import { withoutTrailingSlashes } from "../contract/base-url.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../contract/timestamp.ts";
import { traceHeaders } from "../contract/trace.ts";
import { ParameterError } from "../runtime/path.ts";
import { readRetryAfter } from "./provider/answer.ts";

/** The delay before each try, after the one before, in milliseconds (decisions, "provider's webhook retries"). */
export const WEBHOOK_SCHEDULE: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

export interface WebhookClientOptions {
  /** The platform's base URL. */
  platformUrl: string;
  /** PLATFORM_TOKEN (contract 5.2). */
  token: string;
  /** The kind of provider system: `/api/v3/integrations/{kind}/webhook`. Without it, `/webhooks/scheduling-provider`. */
  kind?: string;
  fetch?: (request: Request) => Promise<Response>;
  schedule?: readonly number[];
  /** The time limit of one try. Milliseconds; 5 s unless given. */
  timeoutMs?: number;
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  now?: () => number;
}

/** `tries`: how many requests were sent. `reason` names the status or the connection error. */
export type Delivery =
  | { delivered: true; tries: number }
  | { delivered: false; tries: number; reason: string };

type Try =
  | { outcome: "delivered" }
  | { outcome: "again"; reason: string; afterMs: number }
  | { outcome: "no"; reason: string };

export interface WebhookClient {
  /**
   * Resolves when the platform has accepted or refused the event, or after the last try; the traceId is the same on each. It rejects
   * with a `ParameterError`, before the call, if the kind cannot be part of a path.
   */
  send(event: Message, signal?: AbortSignal): Promise<Delivery>;
}

/** Sends a provider's webhooks (contract 4.3 and 6) and retries until the platform accepts them. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { schedule = WEBHOOK_SCHEDULE, wait = waitFor } = options;
  const post = createPost(options);
  return {
    send: async (event, signal) => {
      let reason = "no try was made";
      let afterMs = 0;
      for (const [index, delayMs] of schedule.entries()) {
        await wait(Math.max(delayMs, afterMs), signal);
        const tried = await post(event, signal);
        if (tried.outcome === "delivered") return { delivered: true, tries: index + 1 };
        reason = tried.reason;
        if (tried.outcome === "no") return { delivered: false, tries: index + 1, reason };
        afterMs = tried.afterMs;
      }
      return { delivered: false, tries: schedule.length, reason };
    },
  };
}

function createPost(options: WebhookClientOptions): (event: Message, signal?: AbortSignal) => Promise<Try> {
  const { platformUrl, token, kind, timeoutMs = 5 * SECOND_MS, now = Date.now } = options;
  const client = createClient({
    baseUrl: withoutTrailingSlashes(platformUrl),
    tokens: { platformToken: token },
    ...(options.fetch && { fetch: options.fetch }),
  });
  return async (event, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const init = {
      headers: { ...traceHeaders(event.traceId) },
      parseAs: "text" as const,
      // A followed redirect becomes a GET without the event, and any 200 to that would count as delivered.
      redirect: "manual" as const,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    };
    try {
      const answer = kind
        ? await client.receiveIntegrationWebhook({
            ...init,
            params: { path: { provider: kind } },
            body: event,
          })
        : await client.receiveSchedulingProviderWebhook({ ...init, body: event });
      return outcomeOf(answer.response, kind === undefined || confirmsReceipt(answer.data), now());
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ParameterError) throw error;
      const isLate = error instanceof Error && error.name === "TimeoutError";
      return {
        outcome: "again",
        reason: isLate ? `no response within ${timeoutMs} ms` : "the connection failed",
        afterMs: 0,
      };
    }
  };
}

/** `isReceived`: the body confirms it. The contract gives the second path no body, so there the status is enough. */
function outcomeOf(response: Response, isReceived: boolean, now: number): Try {
  const { status } = response;
  if (status === 200 && isReceived) return { outcome: "delivered" };
  const reason = status === 200 ? "status 200 without {received: true}" : `status ${status}`;
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isFinal) return { outcome: "no", reason };
  return { outcome: "again", reason, afterMs: readRetryAfter(response.headers.get("retry-after"), now) ?? 0 };
}

/** Returns whether the body is the contract's: a proxy's own 200 would lose the event. */
function confirmsReceipt(text: unknown): boolean {
  try {
    return typeof text === "string" && isReceipt(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Resolves after the delay, and rejects when the signal aborts. It keeps no process alive. */
async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer: unknown = setTimeout(resolve, ms);
  (timer as { unref?(): void }).unref?.();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer as number);
    signal?.removeEventListener("abort", abort);
  }
}
