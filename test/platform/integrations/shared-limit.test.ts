import { describe, expect, it } from "vitest";
import { createRate } from "../../../src/clients/provider/rate.ts";
import { createAttendance } from "../../../src/platform/db/processes.ts";
import { type Random, randomOf } from "../../harness/random.ts";

const NEVER = new AbortController().signal;
const TICK_MS = 20;
const BEAT_MS = 4_000;
const MINUTES = 5;

/** Processes that call one provider whenever they may, and count each other in a table, as `joinProcesses` does. */
class Processes {
  readonly starts: number[] = [];
  readonly #table = new Map<number, number>();
  readonly #running = new Map<number, () => Promise<void>>();
  readonly #perMinute: number;
  readonly #random: Random;
  #now = 1_000_000;
  #ids = 0;

  constructor(perMinute: number, random: Random) {
    this.#perMinute = perMinute;
    this.#random = random;
  }

  get now() {
    return this.#now;
  }

  get ids() {
    return [...this.#running.keys()];
  }

  #count() {
    return [...this.#table.values()].filter((seenAt) => seenAt > this.#now - 15_000).length;
  }

  join(): void {
    const id = this.#ids++;
    const now = () => this.#now;
    const attendance = createAttendance(BEAT_MS, now);
    const limits = { perSecond: Math.ceil(this.#perMinute / 50), perMinute: this.#perMinute, waitMs: 0 };
    const sharing = { processes: attendance.sharing, since: attendance.since };
    const rate = createRate(limits, { now, wait: async () => undefined }, sharing);
    const record = () => {
      this.#table.set(id, this.#now);
      return { count: this.#count(), begunAt: this.#now };
    };
    const { count, begunAt } = record();
    attendance.counted(count, begunAt);
    let beatsAt = begunAt + BEAT_MS;
    let statement: { endsAt: number; count: number; begunAt: number } | undefined;
    this.#running.set(id, async () => {
      if (statement && statement.endsAt <= this.#now) {
        attendance.counted(statement.count, statement.begunAt);
        statement = undefined;
      }
      if (this.#now >= beatsAt) {
        // Some beats fail, and a process is now and then cut off from the database for longer than it is counted.
        const dice = this.#random.between(0, 40);
        beatsAt += (dice === 0 ? 6 : dice < 4 ? 2 : 1) * BEAT_MS;
        statement = { ...record(), endsAt: this.#now + this.#random.between(0, 800) };
      }
      const call = () => rate.turn(NEVER, this.#random.pick([true, false]));
      while (
        await call().then(
          () => true,
          () => false,
        )
      )
        this.starts.push(this.#now);
    });
  }

  /** @param isRegular the process has deleted its row. */
  end(id: number, isRegular: boolean): void {
    this.#running.delete(id);
    if (isRegular) this.#table.delete(id);
  }

  async pass(): Promise<void> {
    this.#now += TICK_MS;
    for (const live of this.#running.values()) await live();
  }
}

async function simulate(perMinute: number, random: Random): Promise<number[]> {
  const processes = new Processes(perMinute, random);
  processes.join();
  let changesAt = 0;
  const end = processes.now + MINUTES * 60_000;
  while (processes.now < end) {
    if (processes.now >= changesAt) {
      changesAt = processes.now + random.between(0, 90_000);
      const { ids } = processes;
      if (ids.length < 2 || (ids.length < 4 && random.pick([true, false]))) processes.join();
      else processes.end(random.pick(ids), random.pick([true, false]));
    }
    await processes.pass();
  }
  return processes.starts;
}

/** The most starts within a minute. The starts are in their order. */
function mostInMinute(starts: readonly number[]): number {
  let from = 0;
  return starts.reduce((most, start, nth) => {
    while ((starts[from] ?? 0) <= start - 60_000) from += 1;
    return Math.max(most, nth - from + 1);
  }, 0);
}

describe("the calls of processes that join and end", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

  it.each([20, 60, 500, 1_000])(
    `are never more than %i in a minute, which is the limit (SEED=${seed})`,
    async (perMinute) => {
      const starts = await simulate(perMinute, randomOf(seed));
      expect(mostInMinute(starts)).toBeLessThanOrEqual(perMinute);
      expect(starts.length).toBeGreaterThan((MINUTES * perMinute) / 8);
    },
  );

  it("are never more than the limit after most of them have ended", async () => {
    const processes = new Processes(8, randomOf(seed));
    for (const _ of "1234") processes.join();
    const { starts } = processes;
    while (starts.length < 8) await processes.pass();
    for (const id of processes.ids.slice(1)) processes.end(id, true);
    for (const until = processes.now + 180_000; processes.now < until; ) await processes.pass();
    expect(mostInMinute(starts)).toBeLessThanOrEqual(8);
    expect(starts.length).toBeGreaterThan(10);
  });
});
