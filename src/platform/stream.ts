import type { StreamEvent as SentEvent } from "../../generated/operations/types.ts";
import type { Signals } from "./db/signals.ts";
import { signal, type Trx } from "./transaction.ts";

/** Marks a signal that carries a stream event. */
const PREFIX = "news ";

export type { SentEvent };

type Flat<Sent> = Sent extends { event: infer Type; data: infer Data } ? { type: Type } & Data : never;

/** One event of the stream: its name as `type`, and its data. A gap is noticed by each process for its own readers. */
export type StreamEvent = Flat<Exclude<SentEvent, { event: "gap" }>>;

/** Publishes an event on the stream of every process once the transaction has committed. At most 8 kB. */
export function publish(trx: Trx, event: StreamEvent): void {
  signal(trx, PREFIX + JSON.stringify(event));
}

/** Returns the stream event that a signal carries; undefined for a signal that only wakes a waiting request. */
export function streamEventOf(topic: string): StreamEvent | undefined {
  return topic.startsWith(PREFIX) ? JSON.parse(topic.slice(PREFIX.length)) : undefined;
}

/** The events for one client, as a Node stream in object mode. */
export interface Reader {
  /** Null ends it. */
  push(event: SentEvent | null): unknown;
  destroy(): unknown;
  /** Events waiting to be sent. */
  readonly readableLength: number;
}

export interface Stream {
  /**
   * Sends the reader everything that is committed from now on. Returns a function that stops it; the reason if there are too many readers,
   * or the stream is closed.
   */
  add(reader: Reader, operator: string): (() => void) | "full" | "operator_full";
  /** Ends every reader's response. */
  close(): void;
}

/** A reader with more unread events than this is dropped. */
const MAX_WAITING = 1_000;
const MAX_READERS = 100;
const MAX_OF_OPERATOR = 20;

/**
 * Streams what any process on the database commits, as server-sent events (WHATWG HTML, section 9.2). Decision: nothing is stored for disconnected
 * readers, so events have no ids. A reader that connects, or receives `gap`, reloads its lists.
 */
export function createStream(signals: Pick<Signals, "subscribe">): Stream {
  const readers = new Map<Reader, string>();
  let closed = false;
  const send = (event: SentEvent) => {
    for (const reader of readers.keys()) {
      reader.push(event);
      if (reader.readableLength <= MAX_WAITING) continue;
      readers.delete(reader);
      reader.destroy();
    }
  };
  const unsubscribe = signals.subscribe({
    onTopics: (topics) => {
      if (readers.size === 0) return;
      for (const event of topics.map(streamEventOf)) if (event !== undefined) send(sentOf(event));
    },
    onGap: () => send({ event: "gap", data: {} }),
  });
  return {
    add: (reader, operator) => {
      if (closed || readers.size >= MAX_READERS) return "full";
      if ([...readers.values()].filter((each) => each === operator).length >= MAX_OF_OPERATOR)
        return "operator_full";
      readers.set(reader, operator);
      return () => void readers.delete(reader);
    },
    close: () => {
      closed = true;
      unsubscribe();
      for (const reader of readers.keys()) reader.push(null);
      readers.clear();
    },
  };
}

const sentOf = ({ type, ...data }: StreamEvent) => ({ event: type, data }) as SentEvent;
