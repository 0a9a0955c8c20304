import type { Database } from "./engine.ts";

/** The channel of NOTIFY on which signals are sent (`signal` of transaction.ts). */
export const SIGNALS = "shiftpact_signals";

/** Bytes of one NOTIFY, which PostgreSQL limits to 8,000. */
const LARGEST = 7_900;
const SEPARATOR = "\n";

/** Packs topics, which hold no line break, into few payloads: each costs every process that listens. */
export function payloadsOf(topics: readonly string[]): string[] {
  const packs: string[][] = [];
  let bytes = LARGEST;
  for (const topic of topics) {
    const size = Buffer.byteLength(topic) + SEPARATOR.length;
    const isFull = bytes + size > LARGEST;
    if (isFull) packs.push([]);
    bytes = isFull ? size : bytes + size;
    packs.at(-1)?.push(topic);
  }
  return packs.map((pack) => pack.join(SEPARATOR));
}

export interface Subscriber {
  /** At least one, in the order in which they were sent. */
  onTopics: (topics: readonly string[]) => void;
  /** The connection was replaced: signals may have been missed. */
  onGap: () => void;
}

/** What any process on the database has committed, as topics. A lost signal costs time, never data. */
export interface Signals {
  /** Resolves to true at the next signal of the topic, to false after `timeoutMs`. Call it before reading the state that it announces. */
  next(topic: string, timeoutMs: number): { signal: Promise<boolean>; cancel: () => void };
  /** Passes on every signal, of every process; returns a function that stops it. */
  subscribe(subscriber: Subscriber): () => void;
  close(): Promise<void>;
}

export async function openSignals({ raw }: Pick<Database, "raw">): Promise<Signals> {
  const waiting = new Map<string, Set<(isSignal: boolean) => void>>();
  const subscribers = new Set<Subscriber>();
  const wake = (topics: Iterable<string>) => {
    for (const topic of topics) for (const resolve of waiting.get(topic) ?? []) resolve(true);
  };
  const listener = await raw.listen(
    SIGNALS,
    (payload) => {
      const topics = payload.split(SEPARATOR);
      wake(topics);
      for (const { onTopics } of subscribers) onTopics(topics);
    },
    () => {
      wake([...waiting.keys()]);
      for (const { onGap } of subscribers) onGap();
    },
  );
  return {
    next: (topic, timeoutMs) => waitFor(waiting, topic, timeoutMs),
    subscribe: (subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    close: async () => {
      wake([...waiting.keys()]);
      await listener.close();
    },
  };
}

function waitFor(waiting: Map<string, Set<(isSignal: boolean) => void>>, topic: string, timeoutMs: number) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const resolvers = waiting.get(topic) ?? new Set();
  waiting.set(topic, resolvers.add(resolve));
  const timer = setTimeout(() => resolve(false), timeoutMs);
  const forget = () => {
    clearTimeout(timer);
    resolvers.delete(resolve);
    if (resolvers.size === 0) waiting.delete(topic);
  };
  return { signal: promise.finally(forget), cancel: () => resolve(false) };
}
