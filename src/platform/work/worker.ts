import { setTimeout as sleep } from "node:timers/promises";
import { CHANNEL_PLACES, type RetryPolicy, SLOW_MS } from "../../clients/retry-policy.ts";
import type { Database, Log } from "../db/database.ts";
import type { WorkKind } from "../db/schema.ts";
import { withTimeout } from "../db/with-timeout.ts";
import { newId } from "../ids.ts";
import { transact } from "../transaction.ts";
import { Agenda, IdleWaiters } from "./agenda.ts";
import { claimOfChannel, claimWork, isIdle, releaseAllClaims } from "./claims.ts";
import { retryDelay } from "./retry.ts";
import {
  CHANNELS,
  type ChannelKind,
  type Claim,
  ClaimLost,
  channelOf,
  endClaim,
  LEASE_MS,
  type Run,
  releaseClaims,
  renewClaims,
} from "./rows.ts";
import { traceOf } from "./traced.ts";

export interface WorkerOptions {
  database: Database;
  log: Log;
  runs: Partial<Record<WorkKind, Run>>;
  retries: RetryPolicy;
  hourlyMs: number;
  /** The most pieces of work in progress at providers in this process. */
  places: number;
  /** The most concurrent calls to one provider. */
  atOnce: number;
  /** The longest time between two checks for due work. Milliseconds. */
  pollMs?: number;
}

interface Running {
  claim: Claim;
  /** By `performance.now`. */
  since: number;
  abort: AbortController;
  finished: Promise<void>;
}

const RENEW_MS = LEASE_MS / 4;
const RUNS_PER_CALL = 10;
/** How long aborted work may take to end before its claim is released. */
const ABORT_MS = 500;
const END_CLAIM_RETRY_MS = 1_000;
/** A claim costs the database as much as a run, so one serves everything that becomes due or finishes within this time. */
const GATHER_MS = 40;

export class Worker {
  readonly #options: WorkerOptions;
  readonly #kinds: readonly WorkKind[];
  readonly #running = new Map<string, Running>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Until when, by `performance.now`, nothing is claimed of a provider whose circuit is open. */
  readonly #excluded = new Map<string, number>();
  readonly #agenda = new Agenda();
  readonly #idle: IdleWaiters;
  #claiming: Promise<void> | undefined;
  #again = false;
  #claimedAt = 0;
  /** How much was in progress after the last claim, and what resolves when half of it has finished. */
  #held = 0;
  #halfFinished = Promise.withResolvers<void>();
  #state: "new" | "started" | "stopped" = "new";

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#kinds = Object.keys(options.runs) as WorkKind[];
    const { database, log, retries } = options;
    this.#idle = new IdleWaiters({
      log,
      isBusy: () => this.#running.size > 0 || this.#claiming !== undefined,
      isNothingDue: () => isIdle(database, { kinds: this.#kinds, tries: retries.tries }),
    });
  }

  async start(): Promise<void> {
    const { database, pollMs = 1_000 } = this.#options;
    if (database.engine === "pglite") await releaseAllClaims(database);
    this.#state = "started";
    this.#timers.add(setInterval(() => this.wake(), pollMs));
    this.#timers.add(setInterval(() => this.#renew(), RENEW_MS));
    this.wake();
  }

  /** Checks for due work; returns at once. `providerIds`: those at which something has become due; unless given, the database is asked. */
  wake(providerIds?: readonly string[]): void {
    if (providerIds) this.#agenda.add(providerIds);
    else this.#agenda.expire();
    this.#claim();
  }

  #claim(): void {
    if (this.#state !== "started") return;
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#again && this.#hasPlace()) this.#claim();
      else void this.#idle.check();
    });
  }

  /** Checks for due work after that many milliseconds. */
  wakeIn(ms: number): void {
    if (this.#state !== "started" || ms > (this.#options.pollMs ?? 1_000)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, ms + 1);
    this.#timers.add(timer);
  }

  /** Ends the exclusion of a provider that responds again. */
  responds(providerId: string): void {
    if (this.#excluded.delete(providerId)) this.wake([providerId]);
  }

  #exclude(providerId: string, ms: number): void {
    this.#excluded.set(providerId, performance.now() + ms);
    this.wakeIn(ms);
  }

  /** Stops claiming, waits `graceMs` for the work in progress, then aborts and releases it. */
  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.#state = "stopped";
    for (const timer of this.#timers) clearTimeout(timer);
    this.#idle.stopChecking();
    await this.#claiming;
    await this.#allFinished(graceMs);
    for (const { abort } of this.#running.values()) abort.abort(new Error("the platform is shutting down"));
    await this.#allFinished(ABORT_MS);
    await this.#release([...this.#running.values()].map(({ claim }) => claim));
    this.#idle.reject(new Error("the worker was stopped"));
  }

  /** Resolves when nothing is due or in progress, retries included. */
  idle(): Promise<void> {
    const idle = this.#idle.add();
    this.wake();
    return idle;
  }

  #hasPlace(): boolean {
    return [undefined, ...CHANNELS].some((channel) => this.#placesOf(channel) > 0);
  }

  /** Returns the free places of a channel, or of the work at providers. */
  #placesOf(channel?: ChannelKind): number {
    if (this.#state !== "started") return 0;
    const alike = [...this.#running.values()].filter(({ claim }) => channelOf(claim.kind) === channel);
    if (!channel) return this.#options.places - alike.length;
    const before = performance.now() - SLOW_MS;
    const slow = alike.filter(({ since }) => since < before).length;
    return CHANNEL_PLACES + Math.min(slow, CHANNEL_PLACES) - alike.length;
  }

  async #claimAll(): Promise<void> {
    while (this.#again && this.#hasPlace()) {
      await this.#gather();
      this.#again = false;
      try {
        for (const claim of await this.#claimAtProviders()) this.#start(claim);
        for (const channel of CHANNELS) for (const claim of await this.#claimOf(channel)) this.#start(claim);
      } catch (error) {
        this.#options.log.error({ err: error }, "could not claim work");
      }
      this.#claimedAt = performance.now();
      this.#held = this.#running.size;
      this.#halfFinished = Promise.withResolvers();
    }
  }

  /** Waits for more due work, unless little is in progress. */
  async #gather(): Promise<void> {
    const leftMs = this.#claimedAt + GATHER_MS - performance.now();
    if (leftMs <= 0 || this.#running.size <= this.#held / 2) return;
    await Promise.race([sleep(leftMs), this.#halfFinished.promise]);
  }

  async #claimAtProviders(): Promise<Claim[]> {
    const places = this.#placesOf();
    if (places <= 0) return [];
    const { database, atOnce } = this.#options;
    // Enough that the next call needs no new claim, but never all places: a slow provider leaves some to the others.
    const perProvider = Math.max(atOnce, Math.min(atOnce * RUNS_PER_CALL, Math.floor(places / 4)));
    for (const [providerId, until] of this.#excluded)
      if (until <= performance.now()) this.#excluded.delete(providerId);
    const providers = await this.#agenda.take(database, (providerId) => !this.#excluded.has(providerId));
    try {
      const wanted = { kinds: this.#kinds, places, providers, perProvider, claim: newId() };
      const { claims, left } = await claimWork(database, wanted);
      this.#agenda.add(left);
      return claims;
    } catch (error) {
      this.#agenda.add(providers);
      throw error;
    }
  }

  async #claimOf(channel: ChannelKind): Promise<Claim[]> {
    const places = this.#placesOf(channel);
    if (places <= 0 || !this.#kinds.includes(channel)) return [];
    return claimOfChannel(this.#options.database, { channel, places, claim: newId() });
  }

  #start(claim: Claim): void {
    const abort = new AbortController();
    const key = `${claim.providerId} ${claim.kind} ${claim.key} ${claim.claim}`;
    const finished = this.#runOnce(claim, abort.signal).finally(() => {
      this.#running.delete(key);
      if (this.#running.size <= this.#held / 2) this.#halfFinished.resolve();
      // A hint that arrived during the run makes it due again.
      if (!channelOf(claim.kind)) this.#agenda.add([claim.providerId]);
      this.#claim();
    });
    this.#running.set(key, { claim, since: performance.now(), abort, finished });
  }

  /** Never rejects. */
  async #runOnce(claim: Claim, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.runs[claim.kind]?.(claim, signal, (ms) => this.#exclude(claim.providerId, ms));
    } catch (error) {
      if (error instanceof ClaimLost) return;
      if (signal.aborted) return this.#release([claim]);
      const { kind, providerId } = claim;
      const traceId = await this.#traceIdOf(claim);
      this.#options.log.warn({ err: error, kind, providerId, traceId }, "work failed and will be retried");
      await this.#endFailed(claim);
    }
  }

  /** Also returns undefined when the database fails, which may be why the work failed. */
  async #traceIdOf(claim: Claim): Promise<string | undefined> {
    const trace = traceOf(this.#options.database.kysely, claim);
    return (await withTimeout(trace).catch(() => undefined))?.traceId;
  }

  /** Retries until it is written. If the process ends first, the lease expires. */
  async #endFailed(claim: Claim): Promise<void> {
    const { retries, hourlyMs, database, log } = this.#options;
    const afterMs = retryDelay(retries, claim.attempts, { hourlyMs });
    const rest = { afterMs, attempts: claim.attempts, priority: claim.priority };
    while (this.#state === "started") {
      try {
        await transact({ database }, (trx) => endClaim(trx, claim, rest));
        return this.wakeIn(afterMs);
      } catch (error) {
        if (error instanceof ClaimLost) return;
        log.error({ err: error, kind: claim.kind }, "could not end a claim");
        await sleep(END_CLAIM_RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** Renews claims that are old enough to need it. */
  #renew(): void {
    const before = performance.now() - RENEW_MS;
    const claims = [...this.#running.values()]
      .filter(({ since }) => since < before)
      .map(({ claim }) => claim);
    if (claims.length === 0) return;
    renewClaims(this.#options.database, claims).catch((error) => {
      this.#options.log.warn({ err: error }, "could not renew claims");
    });
  }

  async #release(claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await releaseClaims(this.#options.database, claims);
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        "could not release claims: the work is due when its lease expires",
      );
    }
  }

  async #allFinished(ms: number): Promise<void> {
    if (this.#running.size === 0) return;
    const over = new AbortController();
    const finished = Promise.all([...this.#running.values()].map(({ finished }) => finished));
    await Promise.race([finished, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
  }
}
