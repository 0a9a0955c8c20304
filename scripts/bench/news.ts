import { createParser } from "eventsource-parser";
import type { Platform } from "./organisations.ts";

/** Hears from the platform's stream when jobs come into being. */
export interface News {
  /** Resolves with the time (performance.now) at which the job of the shift was told of. */
  job(shiftId: string): Promise<number>;
  stop(): void;
}

export async function listen({ child, operationsToken }: Platform): Promise<News> {
  const stopping = new AbortController();
  const headers = { Authorization: `Bearer ${operationsToken}` };
  const response = await fetch(`${child.url}/operations/v1/stream`, { headers, signal: stopping.signal });
  if (!response.ok || !response.body) throw new Error(`the stream answers ${response.status}`);
  const waiting = new Map<string, (at: number) => void>();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event !== "job") return;
      const at = performance.now();
      const { shiftId } = JSON.parse(data);
      waiting.get(shiftId)?.(at);
      waiting.delete(shiftId);
    },
  });
  const over = read(response.body, parser.feed).catch((error) => {
    if (!stopping.signal.aborted) throw error;
  });
  const lost = over.then(() => Promise.reject(new Error("the stream ended")));
  lost.catch(() => undefined);
  return {
    job: (shiftId) => Promise.race([new Promise<number>((resolve) => waiting.set(shiftId, resolve)), lost]),
    stop: () => stopping.abort(),
  };
}

async function read(body: ReadableStream<Uint8Array>, feed: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    feed(decoder.decode(part.value, { stream: true }));
  }
}
