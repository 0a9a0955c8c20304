import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sharedStarts } from "../../../src/platform/integrations/shared-starts.ts";
import { silent, useEngine } from "../../harness/engines.ts";

const LIMITS = { perSecond: 10, perMinute: 500, waitMs: 600_000 };

const mostWithin = (starts: readonly number[], ms: number) =>
  Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + ms).length));

describe("the starts of calls that processes share", () => {
  const database = useEngine("postgres");
  const processes = () => {
    const providerId = randomUUID();
    const join = () => sharedStarts(database(), silent, providerId, () => true);
    return [join(), join()] as const;
  };

  it("are at most 10 in any second and 500 in any minute", async () => {
    const [one] = processes();
    const starts = await one.reserve(1_200, LIMITS, true);
    expect(starts).toHaveLength(1_200);
    expect(starts[0]).toBe(0);
    expect(mostWithin(starts, 1_000)).toBeLessThanOrEqual(10);
    expect(mostWithin(starts, 60_000)).toBeLessThanOrEqual(500);
    expect(mostWithin(starts, 60_000)).toBeGreaterThan(400);
  });

  it("of two processes use the limit together", async () => {
    const [one, other] = processes();
    const begun = performance.now();
    const starts: number[] = [];
    for (const process of Array.from({ length: 12 }, (_, nth) => [one, other][nth % 2] ?? one)) {
      const elapsedMs = performance.now() - begun;
      starts.push(...(await process.reserve(100, LIMITS, true)).map((start) => start + elapsedMs));
    }
    expect(starts).toHaveLength(1_200);
    expect(mostWithin(starts, 60_000)).toBeGreaterThan(400);
  });

  it.each([1, 2, 3, 7, 50, 500])("are at most %i in any second", async (perSecond) => {
    const [one] = processes();
    const starts = await one.reserve(300, { ...LIMITS, perSecond, perMinute: perSecond * 50 }, true);
    expect(mostWithin(starts, 999)).toBeLessThanOrEqual(perSecond);
  });

  it("are reserved for all who are the first to ask, at the same time", async () => {
    for (let nth = 0; nth < 20; nth += 1) {
      const [one, other] = processes();
      const reserve = [
        one.reserve(1, LIMITS, true),
        one.reserve(1, LIMITS, false),
        other.reserve(1, LIMITS, true),
      ];
      expect((await Promise.all(reserve)).map((starts) => starts.length)).toEqual([1, 1, 1]);
    }
  });

  it("continue at one process where another has stopped", async () => {
    const [one, other] = processes();
    const startedAt = performance.now();
    const starts = await one.reserve(50, LIMITS, true);
    const next = await other.reserve(1, LIMITS, true);
    const elapsedMs = performance.now() - startedAt;
    expect((next[0] ?? 0) + elapsedMs).toBeGreaterThan(starts.at(-1) ?? 0);
  });

  it("are not reserved for a call that would have to wait long", async () => {
    const [one, other] = processes();
    const soon = { ...LIMITS, waitMs: 1_000 };
    const reservedAt = performance.now();
    const starts = await one.reserve(100, soon, true);
    expect(starts.length).toBeLessThan(15);
    expect(Math.max(...starts)).toBeLessThanOrEqual(1_000);
    const asked = await Promise.all(Array.from({ length: 20 }, () => other.reserve(1, soon, true)));
    // Those that became free meanwhile, and the two of the rounding.
    const elapsedSeconds = (performance.now() - reservedAt) / 1_000;
    expect(asked.flat().length).toBeLessThan(3 + elapsedSeconds * LIMITS.perSecond);
    const [later = 0] = await other.reserve(1, LIMITS, true);
    expect(later).toBeLessThan(2_000);
  });

  it("wait for the silence that a provider has asked any of them for", async () => {
    const [one, other] = processes();
    await one.reserve(1, LIMITS, true);
    one.silence(30_000);
    await expect.poll(() => other.reserve(1, { ...LIMITS, waitMs: 5_000 }, true)).toEqual([]);
    const [start = 0] = await other.reserve(1, LIMITS, true);
    expect(start).toBeGreaterThan(20_000);
  });
});
