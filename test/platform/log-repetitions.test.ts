import { describe, expect, it, vi } from "vitest";
import { createLog } from "../../src/platform/log.ts";

describe("a log in an outage", () => {
  it("writes the first lines of a fault, and after a minute how often it was repeated", () => {
    vi.useFakeTimers({ now: Date.parse("2027-03-01T08:00:00Z") });
    try {
      const lines: string[] = [];
      const log = createLog("info", { write: (line) => void lines.push(line) });
      const fault = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      for (let count = 0; count < 1_000; count += 1) {
        log.error({ err: fault(), traceId: `trace ${count}` }, "could not store an event");
        vi.advanceTimersByTime(10);
      }
      log.error({ err: new Error("another one") }, "could not store an event");
      log.error({ err: fault(), providerId: "p" }, "could not store an event");
      for (let count = 0; count < 10; count += 1) log.info("a webhook was stored");
      expect(lines).toHaveLength(5 + 2 + 10);
      vi.advanceTimersByTime(60_000);
      const [summary, ...more] = lines.slice(17).map((line) => JSON.parse(line));
      expect(more).toEqual([]);
      expect(summary).toMatchObject({
        level: "error",
        msg: "could not store an event",
        repeated: 995,
        first: "2027-03-01T08:00:00.050Z",
        last: "2027-03-01T08:00:09.990Z",
      });
      log.error({ err: fault() }, "could not store an event");
      expect(lines).toHaveLength(19);
    } finally {
      vi.useRealTimers();
    }
  });
});
