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

/** Returns a clock that only `pass` advances. */
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

/** Starts a listener with a manual clock, and records the requests. */
export async function startListening(options: Partial<ListenerOptions> = {}) {
  const time = manualTime();
  const seen: Seen[] = [];
  const waiting: { answer: Seen["answer"]; resolve: () => void }[] = [];
  const listener: Listener = await startListener({
    port: 0,
    token: TOKEN,
    expect: ["shift.create", "shift.update", "shift.delete"],
    timeoutMs: TIMEOUT_MS,
    wait: time.wait,
    onSeen: (one) => {
      seen.push(one);
      for (const { answer, resolve } of waiting) if (answer === one.answer) resolve();
    },
    ...options,
  });
  /** Resolves at the next webhook with this answer. */
  const untilSeen = (answer: Seen["answer"]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ answer, resolve });
    return promise;
  };
  /** Ends the time limit. */
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

/** Sends a request that is valid except for the given parts. */
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

/** Returns the codes of findings, without those of an early end. */
export function codesIn({ findings }: Verdict): string[] {
  return findings
    .map(({ code }) => code)
    .filter((code) => code !== "webhook_event_missing" && code !== "skipped_not_sent");
}
