import type { Transaction } from "kysely";
import type { Schema } from "../db/schema.ts";

export type Trx = Transaction<Schema>;

export interface Task<D> {
  id: string;
  data: D;
  /** 1 for the first try. A try that a crash cut short counts; one that ended with `countsAsTry: false` does not. */
  attempt: number;
}

/** Called in the transaction that ends the task: what it writes stands if and only if the task ended so. */
export type Write = (trx: Trx) => Promise<void>;

export type TaskEnd =
  | { end: "done"; write?: Write }
  /**
   * `afterMs`: the other side's Retry-After; the wait is never shorter than it. `countsAsTry: false`: the other side was not asked,
   * so none of the tries is used up; `write` is then called only the first time.
   */
  | { end: "retry"; reason: string; afterMs?: number; countsAsTry?: false; write?: Write }
  /** No try can help any more: the dead letter is written at once. */
  | { end: "dead"; reason: string; write?: Write };

export interface TaskKind<D> {
  /** Letters, digits and underscores. */
  name: string;
  /** Runs outside of any transaction, so it may make HTTP calls. Throwing means "retry". */
  work: (task: Task<D>, signal: AbortSignal) => Promise<TaskEnd>;
  /** Records the dead letter, in the transaction that ends the task. */
  dead: (task: Task<D>, reason: string, trx: Trx) => Promise<void>;
  /** How many tasks this process has in hand at most. */
  concurrency: number;
  /** How many tasks of one group are in hand at most, in all processes together. */
  groupLimit?: number;
}

export interface NewTask<D> {
  /** A UUIDv7. Ignored while a task with the same id waits or is in hand. */
  id?: string;
  /** Tasks of one key run one after the other, in the order in which they were queued. */
  key: string;
  /** Who shares the places of `groupLimit`: the provider. */
  group?: string;
  data: D;
  /** Milliseconds to wait first. Only for a key of its own: later tasks of the key overtake a deferred one. */
  afterMs?: number;
}

export interface QueueDepth {
  /** Waiting for a place, for their turn or for their next try. */
  waiting: number;
  active: number;
}

export interface Queue {
  /** Before `start`. */
  define<D extends object>(kind: TaskKind<D>): void;
  /** Joins the transaction; answers the task's id. After `start`. */
  enqueue<D extends object>(trx: Trx, name: string, task: NewTask<D>): Promise<string>;
  enqueueMany<D extends object>(trx: Trx, name: string, tasks: NewTask<D>[]): Promise<void>;
  start(): Promise<void>;
  /** Takes no new tasks, waits `graceMs` for those in hand, then aborts them and puts them back. */
  stop(options?: { graceMs?: number }): Promise<void>;
  depth(): Promise<QueueDepth>;
  /** Resolves when nothing waits, not even for a retry, and nothing is in hand. */
  idle(): Promise<void>;
}
