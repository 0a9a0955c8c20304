import type { Database, Log } from "../db/database.ts";
import { newId } from "../ids.ts";
import { type Boss, startBoss } from "./boss.ts";
import { type Around, Lane } from "./lane.ts";
import { PROVIDER_RETRIES, type RetryPolicy } from "./retry.ts";
import type { NewTask, Queue, QueueDepth, TaskKind, Trx } from "./task.ts";

export interface QueueOptions {
  database: Database;
  log: Log;
  retries?: Partial<RetryPolicy>;
  /** The longest time between two looks into the queue, should a notification get lost. Milliseconds. */
  pollMs?: number;
  /** Around everything that the end of a task writes. */
  around?: Around;
}

// The planner believes a table that it does not know to be small, and then one fetch among 20,000 waiting keys
// takes half a minute instead of 50 ms. So the table is analysed whenever it has grown by this many tasks and by
// this part of its length.
const GROWTH = { tasks: 500, part: 0.2 };

/** Tasks that survive a crash, in order for each key, at least once each, settled with what they write. */
export function createQueue(options: QueueOptions): Queue {
  const { database, log, retries, pollMs = 1_000, around = (_trx, write) => write() } = options;
  return new BossQueue({ database, log, pollMs, around, retries: { ...PROVIDER_RETRIES, ...retries } });
}

interface Parts {
  database: Database;
  log: Log;
  around: Around;
  retries: RetryPolicy;
  pollMs: number;
}

class BossQueue implements Queue {
  readonly #parts: Parts;
  readonly #kinds = new Map<string, TaskKind<object>>();
  readonly #lanes = new Map<string, Lane>();
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #boss: Boss | undefined;
  #grown = 0;
  #mayGrow = GROWTH.tasks;
  #analyzing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  define<D extends object>(kind: TaskKind<D>): void {
    if (this.#boss) throw new Error(`queue ${kind.name} must be defined before the start`);
    // What is queued under this name was queued as D.
    this.#kinds.set(kind.name, kind as unknown as TaskKind<object>);
  }

  async start(): Promise<void> {
    const { database, log } = this.#parts;
    const boss = await startBoss(database, log, (name) => this.#wake(name));
    for (const name of this.#kinds.keys()) await boss.ensureQueue(name);
    await boss.analyze();
    this.#boss = boss;
    const parts = { ...this.#parts, boss, onQuiet: () => void this.#tellIfIdle() };
    for (const [name, kind] of this.#kinds) this.#lanes.set(name, new Lane(kind, parts));
  }

  async stop({ graceMs = 10_000 } = {}): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop(graceMs)));
    await this.#analyzing;
    await this.#boss?.stop();
    this.#lanes.clear();
    this.#boss = undefined;
    for (const { reject } of this.#waiters.splice(0)) reject(new Error("the queue was stopped"));
  }

  async enqueue<D extends object>(trx: Trx, name: string, task: NewTask<D>): Promise<string> {
    const id = task.id ?? newId();
    await this.enqueueMany(trx, name, [{ ...task, id }]);
    return id;
  }

  async enqueueMany<D extends object>(trx: Trx, name: string, tasks: NewTask<D>[]): Promise<void> {
    const byId = new Map(tasks.map((task) => [task.id ?? newId(), task]));
    if (byId.size === 0) return;
    const withIds = [...byId].map(([id, task]) => ({ ...task, id }));
    await this.#started().insert(trx, name, withIds);
    this.#grown += withIds.length;
  }

  async depth(): Promise<QueueDepth> {
    return this.#started().depth([...this.#kinds.keys()]);
  }

  idle(): Promise<void> {
    const idle = new Promise<void>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    void this.#tellIfIdle();
    return idle;
  }

  #started(): Boss {
    if (!this.#boss) throw new Error("the queue is not started");
    return this.#boss;
  }

  #wake(name: string | undefined): void {
    this.#analyzeIfGrown();
    if (name !== undefined) this.#lanes.get(name)?.wake();
    else for (const lane of this.#lanes.values()) lane.wake();
  }

  async #tellIfIdle(): Promise<void> {
    if (this.#waiters.length === 0 || !this.#boss) return;
    if ([...this.#lanes.values()].some((lane) => lane.busy)) return;
    try {
      const { waiting, active } = await this.depth();
      if (waiting + active > 0) return;
      for (const { resolve } of this.#waiters.splice(0)) resolve();
    } catch (error) {
      this.#parts.log.warn({ err: error }, "could not read the depth of the queue");
    }
  }

  /** On a wake-up, because that follows the commit: before it, the new tasks do not count. */
  #analyzeIfGrown(): void {
    if (this.#grown < this.#mayGrow || this.#analyzing || !this.#boss) return;
    this.#grown = 0;
    this.#analyzing = this.#boss
      .analyze()
      .then((length) => {
        this.#mayGrow = Math.max(GROWTH.tasks, length * GROWTH.part);
      })
      .catch((error) => this.#parts.log.warn({ err: error }, "could not analyse the queue"))
      .finally(() => {
        this.#analyzing = undefined;
      });
  }
}
