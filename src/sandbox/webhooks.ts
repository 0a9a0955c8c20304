import type { Message } from "../../generated/events/types.ts";
import {
  createWebhookClient,
  type Delivery,
  type WebhookClient,
  type WebhookClientOptions,
} from "../clients/webhook-client.ts";

/** Destination of an organisation's webhooks. */
export interface PlatformConnection {
  url: string;
  /** PLATFORM_TOKEN (contract 5.2). */
  token: string;
  /** The kind of provider system, for its own path; `/webhooks/scheduling-provider` by default. */
  kind?: string;
}

/** One webhook, in progress or done. */
export interface SentWebhook {
  event: Message["event"];
  providerId: string;
  shiftId: string;
  traceId: string;
  /** Whether a call of the platform caused it. */
  isEcho: boolean;
  /** The outcome; undefined while it is in progress. */
  delivery: Delivery | undefined;
  done: Promise<Delivery>;
}

/** Times and connections of the client; tests shorten them. */
export type WebhookTiming = Pick<WebhookClientOptions, "schedule" | "timeoutMs" | "wait" | "fetch">;

export interface Webhooks {
  readonly sent: readonly SentWebhook[];
  connect(providerId: string, platform: PlatformConnection): void;
  /** Sends nothing for an organisation that is not connected. The first attempt waits for `after`. */
  send(event: Message, origin?: { isEcho: boolean; after: Promise<void> }): void;
  /** @throws Error when no webhook has the traceId. */
  delivered(traceId: string): Promise<Delivery>;
  /** Resolves when no webhook is in progress. */
  settled(): Promise<void>;
  /** Cancels webhooks in progress. */
  close(): void;
}

const CLOSED: Delivery = { delivered: false, tries: 0, reason: "the sandbox was closed" };

/**
 * Sends webhooks and records each with its outcome.
 * @param rewrite returns the webhooks to send for an event: a fault may drop, repeat or change it.
 */
export function createWebhooks(
  timing: WebhookTiming,
  rewrite: (event: Message, isEcho: boolean) => readonly Message[],
): Webhooks {
  const clients = new Map<string, WebhookClient>();
  const sent: SentWebhook[] = [];
  const closing = new AbortController();

  function sendOne(event: Message, client: WebhookClient, isEcho: boolean, after: Promise<void>): void {
    const { signal } = closing;
    const done = after
      .then(() => client.send(event, signal))
      .catch((error: unknown) => (signal.aborted ? CLOSED : failed(error)));
    const { event: name, providerId, content, traceId } = event;
    const webhook: SentWebhook = {
      event: name,
      providerId,
      shiftId: content.shiftId,
      traceId,
      isEcho,
      delivery: undefined,
      done,
    };
    sent.push(webhook);
    done.then((delivery) => {
      webhook.delivery = delivery;
    });
  }

  return {
    sent,
    connect: (providerId, { url, token, kind }) => {
      const options = { platformUrl: url, token, ...(kind !== undefined && { kind }), ...timing };
      clients.set(providerId, createWebhookClient(options));
    },
    send: (event, { isEcho, after } = { isEcho: false, after: Promise.resolve() }) => {
      const client = clients.get(event.providerId);
      if (!client) return;
      for (const each of rewrite(event, isEcho)) sendOne(each, client, isEcho, after);
    },
    delivered: async (traceId) => {
      const webhook = sent.find((each) => each.traceId === traceId);
      if (!webhook) throw new Error(`no webhook was sent with the traceId ${traceId}`);
      return webhook.done;
    },
    settled: async () => {
      while (sent.some(({ delivery }) => delivery === undefined)) {
        await Promise.all(sent.map(({ done }) => done));
      }
    },
    close: () => closing.abort(),
  };
}

function failed(error: unknown): Delivery {
  return {
    delivered: false,
    tries: 0,
    reason: error instanceof Error ? error.message : "it could not be sent",
  };
}
