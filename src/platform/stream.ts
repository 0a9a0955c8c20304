import type { StreamEvents } from "../../generated/operations/types.ts";
import type { Signals } from "./db/signals.ts";
import { signal, type Trx } from "./transaction.ts";

/** Marks a signal that carries a stream event. */
const PREFIX = "news ";

/** A gap is noticed by each process for its own readers. */
type Published = Exclude<keyof StreamEvents, "gap">;

/** One event of the stream: its name as `type`, and its data. */
export type StreamEvent = {
  [Type in Published]: { type: Type } & StreamEvents[Type];
}[Published];

/** Publishes an event on the stream of every process once the transaction has committed. At most 8 kB. */
export function publish(trx: Trx, event: StreamEvent): void {
  signal(trx, PREFIX + JSON.stringify(event));
}

/** Returns the stream event that a signal carries; undefined for a signal that only wakes a waiting request. */
export function streamEventOf(topic: string): StreamEvent | undefined {
  return topic.startsWith(PREFIX) ? JSON.parse(topic.slice(PREFIX.length)) : undefined;
}

/** The response of a client that reads the stream. */
export interface Reader {
  write(chunk: string): unknown;
  end(): unknown;
  destroy(): unknown;
  /** Bytes waiting to be sent. */
  readonly writableLength: number;
}

export interface Stream {
  /** Sends the reader everything that is committed from now on. Returns a function that stops it; false if there are too many readers or the stream is closed. */
  add(reader: Reader): (() => void) | false;
  /** Ends every reader's response. */
  close(): void;
}

export interface StreamOptions {
  /** A reader with more unread bytes than this is dropped. */
  maxWaiting?: number;
  maxReaders?: number;
}

const HEARTBEAT_MS = 15_000;
/** How soon a browser reconnects. Milliseconds. */
const RETRY_MS = 2_000;

/**
 * Streams what any process on the database commits, as server-sent events (WHATWG HTML, section 9.2). Decision: nothing is stored for disconnected
 * readers, so events have no ids. A reader that connects, or receives `gap`, reloads its lists.
 */
export function createStream(signals: Pick<Signals, "subscribe">, options: StreamOptions = {}): Stream {
  const { maxWaiting = 64 * 1024, maxReaders = 100 } = options;
  const readers = new Set<Reader>();
  let closed = false;
  const send = (text: string) => {
    for (const reader of readers) {
      reader.write(text);
      if (reader.writableLength <= maxWaiting) continue;
      readers.delete(reader);
      reader.destroy();
    }
  };
  const unsubscribe = signals.subscribe({
    onTopics: (topics) => {
      if (readers.size === 0) return;
      const events = topics.map(streamEventOf).filter((event) => event !== undefined);
      if (events.length > 0) send(events.map(messageOf).join(""));
    },
    onGap: () => send(message("gap", {})),
  });
  const heartbeat = setInterval(() => send(": still here\n\n"), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    add: (reader) => {
      if (closed || readers.size >= maxReaders) return false;
      readers.add(reader);
      reader.write(`retry: ${RETRY_MS}\n\n`);
      return () => void readers.delete(reader);
    },
    close: () => {
      closed = true;
      clearInterval(heartbeat);
      unsubscribe();
      for (const reader of readers) reader.end();
      readers.clear();
    },
  };
}

const messageOf = ({ type, ...data }: StreamEvent) => message(type, data);

const message = (event: keyof StreamEvents, data: object) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
