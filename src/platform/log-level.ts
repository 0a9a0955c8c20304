import type { Logger } from "pino";
import type { Signals } from "./db/signals.ts";
import { signal, type Trx } from "./transaction.ts";

const PREFIX = "log-level ";

/** Has every process at work log at this level, once the transaction has committed. */
export function publishLogLevel(trx: Trx, level: string): void {
  signal(trx, PREFIX + level);
}

/** Sets the level of `log` whenever an operator changes it; returns a function that stops it. */
export function followLogLevel(log: Logger, signals: Signals): () => void {
  return signals.subscribe({
    onTopics: (topics) => {
      const level = topics.findLast((topic) => topic.startsWith(PREFIX))?.slice(PREFIX.length);
      if (level === undefined || level === log.level) return;
      log.level = level;
      log.info({ newLevel: level }, "the level of the log was changed");
    },
    onGap: () => undefined,
  });
}
