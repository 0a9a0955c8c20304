import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/contract/durations.ts";
import { suspend } from "../../../src/platform/integrations/activate.ts";
import { offboard } from "../../../src/platform/integrations/offboard.ts";
import { FIGURES } from "../../../src/platform/metrics/figures.ts";
import { findSilence } from "../../../src/platform/upkeep/rhythm.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";

const WEEK = 168;

describe("a provider counts as quiet", () => {
  const cases = [
    ["when none of many webhooks came", [6, 0, 20], { hours: 6 }],
    ["when a twentieth of them came", [6, 2, 40], { hours: 6 }],
    ["not when more came", [6, 3, 40], "sends"],
    ["not when few are to be expected", [6, 0, 19], undefined],
  ] as const;
  it.each(cases)("%s", (_title, [hours, received, expected], verdict) => {
    const found = findSilence([{ hours, received, expected }]);
    if (typeof verdict === "object") expect(found).toMatchObject(verdict);
    else expect(found).toBe(verdict);
  });

  it("over a longer span when few webhooks are expected in a shorter one, unless it sends again", () => {
    const longer = { hours: 72, received: 1, expected: 50 };
    expect(findSilence([{ hours: 6, received: 0, expected: 4 }, longer])).toBe(longer);
    expect(findSilence([{ hours: 6, received: 1, expected: 4 }, longer])).toBe("sends");
  });
});

describe.each(featureEngines)("the rhythm of webhooks on %s", (engine) => {
  const database = useEngine(engine);
  /** Five minutes into an hour. */
  const start = Date.parse("2027-03-10T12:05:00Z");
  let clock = start;
  const errors: unknown[] = [];
  beforeEach(async () => {
    clock = start;
    await database().kysely.deleteFrom("hourly_figures").execute();
    await database().kysely.deleteFrom("figures").execute();
  });
  afterEach(() => expect(errors.splice(0)).toEqual([]));

  const log = { ...silent, error: (line: unknown) => void errors.push(line) };
  const deps = () => depsFor(database(), { log, now: () => new Date(clock) });
  const round = () => createUpkeep(deps()).run();
  /** The hour that began `ago` full hours before the last complete one at the start. */
  const hourOf = (ago: number) => new Date(start - 5 * MINUTE_MS - (ago + 1) * HOUR_MS);
  const activeProvider = async (state: "active" | "suspended" = "active") => {
    const provider_id = randomUUID();
    const rest = {
      kind: `k-${provider_id.slice(0, 8)}`,
      name: "n",
      base_url: "https://example.com",
      provider_token: "t",
    };
    await database()
      .kysely.insertInto("integrations")
      .values({ provider_id, state, ...rest })
      .execute();
    return provider_id;
  };
  /** Full rounds in every hour of the last weeks, but for those in `without`. */
  const platformRan = (without: readonly number[] = []) => {
    const hours = Array.from({ length: 4 * WEEK }, (_, ago) => ago).filter((ago) => !without.includes(ago));
    const rows = hours.map((ago) => ({ name: "rounds", hour: hourOf(ago), value: 60 }));
    return database().kysely.insertInto("hourly_figures").values(rows).execute();
  };
  /** So many webhooks an hour, from so many hours ago on, but for the hours in `without`. */
  const sent = (
    provider_id: string,
    value: number,
    { from = 4 * WEEK, to = 0, without = (_ago: number): boolean => false } = {},
  ) => {
    const hours = Array.from({ length: from - to }, (_, nth) => to + nth).filter((ago) => !without(ago));
    const rows = hours.map((ago) => ({ provider_id, name: "webhooks", hour: hourOf(ago), value }));
    return database().kysely.insertInto("hourly_figures").values(rows).execute();
  };
  const issuesOf = (provider_id: string) =>
    database()
      .kysely.selectFrom("issues")
      .select(["code", "params", "resolved_at", "count"])
      .where("provider_id", "=", provider_id)
      .execute();

  it("raises one issue when a provider stops sending webhooks, and resolves it when it sends again", async () => {
    const provider_id = await activeProvider();
    const other = await activeProvider();
    await platformRan();
    await sent(provider_id, 5, { to: 6 });
    await sent(other, 5);
    await round();
    const issue = { code: "provider_quiet", params: { hours: 6, received: 0, expected: 30 }, count: 1 };
    expect(await issuesOf(provider_id)).toMatchObject([{ ...issue, resolved_at: null }]);
    expect(await issuesOf(other)).toEqual([]);
    // The webhooks of the next hour, as they are counted while they are stored.
    const figure = { name: FIGURES.webhooks, provider_id, value: 4 };
    await database()
      .kysely.insertInto("figures")
      .values({ ...figure, minute: new Date(clock) })
      .execute();
    await database()
      .kysely.updateTable("hourly_figures")
      .set({ value: 60 })
      .where("name", "=", "rounds")
      .execute();
    clock += 30 * MINUTE_MS;
    await round();
    expect(await issuesOf(provider_id)).toMatchObject([{ ...issue, resolved_at: null }]);
    clock += 30 * MINUTE_MS;
    await round();
    expect(await issuesOf(provider_id)).toMatchObject([{ ...issue, resolved_at: expect.any(Date) }]);
  });

  it.each([
    ["suspended", (provider_id: string) => suspend(deps(), provider_id)],
    ["offboarded", (provider_id: string) => offboard(deps(), provider_id, "keep")],
  ])("closes the issue of a quiet provider that is %s", async (_title, leave) => {
    const provider_id = await activeProvider();
    await platformRan();
    await sent(provider_id, 5, { to: 6 });
    await round();
    expect(await issuesOf(provider_id)).toMatchObject([{ code: "provider_quiet", resolved_at: null }]);
    await leave(provider_id);
    expect(await issuesOf(provider_id)).toMatchObject([{ resolved_at: expect.any(Date) }]);
  });

  it("allows for hours of the week in which a provider never sends", async () => {
    const provider_id = await activeProvider();
    await platformRan();
    await sent(provider_id, 50, { without: (ago) => ago % WEEK < 72 });
    await round();
    expect(await issuesOf(provider_id)).toEqual([]);
  });

  it("raises nothing for a suspended provider, or without three weeks of history", async () => {
    const [fresh, suspended] = [await activeProvider(), await activeProvider("suspended")];
    await platformRan();
    await sent(fresh, 50, { from: 3 * WEEK, to: 6 });
    await sent(suspended, 50, { to: 6 });
    await round();
    expect([...(await issuesOf(fresh)), ...(await issuesOf(suspended))]).toEqual([]);
  });

  it.each([
    ["now", 2],
    ["three weeks ago", 3 * WEEK + 2],
  ])("raises nothing when the platform itself did not run %s", async (_when, ago) => {
    const provider_id = await activeProvider();
    await platformRan([ago]);
    await sent(provider_id, 50, { to: 6 });
    await round();
    expect(await issuesOf(provider_id)).toEqual([]);
  });
});
