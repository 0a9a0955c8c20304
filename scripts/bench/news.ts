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
  const waiting = new Map<string, PromiseWithResolvers<number>>();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event !== "job") return;
      const at = performance.now();
      const { shiftId } = JSON.parse(data);
      waiting.get(shiftId)?.resolve(at);
      waiting.delete(shiftId);
    },
  });
  const connect = async () => {
    const headers = { Authorization: `Bearer ${operationsToken}` };
    const response = await fetch(`${child.url}/operations/v1/stream`, { headers, signal: stopping.signal });
    if (!response.ok || !response.body) throw new Error(`the stream answers ${response.status}`);
    return response.body;
  };
  const follow = async (first: ReadableStream<Uint8Array>) => {
    for (let body = first; ; body = await connect()) {
      // Whoever sends thousands of webhooks does not keep up, and is dropped: who waits for a job must hear of that.
      await read(body, parser.feed).catch(() => undefined);
      for (const { reject } of waiting.values()) reject(new Error("the stream ended"));
      waiting.clear();
    }
  };
  follow(await connect()).catch(() => undefined);
  return {
    job: (shiftId) => {
      const heard = Promise.withResolvers<number>();
      waiting.set(shiftId, heard);
      return heard.promise;
    },
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
