import { createHmac } from "node:crypto";
import { readRetryAfter } from "../../clients/provider/answer.ts";
import { createProviderHttp, type ProviderHttpOptions } from "../../clients/provider/http.ts";
import { ProviderHttpError } from "../../clients/provider/http-error.ts";
import { CHANNEL_PLACES, WEBHOOK_TIMEOUT_MS } from "../../clients/retry-policy.ts";
import type { NotificationWebhook } from "../deps.ts";
import { uninstrumented } from "../tracing.ts";
import { AT_ONCE } from "./hand-over.ts";

/** The most connections: what all places hand over at a time, and an alert of operators, so that no attempt waits for another. */
const CONNECTIONS = 2 * CHANNEL_PLACES * AT_ONCE + 1;

export interface WebhookOptions extends Pick<ProviderHttpOptions, "allowInsecure" | "resolve" | "timeoutMs"> {
  url: string;
  /** Each signs, the first one first. */
  secrets: readonly Buffer[];
  now: () => Date;
}

/**
 * Hands notifications to a service, as Standard Webhooks has it. The address guard of providers applies, no redirect is followed, and
 * neither the URL nor the body is traced.
 */
export function createNotificationWebhook(options: WebhookOptions): NotificationWebhook {
  const { url, secrets, now, timeoutMs = WEBHOOK_TIMEOUT_MS, ...rest } = options;
  const http = createProviderHttp({ ...rest, timeoutMs, connections: CONNECTIONS });
  return {
    send: async (id, body, signal) => {
      const timestamp = `${Math.floor(now().getTime() / 1_000)}`;
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": secrets
          .map((secret) => signatureOf(secret, `${id}.${timestamp}.${body}`))
          .join(" "),
      };
      try {
        const request = new Request(url, { method: "POST", headers, body, signal });
        const { status, ok, headers: answer } = await uninstrumented(() => http.fetch(request));
        if (ok) return { kind: "accepted" };
        if (status === 410) return { kind: "gone" };
        const retryAfterMs = readRetryAfter(answer.get("retry-after"), now().getTime());
        return { kind: "failed", status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
      } catch (error) {
        const failure = error instanceof ProviderHttpError ? error.failure : "internal_error";
        return { kind: "failed", failure };
      }
    },
    close: http.close,
  };
}

const signatureOf = (secret: Buffer, signed: string): string =>
  `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
