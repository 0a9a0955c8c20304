import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import type { ConditionCode } from "../../../src/platform/db/schema.ts";
import { newId } from "../../../src/platform/ids.ts";
import {
  acceptDisappearance,
  begin,
  end,
  healthOf,
  holdDeletions,
  noteCircuit,
  recordRoute,
  type SeenRoute,
} from "../../../src/platform/integrations/conditions.ts";
import { requireIntegration } from "../../../src/platform/integrations/integration.ts";
import { type Trx, transact } from "../../../src/platform/transaction.ts";
import { claimWork } from "../../../src/platform/work/claims.ts";
import { endClaim } from "../../../src/platform/work/rows.ts";
import { depsFor } from "../../harness/deps.ts";
import { engines, featureEngines, useEngine } from "../../harness/engines.ts";
import { SECRET_KEY } from "../../harness/platform.ts";
import { insertIntegration } from "../../harness/tenants.ts";

describe.each(featureEngines)("an outage of a provider, on %s", (engine) => {
  const database = useEngine(engine);
  let now = new Date();
  let providerId: string;
  beforeEach(async () => {
    now = new Date();
    providerId = newId();
    const row = { providerId, kind: "k", name: "n", baseUrl: "https://p.example" };
    await database()
      .kysely.insertInto("integrations")
      .values({ ...row, providerToken: "t" })
      .execute();
  });

  const deps = () => depsFor(database(), { now: () => now });
  const note = (state: "open" | "closed", processes: number) =>
    noteCircuit(deps(), providerId, { state, cause: undefined }, processes);
  const due = () => database().kysely.selectFrom("work").select(["kind", "key", "priority"]).execute();
  /** How many transactions wait for a lock of another one. */
  const blocked = async () => {
    const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return (await waiting.execute(database().kysely)).rows.length;
  };
  const pass = (minutes: number) => {
    now = new Date(now.getTime() + minutes * MINUTE_MS);
  };
  const seen = async () => {
    const { kysely } = database();
    const health = healthOf(await requireIntegration(kysely, providerId)).code;
    const issues = await kysely.selectFrom("issues").select("code").where("resolvedAt", "is", null).execute();
    return [health, ...issues.map(({ code }) => code)];
  };

  it("is over with the first response, when there is no other process", async () => {
    await note("open", 1);
    expect(await seen()).toEqual(["unreachable", "provider_down"]);
    await note("closed", 1);
    expect(await seen()).toEqual(["reachable"]);
  });

  it("is not over with a response to another process while one of them still finds it", async () => {
    await note("open", 2);
    await note("closed", 2);
    pass(1.5);
    await note("open", 2);
    pass(1.5);
    await note("closed", 2);
    expect(await seen()).toEqual(["unreachable", "provider_down"]);
    pass(1);
    await note("closed", 2);
    expect(await seen()).toEqual(["reachable"]);
  });

  // The embedded engine runs one transaction at a time.
  describe.runIf(engine === "postgres")("that one run sees while another sees its end", () => {
    /** The second run begins before the first one is committed, and waits for it or not. */
    const both = async (first: (trx: Trx) => Promise<unknown>, second: (trx: Trx) => Promise<unknown>) => {
      let other: Promise<void> | undefined;
      let hasPassed = false;
      await transact(deps(), async (trx) => {
        await first(trx);
        other = transact(deps(), async (later) => {
          await second(later);
          hasPassed = true;
        });
        await expect.poll(async () => hasPassed || (await blocked()) > 0).toBe(true);
      });
      await other;
    };
    const begins = (code: ConditionCode) => (trx: Trx) => begin(trx, deps(), providerId, code);
    const ends = (code: ConditionCode) => (trx: Trx) => end(trx, deps(), providerId, code);

    it.each([
      ["implausible", "provider_implausible"],
      ["token_rejected", "token_rejected"],
    ] as const)("%s has its issue and its probe for as long as it holds", async (code, issue) => {
      await transact(deps(), begins(code));
      await both(ends(code), begins(code));
      expect(await seen()).toEqual([code, issue]);
      await both(ends(code), ends(code));
      expect(await seen()).toEqual(["reachable"]);
      await database().kysely.deleteFrom("work").execute();
      await both(begins(code), ends(code));
      expect(await seen()).toEqual([code, issue]);
      expect(await due()).toContainEqual({ kind: "probe", key: "", priority: 0 });
    });

    it("a route that both find working has recovered once", async () => {
      const see = (works: boolean) => (trx: Trx) =>
        recordRoute(trx, deps(), providerId, { route: "cancelShift", works });
      await transact(deps(), see(false));
      await both(see(true), see(true));
      const { routeRecoveries } = await requireIntegration(database().kysely, providerId);
      expect([routeRecoveries, ...(await seen())]).toEqual([{ cancelShift: 1 }, "reachable"]);
    });

    it("a disappearance that an operator confirms meanwhile does not hold deletions again", async () => {
      const hold = (trx: Trx) => holdDeletions(trx, deps(), providerId, {});
      await transact(deps(), hold);
      let isHeld: boolean | undefined;
      await both(
        (trx) => acceptDisappearance(trx, deps(), providerId),
        async (trx) => {
          isHeld = await hold(trx);
        },
      );
      expect([isHeld, ...(await seen())]).toEqual([false, "reachable"]);
    });
  });

  // The embedded engine runs one transaction at a time.
  it.runIf(engine === "postgres")(
    "has its probe also when the token is rejected while the probe of an earlier outage ends",
    async () => {
      await transact(deps(), (trx) => begin(trx, deps(), providerId, "implausible"));
      await transact(deps(), (trx) => end(trx, deps(), providerId, "implausible"));
      await database()
        .kysely.updateTable("work")
        .set({ dueAt: new Date(0) })
        .execute();
      const wanted = { places: 1, perProvider: 1, providers: [providerId], claim: newId() };
      const { claims } = await claimWork(database(), { ...wanted, kinds: ["probe"] });
      await transact(deps(), async (trx) => {
        await begin(trx, deps(), providerId, "token_rejected");
        for (const claim of claims)
          await transact(deps(), (earlier) => endClaim(earlier, claim, { priority: 0, attempts: 0 }));
      });
      expect(claims).toHaveLength(1);
      expect(await due()).toContainEqual({ kind: "probe", key: "", priority: 0 });
    },
  );

  it("is followed by one more attempt at all failed work", async () => {
    await note("closed", 1);
    expect(await due()).toEqual([]);
    await note("open", 1);
    await note("closed", 1);
    expect(await due()).toEqual([{ kind: "refresh", key: "responds", priority: 0 }]);
  });
});

describe.each(engines)("a missing route of a provider, on %s", (engine) => {
  const database = useEngine(engine);

  async function registered() {
    const { kysely } = database();
    const deps = depsFor(database());
    const providerId = randomUUID();
    const secretKey = SECRET_KEY;
    const rows = {
      kind: "test",
      baseUrl: "http://127.0.0.1:9",
      state: "active",
      tokens: [[randomUUID(), null]],
    } as const;
    await insertIntegration(kysely, { ...rows, providerId, secretKey });
    return {
      see: (seen: Omit<SeenRoute, "route">) =>
        transact(deps, (trx) => recordRoute(trx, deps, providerId, { route: "assignCandidate", ...seen })),
      shown: async () => {
        const issues = kysely.selectFrom("issues").select("code").where("resolvedAt", "is", null);
        const codes = (await issues.execute()).map(({ code }) => code);
        return [healthOf(await requireIntegration(kysely, providerId)).code, ...codes];
      },
    };
  }

  it("is shown until the route works again, and again when it is missing once more", async () => {
    const { see, shown } = await registered();
    expect(await shown()).toEqual(["reachable"]);
    for (const recoveries of [0, 1]) {
      await see({ works: false, recoveries });
      await see({ works: false, recoveries });
      expect(await shown()).toEqual(["route_missing", "route_missing"]);
      await see({ works: true });
      expect(await shown()).toEqual(["reachable"]);
    }
  });

  it("is not shown for a response from before the route worked again", async () => {
    const { see, shown } = await registered();
    await see({ works: false, recoveries: 0 });
    await see({ works: true });
    await see({ works: false, recoveries: 0 });
    expect(await shown()).toEqual(["reachable"]);
  });
});
