import { describe, expect, it } from "vitest";
import { PROVIDER_RETRIES, TIMING } from "../../../src/clients/retry-policy.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { retryAfterFailure, retryDelay } from "../../../src/platform/work/retry.ts";

const rest = { hourlyMs: HOUR_MS };

describe("the delay before the next attempt", () => {
  const highest = { ...PROVIDER_RETRIES, random: () => 1 };
  const lowest = { ...PROVIDER_RETRIES, random: () => 0 };

  it("doubles from 1 s to 10 min, and is an hour after 12 attempts", () => {
    const waits = Array.from({ length: 14 }, (_, nth) => retryDelay(highest, nth + 1, rest) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 3_600, 3_600, 3_600]);
  });

  it("is random between zero and that bound", () => {
    expect(retryDelay(lowest, 5, rest)).toBe(0);
    expect(retryDelay({ ...PROVIDER_RETRIES, random: () => 0.25 }, 5, rest)).toBe(4_000);
  });

  it("is never shorter than Retry-After, which counts for at most an hour", () => {
    expect(retryDelay(lowest, 1, { ...rest, retryAfterMs: 45_000 })).toBe(45_000);
    expect(retryDelay(highest, 1, { ...rest, retryAfterMs: HOUR_MS })).toBe(HOUR_MS);
    expect(retryDelay(highest, 1, { ...rest, retryAfterMs: 1e15 })).toBe(HOUR_MS);
  });

  it("holds in spite of a hint if the provider asked for it, and a call that was not made is no attempt", () => {
    const failed = (failure: Parameters<typeof retryAfterFailure>[2]) =>
      retryAfterFailure({ retries: lowest, timing: rest }, 3, failure);
    expect(failed({ retryAfterMs: 45_000 })).toMatchObject({ afterMs: 45_000, attempts: 3, isFirm: true });
    expect(failed({})).toMatchObject({ attempts: 3, isFirm: false });
    expect(failed({ retryAfterMs: 45_000, notAsked: true })).toMatchObject({ attempts: 2, isFirm: false });
  });

  it("follows a call of at most 10 s; each minute, a provider that rejects the token is probed", () => {
    expect(TIMING).toMatchObject({ callTimeoutMs: 10_000, hourlyMs: HOUR_MS, probeMs: 60_000 });
  });
});
