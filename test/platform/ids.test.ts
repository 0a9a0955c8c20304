import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import { createIdGenerator, firstIdAt, newId } from "../../src/platform/ids.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("ids", () => {
  it("are UUIDv7 that start with their time", () => {
    const id = createIdGenerator({ now: () => 0x0123456789ab })();
    expect(id).toMatch(UUID_V7);
    expect(id.startsWith("01234567-89ab-7")).toBe(true);
    expect(newId()).toMatch(UUID_V7);
  });

  it("increase within a millisecond, past the end of its counter, and when the clock is set back", () => {
    let now = 1_000_000;
    const next = createIdGenerator({ now: () => now });
    const ids = Array.from({ length: 10_000 }, next);
    now -= 5_000;
    ids.push(next(), next());
    now += MINUTE_MS;
    ids.push(next());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("of a millisecond are between its first id and that of the next", () => {
    const [at, next] = [firstIdAt(new Date(1_000_000)), firstIdAt(new Date(1_000_001))];
    expect(at).toMatch(UUID_V7);
    for (const random of ["00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff"]) {
      const id = createIdGenerator({ now: () => 1_000_000, random: () => random })();
      expect([at, id, next]).toEqual([at, id, next].sort());
    }
  });

  it("increase whatever the random source returns", () => {
    const next = createIdGenerator({ now: () => 1, random: () => "ffffffff-ffff-4fff-bfff-ffffffffffff" });
    const ids = Array.from({ length: 100 }, next);
    expect(ids).toEqual([...ids].sort());
    expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
  });
});
