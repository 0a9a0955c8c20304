import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Log } from "../db/database.ts";
import { type Boss, type Claim, HEARTBEAT_SECONDS, type Postponement } from "./boss.ts";
import { putOffDelay, type RetryPolicy, retryDelay } from "./retry.ts";
import type { Task, TaskEnd, TaskKind, Trx, Write } from "./task.ts";

/** Runs `write`, and what else belongs to the same transaction. */
export type Around = (trx: Trx, write: () => Promise<void>) => Promise<void>;

export interface LaneParts {
  boss: Boss;
  database: Database;
  log: Log;
  retries: RetryPolicy;
  /** The longest time between two looks into the queue, should a notification get lost. Milliseconds. */
  pollMs: number;
  around: Around;
  /** Called whenever this lane has nothing to do. */
  onQuiet: () => void;
}

interface InHand {
  claim: Claim;
  abort: AbortController;
  finished: Promise<void>;
}

/** What becomes of a task in hand: it leaves the queue, or it waits for its next try. */
type Settlement =
  | { leaves: true; write?: Write | undefined; deadReason?: string }
  | ({ leaves: false; write?: Write | undefined } & Postponement);

// A look into a long queue is dear, to the database and to everybody else on it, so looking takes a quarter of the
// time at most; meanwhile places become free, and the next look fills them all at once. After a look that filled every
// place, half of them are worth the next one.
const REST_PER_LOOK = 3;
const LONGEST_REST_MS = 250;
// Between two attempts to settle a task, when the database takes none.
const SETTLE_AGAIN_MS = 1_000;
// After the abort, how long a task may take to notice. Then it is put back under its feet.
const ABORT_MS = 500;

/** The claim was taken over, after a pause longer than the heartbeat: another process settles the task. */
class ClaimLost extends Error {}

/** Carries the tasks of one kind: as many at a time as there are places, each settled on its own. */
export class Lane {
  readonly #kind: TaskKind<object>;
  readonly #parts: LaneParts;
  readonly #inHand = new Map<string, InHand>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #drain: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** On the clock of `performance.now`. */
  #restsUntil = 0;
  #filled = false;
  #endRest: (() => void) | undefined;

  constructor(kind: TaskKind<object>, parts: LaneParts) {
    this.#kind = kind;
    this.#parts = parts;
    this.#timers.add(setInterval(() => this.wake(), parts.pollMs));
    this.#timers.add(setInterval(() => this.#beat(), (HEARTBEAT_SECONDS * 1_000) / 4));
    this.wake();
  }

  get busy(): boolean {
    return this.#inHand.size > 0 || this.#drain !== undefined;
  }

  /** Something may have become runnable. */
  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#drain ??= this.#takeAll().finally(() => {
      this.#drain = undefined;
      // Woken after the last look, before the promise settled.
      if (this.#again && this.#places() > 0) this.wake();
      else if (!this.busy) this.#parts.onQuiet();
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#endRest?.();
    await this.#drain;
    await this.#allFinished(graceMs);
    for (const { abort } of this.#inHand.values()) abort.abort(new Error("the platform is shutting down"));
    await this.#allFinished(ABORT_MS);
    await this.#putBack([...this.#inHand.values()].map(({ claim }) => claim));
  }

  async #takeAll(): Promise<void> {
    while (this.#again && this.#places() > 0) {
      await this.#rest();
      this.#again = false;
      const begun = performance.now();
      try {
        // A batch may be short only because one group had reached its limit.
        if ((await this.#take()) > 0) this.#again = true;
      } catch (error) {
        this.#parts.log.error({ err: error, queue: this.#kind.name }, "could not take tasks from the queue");
      }
      const took = performance.now() - begun;
      this.#restsUntil = begun + took + Math.min(took * REST_PER_LOOK, LONGEST_REST_MS);
    }
  }

  async #take(): Promise<number> {
    const { name, groupLimit } = this.#kind;
    const places = this.#places();
    if (places === 0) return 0;
    const claims = await this.#parts.boss.fetch(name, places, groupLimit);
    this.#filled = claims.length === places;
    for (const claim of claims) this.#carry(claim);
    return claims.length;
  }

  async #rest(): Promise<void> {
    const ms = this.#restsUntil - performance.now();
    if (ms < 1 || this.#isWorthALook()) return;
    const over = new AbortController();
    this.#endRest = () => over.abort();
    await sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
    this.#endRest = undefined;
  }

  #isWorthALook(): boolean {
    return this.#stopped || (this.#filled && this.#places() * 2 >= this.#kind.concurrency);
  }

  #places(): number {
    return this.#stopped ? 0 : this.#kind.concurrency - this.#inHand.size;
  }

  #carry(claim: Claim): void {
    const abort = new AbortController();
    const attempt = claim.retryCount + 1 - (claim.putOff?.times ?? 0);
    const task = { id: claim.id, data: claim.data as object, attempt };
    const finished = this.#tryOnce(task, abort.signal)
      .then((end) => {
        // An aborted task says nothing about the other side: no waiting time, no dead letter.
        if (abort.signal.aborted && end.end !== "done") return this.#putBack([claim]);
        return this.#settle(claim, task, this.#judge(claim, task, end));
      })
      .finally(() => {
        this.#inHand.delete(claim.id);
        if (this.#isWorthALook()) this.#endRest?.();
        this.wake();
      });
    this.#inHand.set(claim.id, { claim, abort, finished });
  }

  async #tryOnce(task: Task<object>, signal: AbortSignal): Promise<TaskEnd> {
    const { tries } = this.#parts.retries;
    // Only crashes count further than that: the task itself may be what ends the process.
    if (task.attempt > tries) return { end: "dead", reason: `no end after ${tries} tries` };
    try {
      return await this.#kind.work(task, signal);
    } catch (error) {
      this.#parts.log.warn({ err: error, queue: this.#kind.name, task: task.id }, "a task failed");
      return { end: "retry", reason: messageOf(error) };
    }
  }

  #judge(claim: Claim, task: Task<object>, end: TaskEnd): Settlement {
    const { retries } = this.#parts;
    const { write } = end;
    if (end.end === "done") return { leaves: true, write };
    if (end.end === "retry" && end.countsAsTry === false) return this.#putOff(claim, end);
    if (end.end === "dead" || task.attempt >= retries.tries) {
      return { leaves: true, write, deadReason: end.reason };
    }
    return {
      leaves: false,
      write,
      afterMs: retryDelay(retries, task.attempt, end.afterMs),
      reason: end.reason,
    };
  }

  /** However long the other side is left alone, a task that was put off for longer than `patienceMs` ends. */
  #putOff({ putOff }: Claim, { reason, afterMs, write }: Extract<TaskEnd, { end: "retry" }>): Settlement {
    const { retries } = this.#parts;
    const { times, since } = putOff ?? { times: 0, since: Date.now() };
    if (Date.now() - since > retries.patienceMs) return { leaves: true, write, deadReason: reason };
    return {
      leaves: false,
      // The first time says it all, and a long outage must not fill the tables.
      write: times === 0 ? write : undefined,
      afterMs: putOffDelay(retries, times + 1, afterMs),
      reason,
      putOff: { times: times + 1, since },
    };
  }

  /** Never rejects: what cannot be written is tried again later, as a whole, as the task's next try. */
  async #settle(claim: Claim, task: Task<object>, first: Settlement): Promise<void> {
    for (let settlement = first; ; settlement = this.#instead(task, first)) {
      try {
        return await this.#write(claim, task, settlement);
      } catch (error) {
        if (error instanceof ClaimLost || this.#stopped) return;
        this.#parts.log.error(
          { err: error, queue: this.#kind.name, task: task.id },
          "could not settle a task",
        );
        if (settlement !== first) await sleep(SETTLE_AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  #instead(task: Task<object>, failed: Settlement): Settlement {
    const { retries } = this.#parts;
    const isDead = failed.leaves && failed.deadReason !== undefined;
    const afterMs = isDead ? retries.capMs : retryDelay(retries, task.attempt);
    return { leaves: false, afterMs, reason: "its end could not be written" };
  }

  async #write(claim: Claim, task: Task<object>, settlement: Settlement): Promise<void> {
    const { boss, database, around } = this.#parts;
    const { name, dead } = this.#kind;
    await database.kysely.transaction().execute(async (trx) => {
      // First, so that the claim's row lock decides between two processes before anything is written.
      const held = settlement.leaves
        ? await boss.remove(trx, name, claim)
        : await boss.postpone(trx, name, claim, settlement);
      if (!held) throw new ClaimLost();
      await around(trx, async () => {
        await settlement.write?.(trx);
        if (settlement.leaves && settlement.deadReason !== undefined)
          await dead(task, settlement.deadReason, trx);
      });
    });
    if (!settlement.leaves) this.#wakeAfter(settlement.afterMs);
  }

  #wakeAfter(ms: number): void {
    if (this.#stopped || ms > this.#parts.pollMs) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, ms + 1);
    this.#timers.add(timer);
  }

  #beat(): void {
    const claims = [...this.#inHand.values()].map(({ claim }) => claim);
    if (claims.length === 0) return;
    this.#parts.boss.beat(this.#kind.name, claims).catch((error) => {
      this.#parts.log.warn({ err: error }, "could not send the heartbeat of the tasks in hand");
    });
  }

  async #putBack(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    try {
      await this.#parts.boss.putBack(this.#kind.name, claims);
    } catch (error) {
      // They come back all the same: when the heartbeat ends, or at the next start.
      this.#parts.log.warn({ err: error, queue: this.#kind.name }, "could not put tasks back");
    }
  }

  async #allFinished(ms: number): Promise<void> {
    if (this.#inHand.size === 0) return;
    const over = new AbortController();
    const finished = Promise.all([...this.#inHand.values()].map((inHand) => inHand.finished));
    await Promise.race([finished, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
