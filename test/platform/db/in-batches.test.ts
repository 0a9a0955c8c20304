import { beforeEach, describe, expect, it } from "vitest";
import { createThrottle, inBatches, type Throttle } from "../../../src/platform/db/in-batches.ts";
import { withTimeout } from "../../../src/platform/db/with-timeout.ts";

it("carries out together what has the same key, in the order in which it was asked for", async () => {
  const batches: (readonly string[])[] = [];
  const throttle = { stored: () => undefined, most: () => 2, pauseMs: () => 0 };
  const work = async (items: readonly string[]) => {
    batches.push(items);
    return items.map((item) => item.toUpperCase());
  };
  const carryOut = inBatches(work, throttle, (item: string) => item[0]);
  const results = await Promise.all(["a1", "b1", "a2", "a3", "b2"].map(carryOut));
  expect(results).toEqual(["A1", "B1", "A2", "A3", "B2"]);
  expect(batches).toEqual([["a1", "a2"], ["b1", "b2"], ["a3"]]);
});

describe("processing beside webhooks", () => {
  let now = 0;
  let throttle: Throttle;
  beforeEach(() => {
    now = 0;
    throttle = createThrottle(() => now);
  });
  const store = (count: number, waitedMs: number, tookMs = 1) => {
    for (let nth = 0; nth < count; nth += 1) {
      now += waitedMs;
      throttle.stored({ waitedMs, tookMs });
    }
  };

  it("does not pause while no webhook waits, and does less at once while they come", () => {
    expect([throttle.most(), throttle.pauseMs(10)]).toEqual([100, 0]);
    store(100, 5);
    expect([throttle.most(), throttle.pauseMs(10)]).toEqual([25, 0]);
  });

  it("starts with little work beside webhooks, because a new process is slow", () => {
    store(1, 5);
    expect(throttle.most()).toBeLessThan(10);
    expect(throttle.pauseMs(10)).toBeGreaterThan(0);
  });

  it("does less at once, and pauses, the longer webhooks wait, but never stops", () => {
    store(100, 5);
    store(5, 30);
    const [most, pauseMs] = [throttle.most(), throttle.pauseMs(10)];
    expect(most).toBeLessThan(25);
    expect(pauseMs).toBeGreaterThan(0);
    store(3, 30);
    expect(throttle.most()).toBeLessThan(most);
    expect(throttle.pauseMs(10)).toBeGreaterThan(pauseMs);
    store(1_000, 30);
    expect(throttle.most()).toBeGreaterThan(0);
    expect(throttle.pauseMs(10_000)).toBeLessThanOrEqual(100);
  });

  it("does more again when webhooks wait for a short time only", () => {
    store(10, 30);
    const most = throttle.most();
    store(20, 5);
    expect(throttle.most()).toBeGreaterThan(most);
    store(100, 5);
    expect([throttle.most(), throttle.pauseMs(10)]).toEqual([25, 0]);
  });

  it("does not pause for a slow disk, nor for one that has become slow", () => {
    store(100, 38, 19);
    expect([throttle.most(), throttle.pauseMs(10)]).toEqual([25, 0]);
    store(3_000, 60, 30);
    expect([throttle.most(), throttle.pauseMs(10)]).toEqual([25, 0]);
    store(10, 90, 30);
    expect(throttle.most()).toBeLessThan(25);
  });

  it("does everything again once no webhook has come for a while", () => {
    store(10, 30);
    now += 101;
    expect([throttle.most(), throttle.pauseMs(10)]).toEqual([100, 0]);
    store(1, 5);
    expect(throttle.most()).toBeGreaterThan(5);
  });
});

it("a result, or a failure, within the time limit is passed on", async () => {
  expect(await withTimeout(Promise.resolve(1))).toBe(1);
  await expect(withTimeout(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

it("a result that does not arrive within the time limit is a rejection", async () => {
  await expect(withTimeout(new Promise(() => undefined), 1)).rejects.toThrow("no response within 1 ms");
});
