import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { isIdle, releaseAllClaims, type Wanted } from "../../../src/platform/work/claims.ts";
import {
  type Claim,
  ClaimLost,
  endClaim,
  LEASE_MS,
  markDue,
  type NextAttempt,
  releaseClaims,
  renewClaim,
  renewClaims,
} from "../../../src/platform/work/rows.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { useClock } from "../../harness/clock.ts";
import { engines, useEngine } from "../../harness/engines.ts";
import { randomOf } from "../../harness/random.ts";
import { addIntegration, claim, claimed, KINDS, mark, rowsOf, shift } from "../../harness/work-rows.ts";

const keysOf = (claims: readonly Claim[]) => claims.map(({ key }) => key).sort();

describe("work that many transactions change at once, on postgres", () => {
  const database = useEngine("postgres");
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

  it(`never ends in a deadlock (SEED=${seed})`, async () => {
    const providerId = await addIntegration(database());
    const random = randomOf(seed);
    const all = (["mail", "person", "shift"] as const).flatMap((kind) =>
      ["a", "b", "c", "d"].map((key) => shift(providerId, key, { kind })),
    );
    const parts = { wakeWorker: () => undefined };
    const change = async () => {
      const held = await claim(database(), { places: random.between(1, 5) });
      await renewClaims(database(), held);
      await transact({ database: database() }, async (trx) => {
        for (let nth = 0; nth < 4; nth += 1) {
          markDue(trx, parts, [random.pick(all), random.pick(all)]);
          await sql`select 1`.execute(trx);
        }
        for (const one of held)
          if (random.between(0, 3) === 0) renewClaim(trx, one);
          else endClaim(trx, one, { priority: 1, attempts: 0 });
      });
      await releaseClaims(database(), held);
    };
    const process = async () => {
      for (let nth = 0; nth < 60; nth += 1) await change();
    };
    await Promise.all(Array.from({ length: 8 }, process));
  });
});

describe.each(engines)("work that is due, on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);
  const end = (held: Claim | undefined, rest: Partial<NextAttempt> = {}) => {
    if (!held) throw new Error("nothing was claimed");
    return transact({ database: database() }, (trx) =>
      endClaim(trx, held, { priority: held.priority, attempts: 0, ...rest }),
    );
  };

  it("is one row with the most urgent priority, however many hints arrive", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a", { priority: 2 }), shift(providerId, "a", { priority: 1 }));
    await mark(database(), shift(providerId, "a", { priority: 0 }), shift(providerId, "a", { priority: 2 }));
    expect(await rowsOf(database())).toMatchObject([{ key: "a", priority: 0, claimed: false }]);
  });

  it("is claimed by one process only", async () => {
    const providerId = await addIntegration(database());
    const keys = Array.from({ length: 20 }, (_, nth) => `s${String(nth).padStart(2, "0")}`);
    await mark(database(), ...keys.map((key) => shift(providerId, key)));
    const all = await Promise.all([1, 2, 3, 4].map(() => claim(database(), { places: 8 })));
    all.push(await claim(database()));
    expect(keysOf(all.flat())).toEqual(keys);
    expect(await claim(database())).toEqual([]);
  });

  it("is deleted when its claim ends, if no hint arrived in the meantime", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"));
    const [held] = await claim(database());
    expect(held).toMatchObject({ key: "a", attempts: 1, priority: 1 });
    await end(held);
    expect(await rowsOf(database())).toEqual([]);
  });

  it("is due again at once, with the hint's priority, if a hint arrived during the run", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a", { priority: 2 }));
    const [held] = await claim(database());
    await mark(database(), shift(providerId, "a", { priority: 0 }));
    expect(await claim(database())).toEqual([]);
    await end(held, { afterMs: HOUR_MS });
    expect(await claim(database())).toMatchObject([{ key: "a", priority: 0, attempts: 1 }]);
  });

  it("is due a second after a failed attempt if a hint arrived during it, but not before a Retry-After", async () => {
    const providerId = await addIntegration(database());
    const keys = ["firm", "hinted", "soon", "unhinted"];
    await mark(database(), ...keys.map((key) => shift(providerId, key)));
    const claims = await claim(database());
    await mark(database(), ...["firm", "hinted", "soon"].map((key) => shift(providerId, key)));
    await transact({ database: database() }, async (trx) => {
      for (const held of claims) {
        const afterMs = held.key === "soon" ? 10 : HOUR_MS;
        endClaim(trx, held, { priority: held.priority, attempts: 1, afterMs, isFirm: held.key === "firm" });
      }
    });
    const dueIn = Object.fromEntries((await rowsOf(database())).map((row) => [row.key, row.dueIn]));
    expect(Number(dueIn.hinted) - Number(dueIn.soon)).toBeCloseTo(0.99);
    await clock.forward(1_000);
    expect(keysOf(await claim(database()))).toEqual(["hinted", "soon"]);
    await clock.forward(HOUR_MS);
    expect(keysOf(await claim(database()))).toContain("firm");
  });

  it("is due at the next hint after a failure, but not before a Retry-After", async () => {
    const providerId = await addIntegration(database());
    for (const [key, isFirm] of [
      ["firm", true],
      ["loose", false],
    ] as const) {
      await mark(database(), shift(providerId, key));
      const [held] = await claim(database());
      await end(held, { afterMs: HOUR_MS, attempts: 1, isFirm });
    }
    await mark(database(), shift(providerId, "firm"), shift(providerId, "loose"));
    expect(keysOf(await claim(database()))).toEqual(["loose"]);
    await clock.forward(HOUR_MS);
    expect(keysOf(await claim(database()))).toContain("firm");
  });

  it("is claimed again once its lease has expired, and the first run can no longer write", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"));
    const [first] = await claim(database());
    await clock.forward(LEASE_MS - 5_000);
    expect(await claim(database())).toEqual([]);
    await clock.forward(5_000);
    const [second] = await claim(database());
    expect(second).toMatchObject({ key: "a", attempts: 2 });
    await expect(end(first)).rejects.toThrow(ClaimLost);
    await expect(
      transact({ database: database() }, async (trx) => renewClaim(trx, first as Claim)),
    ).rejects.toThrow(ClaimLost);
    await end(second);
  });

  it("stays claimed while its claim is renewed", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"), shift(providerId, "b"));
    const claims = await claim(database());
    await clock.forward(LEASE_MS - 5_000);
    await renewClaims(
      database(),
      claims.filter(({ key }) => key === "a"),
    );
    await clock.forward(6_000);
    expect(keysOf(await claim(database()))).toEqual(["b"]);
  });

  it("stays claimed for a whole lease when a hint arrived before its claim is renewed", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"));
    const [held] = await claim(database());
    await mark(database(), shift(providerId, "a"));
    await transact({ database: database() }, async (trx) => renewClaim(trx, held as Claim));
    await clock.forward(LEASE_MS - 5_000);
    expect(await claim(database())).toEqual([]);
    await end(held, { afterMs: undefined });
    expect(await claim(database())).toMatchObject([{ key: "a" }]);
  });

  it("is due at once after a release, which does not count as an attempt", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"), shift(providerId, "b"));
    const claims = await claim(database());
    await releaseClaims(
      database(),
      claims.filter(({ key }) => key === "a"),
    );
    expect(await claim(database())).toMatchObject([{ key: "a", attempts: 1 }]);
    await releaseAllClaims(database());
    expect(keysOf(await claim(database()))).toEqual(["a", "b"]);
  });

  // On Citus each organisation has a claim of its own, in turn.
  it.skipIf(isOnCitus)("is claimed by priority, then from the provider with the fewest runs", async () => {
    const [many, few] = [await addIntegration(database()), await addIntegration(database())];
    await mark(database(), ...[1, 2, 3, 4, 5].map((nth) => shift(many, `many${nth}`)));
    await mark(database(), shift(few, "few1"), shift(few, "few2"), shift(many, "urgent", { priority: 0 }));
    expect(keysOf(await claim(database(), { places: 1 }))).toEqual(["urgent"]);
    expect(await claim(database(), { places: 1 })).toMatchObject([{ providerId: few }]);
    const next = await claim(database(), { places: 2 });
    expect(new Set(next.map(({ providerId }) => providerId))).toEqual(new Set([many, few]));
  });

  it("is claimed for the newest and the oldest first readings alike, and for a few repeated ones", async () => {
    const providerId = await addIntegration(database());
    const keys = (name: string) =>
      Array.from({ length: 100 }, (_, nth) => `${name}${String(nth).padStart(3, "0")}`);
    await mark(database(), ...keys("repeated").map((key) => shift(providerId, key)));
    for (const held of await claim(database(), { perProvider: 200, places: 200 }))
      await end(held, { afterMs: 0 });
    for (const key of keys("first")) await mark(database(), shift(providerId, key));
    const keysOfClaims = keysOf(await claim(database(), { perProvider: 50, places: 40 }));
    const count = (pattern: RegExp) => keysOfClaims.filter((key) => pattern.test(key)).length;
    expect(keysOfClaims).toHaveLength(40);
    expect(count(/^first0[01]/), "the oldest").toBeGreaterThanOrEqual(14);
    expect(count(/^first0[89]/), "the newest").toBeGreaterThanOrEqual(14);
    expect(count(/^repeated/)).toBeGreaterThanOrEqual(6);
    expect(count(/^repeated/)).toBeLessThanOrEqual(10);
  });

  it.each<[string, Partial<NextAttempt>, string]>([
    ["has read it", { afterMs: 0 }, "a repeated"],
    ["failed", { afterMs: 0, attempts: 1 }, "a repeated"],
    ["could not call the provider", { afterMs: 0, attempts: 1, isDeferred: true }, "still a first"],
  ])("is, once a run %s, %s reading until the next hint", async (_, rest, kind) => {
    const providerId = await addIntegration(database());
    const isFirst = async () =>
      (await database().kysely.selectFrom("work").select("isFirst").executeTakeFirst())?.isFirst;
    await mark(database(), shift(providerId, "a"));
    const [held] = await claim(database());
    expect(await isFirst()).toBe(true);
    await end(held, rest);
    expect(await isFirst()).toBe(kind === "still a first");
    const [again] = await claim(database());
    await mark(database(), shift(providerId, "a"));
    await end(again, { afterMs: 0 });
    expect(await isFirst(), "a hint arrived during the run").toBe(true);
  });

  it("is claimed up to the limit of each provider, across all processes", async () => {
    const [one, other] = [await addIntegration(database()), await addIntegration(database())];
    await mark(database(), ...[1, 2, 3, 4, 5].map((nth) => shift(one, `one${nth}`)));
    await mark(database(), shift(other, "other1"));
    expect(keysOf(await claim(database(), { perProvider: 4, places: 1, providers: [one] }))).toHaveLength(1);
    const claims = await claim(database(), { perProvider: 4 });
    expect(claims.filter(({ providerId }) => providerId === one)).toHaveLength(2);
    expect(keysOf(claims)).toContain("other1");
    expect(await claim(database(), { perProvider: 4 })).toEqual([]);
    await releaseClaims(database(), claims);
    expect(await claim(database(), { perProvider: 4 })).toHaveLength(3);
  });

  it("leaves the last place of a provider to interactive work", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), ...[1, 2, 3, 4, 5].map((nth) => shift(providerId, `event${nth}`)));
    expect(await claim(database(), { perProvider: 5 })).toHaveLength(4);
    await mark(database(), shift(providerId, "accepted", { priority: 0 }));
    expect(keysOf(await claim(database(), { perProvider: 5 }))).toEqual(["accepted"]);
  });

  // The statistics of Citus are those of the workers.
  it.skipIf(isOnCitus)(
    "is claimed without reading finished rows again, with or without a vacuum",
    async () => {
      const providers = await Promise.all(Array.from({ length: 20 }, () => addIntegration(database())));
      await sql`alter table work set (autovacuum_enabled = off)`.execute(database().kysely);
      const keys = Array.from({ length: 100 }, (_, nth) => `s${nth}`);
      await database()
        .kysely.connection()
        .execute(async (kysely) => {
          const one = { ...database(), kysely };
          const read = async () => {
            await sql`select pg_stat_force_next_flush()`.execute(kysely);
            const { rows } = await sql<{ read: number }>`
            select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = 'work'`.execute(
              kysely,
            );
            return rows[0]?.read ?? Number.NaN;
          };
          await mark(one, ...keys.flatMap((key) => providers.map((providerId) => shift(providerId, key))));
          await claim(one, { perProvider: 50, places: 1_000 });
          await sql`analyze work`.execute(kysely);
          await sql`delete from work`.execute(kysely);
          // The first look notices that they have ended.
          expect(await claim(one)).toEqual([]);
          expect(await read()).toBeGreaterThan(0);
          const readByClaim = async () => {
            const before = await read();
            expect(await claim(one)).toEqual([]);
            return (await read()) - before;
          };
          // While anybody, such as an automatic ANALYZE, has a snapshot from before they ended, they cannot be passed over.
          await expect.poll(readByClaim).toBe(0);
        });
    },
  );

  it("is claimed for the named providers only", async () => {
    const [one, other] = [await addIntegration(database()), await addIntegration(database())];
    await mark(database(), shift(one, "one"), shift(other, "other"));
    expect(keysOf(await claim(database(), { providers: [other] }))).toEqual(["other"]);
    expect(await claim(database(), { providers: [] })).toEqual([]);
  });

  it("is reported as left where more is due than the places, the share or the limit of the provider allow", async () => {
    const all = [await addIntegration(database()), await addIntegration(database())];
    const [one, other] = all as [string, string];
    const leftOf = async (rest: Partial<Wanted> = {}) => (await claimed(database(), rest)).left;
    expect(await leftOf()).toEqual([]);
    await mark(
      database(),
      shift(one, "a"),
      shift(other, "b"),
      shift(one, "c"),
      shift(one, "d"),
      shift(one, "e"),
    );
    expect((await leftOf({ places: 1 })).sort(), "of five rows one").toEqual(all.sort());
    expect(await leftOf({ perProvider: 3 }), "of the limit 2 are usual work").toContain(one);
    expect(await leftOf({ perProvider: 3 }), "at the limit").toContain(one);
    await claim(database());
    expect(await leftOf()).toEqual([]);
  });

  it("waits while the provider rejects the token, except for the probe", async () => {
    const providerId = await addIntegration(database(), {}, "token_rejected");
    const probe = { providerId, kind: "probe", key: "", priority: 0 } as const;
    await mark(database(), shift(providerId, "a", { priority: 0 }), probe);
    expect(await claim(database())).toMatchObject([{ kind: "probe" }]);
    await database().kysely.deleteFrom("conditions").execute();
    expect(keysOf(await claim(database()))).toEqual(["a"]);
  });

  it.each(["draft", "suspended"] as const)(
    "includes only interactive work of an integration that is %s",
    async (state) => {
      const providerId = await addIntegration(database(), { state });
      await mark(database(), shift(providerId, "event"), shift(providerId, "asked", { priority: 0 }));
      expect(keysOf(await claim(database()))).toEqual(["asked"]);
    },
  );

  it("is claimed only for the kinds that the process works on", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"), shift(providerId, "b", { kind: "person" }));
    expect(keysOf(await claim(database(), { kinds: ["person"] }))).toEqual(["b"]);
  });

  it.each<[string, Partial<NextAttempt>, boolean]>([
    ["another attempt", { afterMs: HOUR_MS / 2 - MINUTE_MS, attempts: 2 }, false],
    ["the start of its shift", { afterMs: DAY_MS, priority: 0 }, true],
    ["the next hour, after the last attempt", { afterMs: HOUR_MS, attempts: 3 }, true],
    ["its next reading in the background", { afterMs: HOUR_MS, priority: 2 }, true],
    ["nothing", {}, true],
  ])("with only %s to wait for shows whether the worker is idle", async (_, rest, isDone) => {
    const providerId = await addIntegration(database());
    const idle = () => isIdle(database(), { kinds: KINDS, tries: 3 });
    expect(await idle()).toBe(true);
    await mark(database(), shift(providerId, "a"));
    expect(await idle()).toBe(false);
    const [held] = await claim(database());
    expect(await idle()).toBe(false);
    await end(held, rest);
    expect(await idle()).toBe(isDone);
  });
});
