import { signal } from "@preact/signals";
import { createParser } from "eventsource-parser";
import { BASE_URL, callWithToken } from "./api.ts";

/** One message of the stream: ids and states (operations document, "The stream"). */
export interface News {
  type: "job" | "booking" | "event" | "issue" | "notification" | "import" | "gap";
  data: Record<string, string | number | null>;
}

export type LiveState = "connecting" | "live" | "lost";

/** Whether what is shown follows what happens. */
export const liveState = signal<LiveState>("connecting");

const listeners = new Set<(news: News) => void>();
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Tells of every message from now on; answers how to stop that. */
export function onNews(listener: (news: News) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Reads the stream until it is told to stop, and connects again whenever it ends. */
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
      // Shown as the state "lost": the stream is tried again, and every page can be read without it.
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
  // What happened while nobody listened is not sent again (operations document): everything is read anew.
  tell({ type: "gap", data: {} });
  const parser = createParser({
    onEvent: ({ event, data }) => tell({ type: event as News["type"], data: JSON.parse(data) }),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

function tell(news: News): void {
  for (const listener of listeners) listener(news);
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
