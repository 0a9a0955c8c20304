import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { newId } from "../../../src/platform/ids.ts";
import {
  healthOf,
  noteCircuit,
  noteImplausible,
  noteReachable,
  pauseCalls,
  recordRoute,
  type SeenRoute,
} from "../../../src/platform/integrations/health.ts";
import { requireIntegration } from "../../../src/platform/integrations/integration.ts";
import { transact } from "../../../src/platform/transaction.ts";
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
    const { health } = await kysely.selectFrom("integrations").select("health").executeTakeFirstOrThrow();
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
  it.runIf(engine === "postgres")(
    "leaves no issue open when one run finds the provider good again while another finds it implausible",
    async () => {
      await transact(deps(), (trx) => noteImplausible(trx, deps(), providerId));
      expect(await seen()).toEqual(["implausible", "provider_implausible"]);
      let other: Promise<void> | undefined;
      let hasPassed = false;
      await transact(deps(), async (trx) => {
        await noteReachable(trx, deps(), providerId);
        other = transact(deps(), async (later) => {
          await noteImplausible(later, deps(), providerId);
          hasPassed = true;
        });
        await expect.poll(async () => hasPassed || (await blocked()) > 0).toBe(true);
      });
      await other;
      expect(await seen()).toEqual(["reachable"]);
    },
  );

  // The embedded engine runs one transaction at a time.
  it.runIf(engine === "postgres")(
    "has its probe also when the token is rejected while the probe of an earlier outage ends",
    async () => {
      await transact(deps(), (trx) => noteImplausible(trx, deps(), providerId));
      await transact(deps(), (trx) => noteReachable(trx, deps(), providerId));
      await database()
        .kysely.updateTable("work")
        .set({ dueAt: new Date(0) })
        .execute();
      const wanted = { places: 1, perProvider: 1, providers: [providerId], claim: newId() };
      const { claims } = await claimWork(database(), { ...wanted, kinds: ["probe"] });
      await transact(deps(), async (trx) => {
        await pauseCalls(trx, deps(), providerId, 401);
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
