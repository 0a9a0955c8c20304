import type { Database } from "./engine.ts";

/** The channel of NOTIFY on which signals are sent (`signal` of transaction.ts). */
export const SIGNALS = "shiftpact_signals";

export interface Subscriber {
  onTopic: (topic: string) => void;
  /** The connection was made anew: signals may have been missed. */
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
    (topic) => {
      wake([topic]);
      for (const { onTopic } of subscribers) onTopic(topic);
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
