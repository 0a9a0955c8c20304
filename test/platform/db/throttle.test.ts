import { beforeEach, describe, expect, it } from "vitest";
import { createThrottle, type Throttle } from "../../../src/platform/db/in-batches.ts";

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
