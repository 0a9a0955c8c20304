import { setTimeout as sleep } from "node:timers/promises";
import type { RetryPolicy } from "../../clients/retry-policy.ts";
import type { Database, Log } from "../db/database.ts";
import { inTime } from "../db/in-time.ts";
import type { WorkKind } from "../db/schema.ts";
import { newId } from "../ids.ts";
import { transact } from "../transaction.ts";
import {
  type Claim,
  ClaimLost,
  claimMail,
  claimWork,
  endClaim,
  isIdle,
  LEASE_MS,
  releaseAllClaims,
  releaseClaims,
  renewClaims,
} from "./claims.ts";
import { retryDelay } from "./retry.ts";
import { traceOf } from "./trace-of.ts";

/**
 * Carries one piece of work as far as it goes, and settles its claim in its last transaction. Runs outside of any transaction, so it may call
 * a provider. When it rejects, the work is tried again later. `spare`: the provider is not called for so many milliseconds, whatever is due.
 */
export type Run = (claim: Claim, signal: AbortSignal, spare: (ms: number) => void) => Promise<void>;

export interface Worker {
  /** Something may be due; returns at once. */
  wake(): void;
  /** Something is due in so many milliseconds. */
  wakeIn(ms: number): void;
  /** The provider responds: what is due there waits no longer. */
  responds(providerId: string): void;
  start(): Promise<void>;
  /** Claims no more, waits `graceMs` for what is in hand, then aborts it and gives it back. */
  stop(options: { graceMs: number }): Promise<void>;
  /** Resolves when nothing is due or in hand, not even for another attempt. */
  idle(): Promise<void>;
}

export interface WorkerOptions {
  database: Database;
  log: Log;
  runs: Partial<Record<WorkKind, Run>>;
  retries: RetryPolicy;
  hourlyMs: number;
  /** How many pieces of work this process has in hand at most, mail apart. */
  places: number;
  /** How many calls to one provider may be under way. */
  atOnce: number;
  /** The longest time between two claims. Milliseconds. */
  pollMs?: number;
}

interface InHand {
  claim: Claim;
  /** By `performance.now`. */
  since: number;
  abort: AbortController;
  finished: Promise<void>;
}

const MAIL_PLACES = 5;
const RENEW_MS = LEASE_MS / 4;
const RUNS_PER_CALL = 10;
/** How long work may take to notice that it is aborted; then it is given back. */
const ABORT_MS = 500;
const SETTLE_AGAIN_MS = 1_000;
/** What another process has in hand ends without a signal: how long one who waits for it may wait on. Milliseconds. */
const IDLE_AGAIN_MS = 25;
/** A claim costs the database as much as a run: one serves all that becomes due or finishes within this time. */
const GATHER_MS = 40;

export function createWorker(options: WorkerOptions): Worker {
  return new DueWorker(options);
}

class DueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #kinds: readonly WorkKind[];
  readonly #inHand = new Map<string, InHand>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Until when, by `performance.now`, nothing is claimed of a provider that is not called: each piece would only find that out. */
  readonly #spared = new Map<string, number>();
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #idleAgain: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;
  #claimedAt = 0;
  /** How much was in hand after the last claim, and what resolves when half of it has finished. */
  #held = 0;
  #halfFinished = Promise.withResolvers<void>();
  #state: "new" | "started" | "stopped" = "new";

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#kinds = Object.keys(options.runs) as WorkKind[];
  }

  async start(): Promise<void> {
    const { database, pollMs = 1_000 } = this.#options;
    if (database.engine === "pglite") await releaseAllClaims(database);
    this.#state = "started";
    this.#timers.add(setInterval(() => this.wake(), pollMs));
    this.#timers.add(setInterval(() => this.#renew(), RENEW_MS));
    this.wake();
  }

  wake(): void {
    if (this.#state !== "started") return;
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#again && this.#hasPlace()) this.wake();
      else void this.#resolveIfIdle();
    });
  }

  wakeIn(ms: number): void {
    if (this.#state !== "started" || ms > (this.#options.pollMs ?? 1_000)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, ms + 1);
    this.#timers.add(timer);
  }

  responds(providerId: string): void {
    if (this.#spared.delete(providerId)) this.wake();
  }

  #spare(providerId: string, ms: number): void {
    this.#spared.set(providerId, performance.now() + ms);
    this.wakeIn(ms);
  }

  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.#state = "stopped";
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#idleAgain);
    await this.#claiming;
    await this.#allFinished(graceMs);
    for (const { abort } of this.#inHand.values()) abort.abort(new Error("the platform is shutting down"));
    await this.#allFinished(ABORT_MS);
    await this.#release([...this.#inHand.values()].map(({ claim }) => claim));
    for (const { reject } of this.#waiters.splice(0)) reject(new Error("the worker was stopped"));
  }

  idle(): Promise<void> {
    const idle = new Promise<void>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.wake();
    return idle;
  }

  #hasPlace(): boolean {
    return this.#placesOf(false) > 0 || this.#placesOf(true) > 0;
  }

  #placesOf(isMail: boolean): number {
    if (this.#state !== "started") return 0;
    const alike = [...this.#inHand.values()].filter(({ claim }) => (claim.kind === "mail") === isMail);
    return (isMail ? MAIL_PLACES : this.#options.places) - alike.length;
  }

  async #claimAll(): Promise<void> {
    while (this.#again && this.#hasPlace()) {
      await this.#gather();
      this.#again = false;
      try {
        for (const claim of [...(await this.#claimAtProviders()), ...(await this.#claimMail())])
          this.#carry(claim);
      } catch (error) {
        this.#options.log.error({ err: error }, "could not claim work");
      }
      this.#claimedAt = performance.now();
      this.#held = this.#inHand.size;
      this.#halfFinished = Promise.withResolvers();
    }
  }

  /** Nothing waits while little is in hand. */
  async #gather(): Promise<void> {
    const leftMs = this.#claimedAt + GATHER_MS - performance.now();
    if (leftMs <= 0 || this.#inHand.size <= this.#held / 2) return;
    await Promise.race([sleep(leftMs), this.#halfFinished.promise]);
  }

  async #claimAtProviders(): Promise<Claim[]> {
    const places = this.#placesOf(false);
    if (places <= 0) return [];
    const { database, atOnce } = this.#options;
    // So many that a call ends without the next one having to be claimed first, but never all places: slow providers leave some to the others.
    const perProvider = Math.max(atOnce, Math.min(atOnce * RUNS_PER_CALL, Math.floor(places / 4)));
    for (const [providerId, until] of this.#spared)
      if (until <= performance.now()) this.#spared.delete(providerId);
    const spared = [...this.#spared.keys()];
    return claimWork(database, { kinds: this.#kinds, places, spared, perProvider, claim: newId() });
  }

  async #claimMail(): Promise<Claim[]> {
    const places = this.#placesOf(true);
    if (places <= 0 || !this.#kinds.includes("mail")) return [];
    return claimMail(this.#options.database, { places, claim: newId() });
  }

  #carry(claim: Claim): void {
    const abort = new AbortController();
    const key = `${claim.providerId} ${claim.kind} ${claim.key} ${claim.claim}`;
    const finished = this.#runOnce(claim, abort.signal).finally(() => {
      this.#inHand.delete(key);
      if (this.#inHand.size <= this.#held / 2) this.#halfFinished.resolve();
      this.wake();
    });
    this.#inHand.set(key, { claim, since: performance.now(), abort, finished });
  }

  /** Never rejects. */
  async #runOnce(claim: Claim, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.runs[claim.kind]?.(claim, signal, (ms) => this.#spare(claim.providerId, ms));
    } catch (error) {
      if (error instanceof ClaimLost) return;
      if (signal.aborted) return this.#release([claim]);
      const { kind, providerId } = claim;
      const traceId = await this.#traceIdOf(claim);
      this.#options.log.warn(
        { err: error, kind, providerId, traceId },
        "work failed, and will be tried again",
      );
      await this.#settleFailed(claim);
    }
  }

  /** Undefined, too, when the database does not say: it may be why the work failed. */
  async #traceIdOf(claim: Claim): Promise<string | undefined> {
    const trace = traceOf(this.#options.database.kysely, claim);
    return (await inTime(trace).catch(() => undefined))?.traceId;
  }

  /** Until it is written; the lease ends by itself should the process end first. */
  async #settleFailed(claim: Claim): Promise<void> {
    const { retries, hourlyMs, database, log } = this.#options;
    const afterMs = retryDelay(retries, claim.attempts, { hourlyMs });
    const rest = { afterMs, attempts: claim.attempts, priority: claim.priority };
    while (this.#state === "started") {
      try {
        await transact({ database }, (trx) => endClaim(trx, claim, rest));
        return this.wakeIn(afterMs);
      } catch (error) {
        if (error instanceof ClaimLost) return;
        log.error({ err: error, kind: claim.kind }, "could not settle work");
        await sleep(SETTLE_AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  /** Most work ends before its lease is worth a thought. */
  #renew(): void {
    const before = performance.now() - RENEW_MS;
    const claims = [...this.#inHand.values()].filter(({ since }) => since < before).map(({ claim }) => claim);
    if (claims.length === 0) return;
    renewClaims(this.#options.database, claims).catch((error) => {
      this.#options.log.warn({ err: error }, "could not renew the claims in hand");
    });
  }

  async #release(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await releaseClaims(this.#options.database, claims);
    } catch (error) {
      this.#options.log.warn({ err: error }, "could not give work back: it is due when its lease ends");
    }
  }

  async #resolveIfIdle(): Promise<void> {
    // Later callers wait for work that the statement below cannot see.
    const asked = new Set(this.#waiters);
    if (asked.size === 0 || this.#inHand.size > 0 || this.#claiming) return;
    try {
      const { database, retries } = this.#options;
      const isNothingDue = await isIdle(database, { kinds: this.#kinds, tries: retries.tries });
      if (this.#inHand.size > 0) return;
      if (!isNothingDue) return this.#askAgain();
      this.#waiters = this.#waiters.filter((waiter) => !asked.has(waiter));
      for (const { resolve } of asked) resolve();
    } catch (error) {
      this.#options.log.warn({ err: error }, "could not read what is due");
    }
  }

  #askAgain(): void {
    this.#idleAgain ??= setTimeout(() => {
      this.#idleAgain = undefined;
      void this.#resolveIfIdle();
    }, IDLE_AGAIN_MS);
  }

  async #allFinished(ms: number): Promise<void> {
    if (this.#inHand.size === 0) return;
    const over = new AbortController();
    const finished = Promise.all([...this.#inHand.values()].map((inHand) => inHand.finished));
    await Promise.race([finished, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
  }
}
