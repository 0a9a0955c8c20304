import { describe, expect, it, vi } from "vitest";
import { shareReading } from "../../../src/platform/metrics/readings.ts";

describe("a shared reading", () => {
  it("is read once for all callers within its time, each key apart", async () => {
    let now = 0;
    const read = vi.fn(async (key: string) => `${key} at ${now}`);
    const shared = shareReading(read, 2_000, () => now);
    expect(await Promise.all([shared("a"), shared("a"), shared("b")])).toEqual([
      "a at 0",
      "a at 0",
      "b at 0",
    ]);
    now = 1_999;
    expect(await shared("a")).toBe("a at 0");
    now = 2_000;
    expect(await shared("a")).toBe("a at 2000");
    expect(read).toHaveBeenCalledTimes(3);
  });

  it("is kept for twenty times as long as it took, and never read twice at once", async () => {
    let now = 0;
    const gate = Promise.withResolvers<void>();
    const read = vi.fn(() => gate.promise);
    const shared = shareReading(read, 2_000, () => now);
    const first = shared();
    now = 5_000;
    const second = shared();
    gate.resolve();
    await Promise.all([first, second]);
    now = 104_999;
    await shared();
    expect(read).toHaveBeenCalledTimes(1);
    now = 105_000;
    await shared();
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("is read again after a failure", async () => {
    const read = vi.fn(async () => "read").mockRejectedValueOnce(new Error("down"));
    const shared = shareReading(read, 2_000, () => 0);
    await expect(shared()).rejects.toThrow("down");
    expect(await shared()).toBe("read");
  });
});
