import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { healthOf, recordRoute, type SeenRoute } from "../../../src/platform/integrations/health.ts";
import { requireIntegration } from "../../../src/platform/integrations/integration.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { depsFor } from "../../harness/deps.ts";
import { engines, useEngine } from "../../harness/engines.ts";
import { SECRET_KEY } from "../../harness/platform.ts";
import { insertIntegration } from "../../harness/tenants.ts";

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
