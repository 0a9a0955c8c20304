import { describe, expect, it } from "vitest";
import type { ProviderHealth } from "../../generated/operations/types.ts";
import { addressWith, readFilter } from "../../src/console/components/filter.ts";
import { byAttention, HEALTH_FILTER } from "../../src/console/integrations/health.ts";

const health = (code: ProviderHealth["health"]["code"]) => ({ code }) as ProviderHealth["health"];
const backlog = (oldestAt: string | null) => ({ oldestAt }) as ProviderHealth["backlog"];

const providerOf = (providerId: string, part: Partial<ProviderHealth>): ProviderHealth =>
  ({
    ...{ providerId, state: "active", health: health("reachable"), openIssues: 0, backlog: backlog(null) },
    ...part,
  }) as ProviderHealth;

const idsOf = (providers: ProviderHealth[]) => providers.map(({ providerId }) => providerId);

describe("the list of provider health", () => {
  it("is in the order of health, open issues, and age of the backlog", () => {
    const providers = [
      providerOf("quiet", {}),
      providerOf("waits", { backlog: backlog("2026-11-22T08:00:00Z") }),
      providerOf("waits longer", { backlog: backlog("2026-11-22T07:00:00Z") }),
      providerOf("with issues", { openIssues: 2 }),
      providerOf("limited", { health: health("rate_limited") }),
      providerOf("down", { health: health("unreachable") }),
    ];
    expect(idsOf(byAttention(providers, {}))).toEqual([
      ...["down", "limited", "with issues", "waits longer", "waits", "quiet"],
    ]);
  });

  it("has the providers that match the filter", () => {
    const providers = [
      providerOf("down", { health: health("unreachable") }),
      providerOf("draft", { state: "draft" }),
      providerOf("fine", {}),
    ];
    expect(idsOf(byAttention(providers, { health: "reachable" }))).toEqual(["draft", "fine"]);
    expect(idsOf(byAttention(providers, { health: "reachable", state: "active" }))).toEqual(["fine"]);
  });

  it("has a filter that is read back from its own address", () => {
    const filter = { health: "token_rejected", state: "suspended" } as const;
    const { searchParams } = new URL(addressWith("/console/health", filter), "http://console.example");
    expect(readFilter(HEALTH_FILTER, Object.fromEntries(searchParams))).toEqual(filter);
    expect(readFilter(HEALTH_FILTER, { health: "soon", state: "" })).toEqual({});
  });
});
