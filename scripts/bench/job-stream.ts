import { createParser } from "eventsource-parser";
import type { Platform } from "./organisations.ts";

/** Reads from the platform's stream when jobs are created. */
export interface JobStream {
  /** Resolves with the time (performance.now) at which the stream reported the job of the shift. */
  job(shiftId: string): Promise<number>;
  stop(): void;
}

export async function listen({ child, operationsToken }: Platform): Promise<JobStream> {
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
    if (!response.ok || !response.body) throw new Error(`the stream responds with ${response.status}`);
    return response.body;
  };
  const follow = async (first: ReadableStream<Uint8Array>) => {
    for (let body = first; ; body = await connect()) {
      // The platform drops a reader that falls behind, as during thousands of webhooks. Waiting callers get an error.
      await read(body, parser.feed).catch(() => undefined);
      for (const { reject } of waiting.values()) reject(new Error("the stream ended"));
      waiting.clear();
    }
  };
  follow(await connect()).catch(() => undefined);
  return {
    job: (shiftId) => {
      const reported = Promise.withResolvers<number>();
      waiting.set(shiftId, reported);
      return reported.promise;
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
