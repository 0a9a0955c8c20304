import { pipeline } from "node:stream/promises";
import type { Response } from "express";

/** An event of a stream. The schema of the document allows no other members. */
interface SentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

/** Proxies end a connection that is silent for longer. */
const HEARTBEAT_MS = 15_000;

/**
 * Sends server-sent events (WHATWG HTML, section 9.2) as fast as the reader takes them, until they end or the reader leaves; a Node stream of
 * events is destroyed then. `check` throws for an event that the document does not allow, which ends the connection.
 */
export async function sendEvents(
  response: Response,
  events: AsyncIterable<unknown>,
  check: (event: unknown) => void,
): Promise<void> {
  response.set({ "Cache-Control": "no-store", "X-Accel-Buffering": "no" }).flushHeaders();
  // A pipeline that waits for its source does not notice that its end has closed.
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const heartbeat = setInterval(() => response.write(":\n\n"), HEARTBEAT_MS);
  const texts = async function* (source: AsyncIterable<unknown>) {
    for await (const event of source) {
      check(event);
      yield textOf(event as SentEvent);
    }
  };
  try {
    // The reader has left, or the events failed: there is no response any more that could say so.
    await pipeline(events, texts, response, { signal: gone.signal }).catch(() => response.destroy());
  } finally {
    clearInterval(heartbeat);
  }
}

/** A line break would begin another field. */
const field = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `${name}: ${value.replaceAll(/[\r\n]+/g, " ")}\n`;

const textOf = ({ id, event, data }: SentEvent): string =>
  `${field("id", id)}${field("event", event)}${field("data", JSON.stringify(data))}\n`;
