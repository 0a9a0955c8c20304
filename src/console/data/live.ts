import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { StreamEvent } from "../../../generated/operations/types.ts";
import { api } from "./api.ts";

type MessageOf<Sent> = Sent extends { event: infer Type; data: infer Data }
  ? { type: Type; data: Data }
  : never;

/** One message of the stream: an event of the operations document, with its data. */
export type StreamMessage = MessageOf<StreamEvent>;

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
  const { data: messages } = await api.readStream({ signal: stop });
  if (!messages) return;
  onOpen();
  liveState.value = "live";
  // Messages from before the connection are not sent again (operations document): every page reads again.
  emit({ type: "gap", data: {} });
  for await (const { event, data } of messages) emit({ type: event, data } as StreamMessage);
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

/** After the last key. Milliseconds. */
const PAUSE_MS = 150;

/** The value, once it has not changed for a moment. */
export function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
