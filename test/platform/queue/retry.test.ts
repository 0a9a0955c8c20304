import { describe, expect, it } from "vitest";
import { PROVIDER_RETRIES, retryDelay } from "../../../src/platform/queue/retry.ts";

describe("the wait before the next try", () => {
  const highest = { ...PROVIDER_RETRIES, random: () => 1 };

  it("doubles from 1 s to 10 min", () => {
    const waits = Array.from({ length: 12 }, (_, n) => retryDelay(highest, n + 1) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
  });

  it("is anything from nothing up to that", () => {
    expect(retryDelay({ ...PROVIDER_RETRIES, random: () => 0 }, 5)).toBe(0);
    expect(retryDelay({ ...PROVIDER_RETRIES, random: () => 0.25 }, 5)).toBe(4_000);
  });

  it("is never shorter than a Retry-After, which may exceed 10 min but not a day", () => {
    expect(retryDelay({ ...PROVIDER_RETRIES, random: () => 0 }, 1, 45_000)).toBe(45_000);
    expect(retryDelay(highest, 1, 3_600_000)).toBe(3_600_000);
    expect(retryDelay(highest, 1, 1e15)).toBe(24 * 3_600_000);
  });
});
