import { sql } from "kysely";
import type { Database, Log } from "../db/database.ts";

/** How far a reading reaches back before the last one: work is due from the begin of its transaction, and shows after the commit. Milliseconds. */
const OVERLAP_MS = 2_000;

/** How often everything that is due is read, which finds the work of a process that ended and of long transactions. Milliseconds. */
const ALL_EVERY_MS = 10_000;

/** A reading of everything that takes long is made less often: these readings use at most a twentieth of the time. */
const SHARE = 20;

/**
 * The organisations at which work may be due, so that a claim names these alone, whatever the number of organisations: those of this process's own
 * commits and runs, and those of what became due since the last reading.
 */
export class Agenda {
  readonly #providers = new Set<string>();
  readonly #now: () => number;
  #isStale = true;
  /** Of the last reading that found something, by the database's clock. */
  #readAt: Date | undefined;
  /** When to read everything. */
  #readAllAt = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(providerIds: Iterable<string>): void {
    for (const providerId of providerIds) this.#providers.add(providerId);
  }

  /** Time has passed, or something has become due somewhere: the next `take` reads. */
  expire(): void {
    this.#isStale = true;
  }

  /** Returns the organisations that `isWanted`, and removes them: the caller adds those at which something is left. */
  async take(
    database: Pick<Database, "kysely">,
    isWanted: (providerId: string) => boolean,
  ): Promise<string[]> {
    if (this.#isStale) await this.#read(database);
    const taken = [...this.#providers].filter(isWanted);
    for (const providerId of taken) this.#providers.delete(providerId);
    return taken;
  }

  async #read({ kysely }: Pick<Database, "kysely">): Promise<void> {
    const startedAt = this.#now();
    const isOfAll = startedAt >= this.#readAllAt || this.#readAt === undefined;
    const after = isOfAll ? "-infinity" : new Date(Number(this.#readAt) - OVERLAP_MS).toISOString();
    this.#isStale = false;
    try {
      const { rows } = await sql<{ providerId: string; at: Date }>`
        select provider_id, now() as at from work
        where priority in (0, 1, 2) and due_at > ${after}::timestamptz and due_at <= now() and kind not in ('mail', 'webhook')
        group by provider_id`.execute(kysely);
      this.add(rows.map(({ providerId }) => providerId));
      this.#readAt = rows[0]?.at ?? this.#readAt;
      const endedAt = this.#now();
      if (isOfAll) this.#readAllAt = endedAt + Math.max(ALL_EVERY_MS, (endedAt - startedAt) * SHARE);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }
}

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
