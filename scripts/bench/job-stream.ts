import { createClient } from "../../generated/operations/client.ts";
import type { StreamEvent } from "../../generated/operations/types.ts";
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
  const headers = { Authorization: `Bearer ${operationsToken}` };
  const client = createClient({ baseUrl: `${child.url}/operations/v1`, headers });
  const connect = async () => {
    const { status, data } = await client.readStream({ signal: stopping.signal });
    if (status !== 200) throw new Error(`the stream responds with ${status}`);
    return data;
  };
  const read = async (events: AsyncIterable<StreamEvent>) => {
    for await (const { event, data } of events) {
      if (event !== "job") continue;
      waiting.get(data.shiftId)?.resolve(performance.now());
      waiting.delete(data.shiftId);
    }
  };
  const follow = async (first: AsyncIterable<StreamEvent>) => {
    for (let events = first; ; events = await connect()) {
      // The platform drops a reader that falls behind, as during thousands of webhooks. Waiting callers get an error.
      await read(events).catch(() => undefined);
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
