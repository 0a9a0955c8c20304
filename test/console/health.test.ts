import { describe, expect, it } from "vitest";
import { addressWith, readFilter } from "../../src/console/components/filters.tsx";
import { HEALTH_FILTER } from "../../src/console/integrations/badges.tsx";

describe("the list of provider health", () => {
  it("has a filter that is read back from its own address", () => {
    const filter = { health: "token_rejected", state: "suspended" } as const;
    const { searchParams } = new URL(addressWith("/console/health", filter), "http://console.example");
    expect(readFilter(HEALTH_FILTER, Object.fromEntries(searchParams))).toEqual(filter);
    expect(readFilter(HEALTH_FILTER, { health: "soon", state: "" })).toEqual({});
  });
});
