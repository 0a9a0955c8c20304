import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { suspend } from "../../../src/platform/integrations/change.ts";
import { offboard } from "../../../src/platform/integrations/delete.ts";
import { FIGURES } from "../../../src/platform/metrics/figures.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";

describe.each(featureEngines)("the silence of a provider on %s", (engine) => {
  const database = useEngine(engine);
  let clock = Date.parse("2027-03-10T12:05:00Z");
  const deps = () => depsFor(database(), { log: silent, now: () => new Date(clock) });
  const round = () => createUpkeep(deps()).run();
  const provider = async (state: "active" | "suspended" = "active") => {
    const providerId = randomUUID();
    const kind = `k-${providerId.slice(0, 8)}`;
    await database()
      .kysely.insertInto("integrations")
      .values({
        providerId,
        kind,
        state,
        name: "n",
        baseUrl: "https://example.com",
        providerToken: "t",
      })
      .execute();
    return providerId;
  };
  const sent = (providerId: string, value: number, agoMs: number) =>
    database()
      .kysely.insertInto("figures")
      .values({ providerId, name: FIGURES.webhooks, value, minute: new Date(clock - agoMs) })
      .execute();
  const issuesOf = (providerId: string) =>
    database()
      .kysely.selectFrom("issues")
      .select(["code", "params", "resolvedAt", "count"])
      .where("providerId", "=", providerId)
      .execute();

  it.each([
    ["20 in the week before", [[20, 3 * DAY_MS + MINUTE_MS]], true],
    ["19 in the week before", [[19, 3 * DAY_MS + MINUTE_MS]], false],
    [
      "20 in two halves of the week before",
      [
        [10, 4 * DAY_MS],
        [10, 9 * DAY_MS],
      ],
      true,
    ],
    ["20 before that week", [[20, 10 * DAY_MS + MINUTE_MS]], false],
    [
      "20, and one within three days",
      [
        [20, 4 * DAY_MS],
        [1, 3 * DAY_MS - MINUTE_MS],
      ],
      false,
    ],
  ] as const)("is an issue after %s: %#", async (_title, figures, isQuiet) => {
    const providerId = await provider();
    for (const [value, ago] of figures) await sent(providerId, value, ago);
    await round();
    const issue = { code: "provider_quiet", params: { count: 20 }, resolvedAt: null, count: 1 };
    expect(await issuesOf(providerId)).toEqual(isQuiet ? [issue] : []);
  });

  it("is one issue, which is resolved by the round after the next webhook", async () => {
    const providerId = await provider();
    await sent(providerId, 30, 4 * DAY_MS);
    await round();
    await round();
    expect(await issuesOf(providerId)).toMatchObject([{ count: 1, resolvedAt: null }]);
    clock += MINUTE_MS;
    await sent(providerId, 1, 0);
    await round();
    expect(await issuesOf(providerId)).toMatchObject([{ resolvedAt: expect.any(Date) }]);
  });

  it("stays an issue when the busy week is long ago", async () => {
    const providerId = await provider();
    await sent(providerId, 30, 4 * DAY_MS);
    await round();
    clock += 30 * DAY_MS;
    await round();
    expect(await issuesOf(providerId)).toMatchObject([{ resolvedAt: null }]);
  });

  it.each([
    ["suspended", (providerId: string) => suspend(deps(), providerId)],
    ["offboarded", (providerId: string) => offboard(deps(), providerId, "keep")],
  ])("is no issue of a provider that is %s", async (_title, leave) => {
    const providerId = await provider();
    await sent(providerId, 30, 4 * DAY_MS);
    await round();
    expect(await issuesOf(providerId)).toMatchObject([{ resolvedAt: null }]);
    await leave(providerId);
    await round();
    expect(await issuesOf(providerId)).toMatchObject([{ resolvedAt: expect.any(Date) }]);
  });
});
