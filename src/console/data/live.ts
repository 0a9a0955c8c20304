import { signal } from "@preact/signals";
import { createParser } from "eventsource-parser";
import type { StreamEvents } from "../../../generated/operations/types.ts";
import { BASE_URL, callWithToken } from "./api.ts";

/** One message of the stream: an event of the operations document, with its data. */
export type StreamMessage = {
  [Type in keyof StreamEvents]: { type: Type; data: StreamEvents[Type] };
}[keyof StreamEvents];

/** Returns whether a message names one of the ids. */
export function isAbout({ data }: StreamMessage, ids: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(data).some(([name, value]) => typeof value === "string" && ids[name] === value);
}

export type LiveState = "connecting" | "live" | "lost";

/** Whether the pages follow the stream. */
export const liveState = signal<LiveState>("connecting");

const listeners = new Set<(message: StreamMessage) => void>();
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Calls the listener for every message from now on; returns how to stop that. */
export function onMessage(listener: (message: StreamMessage) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Reads the stream, and reconnects whenever it ends; returns how to stop that. */
export function followStream(): () => void {
  const stopping = new AbortController();
  void follow(stopping.signal);
  return () => stopping.abort();
}

async function follow(stop: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!stop.aborted) {
    try {
      await readStream(stop, () => {
        wait = FIRST_WAIT_MS;
      });
    } catch {
      // Shown as the state "lost". The stream is retried, and every page works without it.
    }
    if (stop.aborted) return;
    liveState.value = "lost";
    await pause(wait, stop);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

async function readStream(stop: AbortSignal, onOpen: () => void): Promise<void> {
  const response = await callWithToken(new Request(`${BASE_URL}/stream`, { signal: stop }));
  if (!response.ok || !response.body) return;
  onOpen();
  liveState.value = "live";
  // Messages from before the connection are not sent again (operations document): every page reads again.
  emit({ type: "gap", data: {} });
  const parser = createParser({
    onEvent: ({ event, data }) => emit({ type: event, data: JSON.parse(data) } as StreamMessage),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

function emit(message: StreamMessage): void {
  for (const listener of listeners) listener(message);
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const cut = () => {
      clearTimeout(timer);
      resolve();
    };
    stop.addEventListener("abort", cut, { once: true });
  });
}
