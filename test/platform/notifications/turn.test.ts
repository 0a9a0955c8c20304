import { describe, expect, it } from "vitest";
import { waitOf } from "../../../src/platform/notifications/turn.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (before: number) => new Date(NOW - before);
const sent = (before: number) => ({ at: at(before), sentAt: at(before) });
const LIMITS = { everyMs: 10 * MINUTE, perDay: 3 };
const window = (inMs: number) => ({ until: NOW + inMs, for: "offer_window" });
const limit = (inMs: number) => ({ until: NOW + inMs, for: "daily_limit" });

describe("the next mail with offers", () => {
  it.each<[waits: string, mails: Parameters<typeof waitOf>[0], wait: ReturnType<typeof waitOf> | object]>([
    ["does not wait after a quiet time", [], undefined],
    ["waits for the rest of the window", [sent(4 * MINUTE), sent(HOUR)], window(6 * MINUTE)],
    ["does not wait once the window is over", [sent(10 * MINUTE)], undefined],
    [
      "waits a window when another mail is about to be sent",
      [{ at: at(HOUR), sentAt: null }],
      window(10 * MINUTE),
    ],
    [
      "waits from the delivery, not from the first attempt",
      [{ at: at(HOUR), sentAt: at(MINUTE) }],
      window(9 * MINUTE),
    ],
    ["waits a window at most after a clock that was ahead", [sent(-HOUR)], window(10 * MINUTE)],
    [
      "waits until the limit's mail is 24 hours old",
      [sent(HOUR), sent(2 * HOUR), sent(20 * HOUR), sent(23 * HOUR)],
      limit(4 * HOUR),
    ],
    [
      "waits for the window when the limit ends first",
      [sent(0), sent(HOUR), sent(24 * HOUR - MINUTE)],
      window(10 * MINUTE),
    ],
  ])("%s", (_, mails, wait) => {
    expect(waitOf(mails, NOW, LIMITS)).toEqual(wait);
  });

  it("is sent at once without limits", () => {
    expect(waitOf([sent(0), sent(0), sent(0)], NOW, { everyMs: 0, perDay: 0 })).toBeUndefined();
  });
});
