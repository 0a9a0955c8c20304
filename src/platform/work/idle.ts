import type { Log } from "../db/database.ts";

/** How often work of other processes is checked, which ends without a signal. */
const RETRY_MS = 25;

interface IdleOptions {
  log: Log;
  /** Whether this process runs or claims work. */
  isBusy: () => boolean;
  /** Asks the database. */
  isNothingDue: () => Promise<boolean>;
}

/** Callers that wait until no work is due or in progress. */
export class IdleWaiters {
  readonly #options: IdleOptions;
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IdleOptions) {
    this.#options = options;
  }

  add(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Resolves the waiters if nothing is due; otherwise checks again later. Never rejects. */
  async check(): Promise<void> {
    const { log, isBusy, isNothingDue } = this.#options;
    // Work of later callers may start after the statement below.
    const waiters = new Set(this.#waiters);
    if (waiters.size === 0 || isBusy()) return;
    try {
      const isIdle = await isNothingDue();
      if (isBusy()) return;
      if (!isIdle) return this.#checkLater();
      this.#waiters = this.#waiters.filter((waiter) => !waiters.has(waiter));
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      log.warn({ err: error }, "could not check for due work");
    }
  }

  stopChecking(): void {
    clearTimeout(this.#timer);
  }

  reject(error: Error): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  #checkLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.check();
    }, RETRY_MS);
  }
}
