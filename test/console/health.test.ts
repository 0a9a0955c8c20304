import { describe, expect, it } from "vitest";
import type { ProviderHealth } from "../../generated/operations/types.ts";
import { byNeed, healthAddress, healthFilterOf } from "../../src/console/health/health-filter.ts";

const health = (code: ProviderHealth["health"]["code"]) => ({ code }) as ProviderHealth["health"];
const backlog = (oldestAt: string | null) => ({ oldestAt }) as ProviderHealth["backlog"];

const providerOf = (providerId: string, part: Partial<ProviderHealth>): ProviderHealth =>
  ({
    ...{ providerId, state: "active", health: health("reachable"), openIssues: 0, backlog: backlog(null) },
    ...part,
  }) as ProviderHealth;

const idsOf = (providers: ProviderHealth[]) => providers.map(({ providerId }) => providerId);

describe("the providers by need", () => {
  it("are in the order of health, open issues, and how long something waits", () => {
    const providers = [
      providerOf("quiet", {}),
      providerOf("waits", { backlog: backlog("2026-11-22T08:00:00Z") }),
      providerOf("waits longer", { backlog: backlog("2026-11-22T07:00:00Z") }),
      providerOf("with issues", { openIssues: 2 }),
      providerOf("limited", { health: health("rate_limited") }),
      providerOf("down", { health: health("unreachable") }),
    ];
    expect(idsOf(byNeed(providers, {}))).toEqual([
      ...["down", "limited", "with issues", "waits longer", "waits", "quiet"],
    ]);
  });

  it("are those of the filter", () => {
    const providers = [
      providerOf("down", { health: health("unreachable") }),
      providerOf("draft", { state: "draft" }),
      providerOf("fine", {}),
    ];
    expect(idsOf(byNeed(providers, { health: "reachable" }))).toEqual(["draft", "fine"]);
    expect(idsOf(byNeed(providers, { health: "reachable", state: "active" }))).toEqual(["fine"]);
  });

  it("have a filter that comes back from its own address", () => {
    const filter = { health: "token_rejected", state: "suspended" } as const;
    const { searchParams } = new URL(healthAddress(filter), "http://console.example");
    expect(healthFilterOf(Object.fromEntries(searchParams))).toEqual(filter);
    expect(healthFilterOf({ health: "soon", state: "" })).toEqual({});
    expect(healthAddress({})).toBe("/console/health");
  });
});
