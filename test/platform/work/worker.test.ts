import type { KyselyPlugin } from "kysely";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PROVIDER_RETRIES } from "../../../src/clients/retry-policy.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { transact } from "../../../src/platform/transaction.ts";
import {
  type Claim,
  type Due,
  endClaim,
  LEASE_MS,
  PRIORITY,
  type Run,
} from "../../../src/platform/work/rows.ts";
import { Worker, type WorkerOptions } from "../../../src/platform/work/worker.ts";
import { useClock } from "../../harness/clock.ts";
import { engines, silent, type TestDatabase, useEngine } from "../../harness/engines.ts";
import { addIntegration, claim, mark, rowsOf, shift } from "../../harness/work-rows.ts";

const AT_ONCE = { ...PROVIDER_RETRIES, baseMs: 1, capMs: 2 };
/** Disables polling, so that only signals wake the worker. */
const NEVER_MS = 2 ** 30;

/** Several workers on one database, as several processes have. */
function useWorkers(database: () => TestDatabase) {
  const workers: Worker[] = [];
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop({ graceMs: 0 }))));
  return async (run: Run, rest: Partial<WorkerOptions> = {}): Promise<Worker> => {
    const worker = new Worker({
      database: database(),
      log: silent,
      retries: AT_ONCE,
      hourlyMs: HOUR_MS,
      pollMs: 100,
      places: 1_000,
      atOnce: 100,
      runs: { shift: run },
      ...rest,
    });
    workers.push(worker);
    await worker.start();
    return worker;
  };
}

describe.each(engines)("a worker on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);
  const start = useWorkers(database);
  const done = (claim: Claim) =>
    transact({ database: database() }, (trx) =>
      endClaim(trx, claim, { attempts: 0, priority: claim.priority }),
    );
  const add = (...due: Due[]) => mark(database(), ...due);

  it("runs due work, and is idle afterwards", async () => {
    const providerId = await addIntegration(database());
    const seen: string[] = [];
    const worker = await start(async (claim) => {
      seen.push(claim.key);
      await done(claim);
    });
    await add(shift(providerId, "a"), shift(providerId, "b"));
    await worker.idle();
    expect(seen.sort()).toEqual(["a", "b"]);
    await worker.idle();
    expect(await rowsOf(database())).toEqual([]);
  });

  it("does not resolve an idle call with a check that started before the call", async () => {
    const providerId = await addIntegration(database());
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    const slow: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if ("busy" in (result.rows[0] ?? {}) && reads++ === 0) {
          begun.resolve();
          await ended.promise;
        }
        return result;
      },
    };
    const seen: string[] = [];
    const worker = await start(
      async (claim) => {
        seen.push(claim.key);
        await done(claim);
      },
      { database: { ...database(), kysely: database().kysely.withPlugin(slow) } },
    );
    const first = worker.idle();
    await begun.promise;
    await add(shift(providerId, "a"));
    const second = worker.idle();
    ended.resolve();
    await Promise.all([first, second]);
    expect(seen).toEqual(["a"]);
  });

  it("runs a shift again for a hint that arrived during its run, and never twice at the same time", async () => {
    const providerId = await addIntegration(database());
    let [runs, atOnce] = [0, 0];
    const worker = await start(async (claim) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      runs += 1;
      if (runs === 1) await add(shift(providerId, "a"));
      atOnce -= 1;
      await done(claim);
    });
    await add(shift(providerId, "a"));
    await worker.idle();
    expect(runs).toBe(2);
  });

  it.each([
    ["an event", PRIORITY.event],
    ["the background", PRIORITY.background],
  ])("retries work of %s that rejects, and is idle only after the last attempt", async (_, priority) => {
    const providerId = await addIntegration(database());
    const attempts: number[] = [];
    const worker = await start(
      async (claim) => {
        attempts.push(claim.attempts);
        throw new Error("no");
      },
      { retries: { ...AT_ONCE, baseMs: 50, capMs: 50, random: () => 0.99, tries: 4 } },
    );
    await add(shift(providerId, "a", { priority }));
    await worker.idle();
    expect(attempts).toEqual([1, 2, 3, 4]);
    const [row] = await rowsOf(database());
    expect(row).toMatchObject({ key: "a", attempts: 4, claimed: false });
    expect(row?.dueIn).toBeGreaterThan(3_500);
    // A hint makes it due now.
    await add(shift(providerId, "a", { priority }));
    worker.wake();
    await expect.poll(() => attempts).toEqual([1, 2, 3, 4, 5]);
  });

  it("runs other work while one run is slow", async () => {
    const providerId = await addIntegration(database());
    const others = Promise.withResolvers<void>();
    let finished = 0;
    const worker = await start(
      async (claim) => {
        if (claim.key === "slow") await others.promise;
        finished += 1;
        if (finished === 10) others.resolve();
        await done(claim);
      },
      { places: 3 },
    );
    await add(
      shift(providerId, "slow"),
      ...Array.from({ length: 10 }, (_, nth) => shift(providerId, `s${nth}`)),
    );
    await worker.idle();
    expect(finished).toBe(11);
  });

  it("gives a provider places up to its limit, and the rest to others", async () => {
    const [hanging, quick] = [await addIntegration(database()), await addIntegration(database())];
    const othersDone = Promise.withResolvers<void>();
    let [inHand, most, others] = [0, 0, 0];
    const worker = await start(
      async (claim) => {
        if (claim.providerId === hanging) {
          inHand += 1;
          most = Math.max(most, inHand);
          await othersDone.promise;
          inHand -= 1;
        } else {
          others += 1;
          if (others === 10) othersDone.resolve();
        }
        await done(claim);
      },
      { places: 5, atOnce: 3 },
    );
    await add(...Array.from({ length: 20 }, (_, nth) => shift(hanging, `h${nth}`)));
    await add(...Array.from({ length: 10 }, (_, nth) => shift(quick, `q${nth}`)));
    await worker.idle();
    expect({ most, others }).toEqual({ most: 2, others: 10 });
  });

  it("runs five of a channel, and one more for each that lasts longer than five seconds, ten in all", async () => {
    let [aheadMs, handed, passes] = [0, 0, 0];
    const real = performance.now.bind(performance);
    const now = vi.spyOn(performance, "now").mockImplementation(() => real() + aheadMs);
    onTestFinished(() => void now.mockRestore());
    const goesOn = Promise.withResolvers<void>();
    const webhook: Run = async (claim) => {
      handed += 1;
      await goesOn.promise;
      await done(claim);
    };
    const shifts: Run = async (claim) => {
      passes += 1;
      await done(claim);
    };
    const worker = await start(shifts, { runs: { webhook, shift: shifts } });
    const providerId = await addIntegration(database());
    for (let nth = 0; nth < 12; nth += 1)
      await add({
        providerId: await addIntegration(database()),
        kind: "webhook",
        key: "",
        priority: PRIORITY.event,
      });
    for (const [ms, places] of [
      [0, 5],
      [5_001, 10],
      [10_002, 10],
    ] as const) {
      aheadMs = ms;
      // Channels are claimed after providers: once two shifts have run, one after the other, the channel has had its turn.
      for (const key of ["a", "b"]) {
        const before = passes;
        await add(shift(providerId, key));
        worker.wake();
        await expect.poll(() => passes).toBe(before + 1);
      }
      expect(handed).toBe(places);
    }
    goesOn.resolve();
    await worker.idle();
    expect(handed).toBe(12);
  });

  it("shares work with another worker without running a row twice", async () => {
    const providerId = await addIntegration(database());
    const seen: string[] = [];
    const run: Run = async (claim) => {
      seen.push(claim.key);
      await done(claim);
    };
    const keys = Array.from({ length: 60 }, (_, nth) => `s${nth}`);
    await add(...keys.map((key) => shift(providerId, key)));
    const workers = engine === "postgres" ? [await start(run), await start(run)] : [await start(run)];
    await Promise.all(workers.map((worker) => worker.idle()));
    expect(seen.sort()).toEqual(keys.sort());
  });

  it.runIf(engine === "postgres")("is idle once another process has finished its claims", async () => {
    const providerId = await addIntegration(database());
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = await start(
      async (claim) => {
        begun.resolve();
        await ended.promise;
        await done(claim);
      },
      { pollMs: NEVER_MS },
    );
    await add(shift(providerId, "a"));
    first.wake();
    await begun.promise;
    const asked: boolean[] = [];
    const asking: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const { busy } = result.rows[0] ?? {};
        if (typeof busy === "boolean") asked.push(busy);
        if (busy) ended.resolve();
        return result;
      },
    };
    const second = await start(() => Promise.reject(new Error("it is in the first one's hand")), {
      pollMs: NEVER_MS,
      database: { ...database(), kysely: database().kysely.withPlugin(asking) },
    });
    await second.idle();
    expect(asked[0]).toBe(true);
    expect(await rowsOf(database())).toEqual([]);
  });

  // It takes as long as a lease may go unrenewed.
  it.runIf(engine === "pglite")("keeps the claims of long runs", async () => {
    const providerId = await addIntegration(database());
    const worker = await start(() => new Promise(() => undefined), { pollMs: NEVER_MS });
    await add(shift(providerId, "a"));
    worker.wake();
    await expect.poll(() => rowsOf(database())).toMatchObject([{ claimed: true }]);
    await clock.forward(LEASE_MS / 2);
    const leaseOf = async () => (await rowsOf(database()))[0]?.dueIn;
    await expect.poll(leaseOf, { timeout: LEASE_MS }).toBeGreaterThan((LEASE_MS / 1_000) * 0.9);
  });

  it("claims the work of a process that ended, once the lease has expired", async () => {
    const providerId = await addIntegration(database());
    await add(shift(providerId, "a"));
    // No worker renews it: a live one would after a pause of the machine.
    expect(await claim(database())).toHaveLength(1);
    await clock.forward(LEASE_MS);
    const attempts: number[] = [];
    const second = await start(async (claim) => {
      attempts.push(claim.attempts);
      await done(claim);
    });
    await second.idle();
    // On an embedded database it was given back at the start.
    expect(attempts).toEqual([2]);
  });

  it("writes nothing for a run whose claim was lost", async () => {
    const providerId = await addIntegration(database());
    const begun = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    const worker = await start(async (claim) => {
      begun.resolve();
      await goesOn.promise;
      await transact({ database: database() }, async (trx) => {
        await trx.insertInto("competences").values({ competenceId: claim.claim, name: "stale" }).execute();
        await endClaim(trx, claim, { attempts: 0, priority: 1 });
      });
    });
    await add(shift(providerId, "a"));
    await begun.promise;
    await database().kysely.updateTable("work").set({ claim: providerId }).execute();
    goesOn.resolve();
    await worker.stop({ graceMs: 5_000 });
    expect(await database().kysely.selectFrom("competences").selectAll().execute()).toEqual([]);
    expect(await rowsOf(database())).toMatchObject([{ key: "a", claimed: true }]);
  });

  it("lets runs end when it stops, then aborts and releases the rest after the grace period", async () => {
    const providerId = await addIntegration(database());
    const begun = Promise.withResolvers<void>();
    const first = await start((_claim, signal) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
    await add(shift(providerId, "a"));
    first.wake();
    await begun.promise;
    const idle = expect(first.idle()).rejects.toThrow("stopped");
    await first.stop({ graceMs: 0 });
    await idle;
    expect(await rowsOf(database())).toMatchObject([{ key: "a", attempts: 0, claimed: false }]);
    const attempts: number[] = [];
    const second = await start(async (claim) => {
      attempts.push(claim.attempts);
      await done(claim);
    });
    await second.idle();
    expect(attempts).toEqual([1]);
  });

  it("claims nothing of an excluded provider until it responds, and serves the others meanwhile", async () => {
    const [silent, other] = [await addIntegration(database()), await addIntegration(database())];
    const runs: string[] = [];
    const worker = await start(
      async (claim, _, exclude) => {
        runs.push(claim.key);
        if (runs.length > 1) return done(claim);
        exclude(HOUR_MS);
        const rest = { afterMs: 0, attempts: 1, priority: claim.priority };
        await transact({ database: database() }, (trx) => endClaim(trx, claim, rest));
      },
      { pollMs: NEVER_MS },
    );
    await add(shift(silent, "excluded"));
    worker.wake([silent]);
    await expect.poll(() => rowsOf(database())).toMatchObject([{ claimed: false, attempts: 1 }]);
    await add(shift(other, "served"));
    worker.wake([other]);
    await expect.poll(() => runs).toEqual(["excluded", "served"]);
    worker.responds(silent);
    await expect.poll(() => runs).toEqual(["excluded", "served", "excluded"]);
    await expect.poll(() => rowsOf(database())).toEqual([]);
  });

  it("wakes for work that is due shortly, without polling", async () => {
    const providerId = await addIntegration(database());
    const seen = Promise.withResolvers<void>();
    const worker = await start(
      async (claim) => {
        await done(claim);
        seen.resolve();
      },
      { pollMs: NEVER_MS },
    );
    await add(shift(providerId, "a"));
    worker.wakeIn(5);
    await seen.promise;
  });
});
