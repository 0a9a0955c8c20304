import type { Message } from "../../generated/events/types.ts";
import { type Listener, type ListenerOptions, startListener } from "../../src/verify/listen/listener.ts";
import type { Seen } from "../../src/verify/listen/webhook-receiver.ts";
import type { Verdict } from "../../src/verify/verdict.ts";

export const TOKEN = "platform-token";
const TIMEOUT_MS = 120_000;

export const CREATE = {
  event: "shift.create",
  providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
  content: { shiftId: "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3" },
  traceId: "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55",
} as const satisfies Message;
export const UPDATE = {
  ...CREATE,
  event: "shift.update",
  traceId: "8a9d0f5e-35a1-4a3c-9be5-9a3a2b2d0c77",
} as const satisfies Message;
export const DELETE = {
  ...CREATE,
  event: "shift.delete",
  traceId: "d0f5c2aa-7a4e-4b0c-9a0b-54b1f1b7a901",
} as const satisfies Message;

/** Time that passes only when it is told to. */
export function manualTime() {
  const waiting: { ms: number; resolve: () => void }[] = [];
  const wait: ListenerOptions["wait"] = (ms, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ ms, resolve });
    signal.addEventListener("abort", () => resolve());
    return promise;
  };
  /** Ends every wait of this length. */
  const pass = (ms: number) => {
    for (const each of waiting) if (each.ms === ms) each.resolve();
  };
  return { wait, pass };
}

/** A listener whose time stands still, and what it has seen. */
export async function startListening(options: Partial<ListenerOptions> = {}) {
  const time = manualTime();
  const seen: Seen[] = [];
  const hopes: { answer: Seen["answer"]; resolve: () => void }[] = [];
  const listener: Listener = await startListener({
    port: 0,
    token: TOKEN,
    expect: ["shift.create", "shift.update", "shift.delete"],
    timeoutMs: TIMEOUT_MS,
    wait: time.wait,
    onSeen: (one) => {
      seen.push(one);
      for (const { answer, resolve } of hopes) if (answer === one.answer) resolve();
    },
    ...options,
  });
  /** Resolves when a webhook is answered like that from now on. */
  const untilSeen = (answer: Seen["answer"]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hopes.push({ answer, resolve });
    return promise;
  };
  /** The time is over. */
  const end = () => {
    time.pass(TIMEOUT_MS);
    return listener.finished;
  };
  return { ...listener, seen, untilSeen, pass: time.pass, end };
}

interface Posted {
  path?: string;
  method?: string;
  /** The whole header; null: none. */
  authorization?: string | null;
  contentType?: string;
  body?: unknown;
  signal?: AbortSignal;
}

/** One request, right in every part that is not named. */
export async function post(url: string, posted: Posted = {}): Promise<{ status: number; body: unknown }> {
  const { path = "/webhooks/scheduling-provider", method = "POST", signal, body = CREATE } = posted;
  const { authorization = `Bearer ${TOKEN}`, contentType = "application/json" } = posted;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "Content-Type": contentType, ...(authorization !== null && { Authorization: authorization }) },
    ...(method !== "GET" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return { status: response.status, body: await response.json() };
}

/** What is wrong, without what follows from ending early. */
export function codesIn({ findings }: Verdict): string[] {
  return findings
    .map(({ code }) => code)
    .filter((code) => code !== "webhook_event_missing" && code !== "skipped_not_sent");
}
