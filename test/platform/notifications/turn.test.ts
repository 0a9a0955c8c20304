import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { waitOf } from "../../../src/platform/notifications/mail-due.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const at = (before: number) => new Date(NOW - before);
const sent = (before: number) => ({ at: at(before), sentAt: at(before) });
const LIMITS = { everyMs: 10 * MINUTE_MS, perDay: 3 };
const window = (inMs: number) => ({ until: NOW + inMs, for: "offer_window" });
const limit = (inMs: number) => ({ until: NOW + inMs, for: "daily_limit" });

describe("the next mail with offers", () => {
  it.each<[waits: string, mails: Parameters<typeof waitOf>[0], wait: ReturnType<typeof waitOf> | object]>([
    ["does not wait after a quiet time", [], undefined],
    ["waits for the rest of the window", [sent(4 * MINUTE_MS), sent(HOUR_MS)], window(6 * MINUTE_MS)],
    ["does not wait once the window is over", [sent(10 * MINUTE_MS)], undefined],
    [
      "waits a window when another mail is about to be sent",
      [{ at: at(HOUR_MS), sentAt: null }],
      window(10 * MINUTE_MS),
    ],
    [
      "waits from the delivery, not from the first attempt",
      [{ at: at(HOUR_MS), sentAt: at(MINUTE_MS) }],
      window(9 * MINUTE_MS),
    ],
    ["waits a window at most after a clock that was ahead", [sent(-HOUR_MS)], window(10 * MINUTE_MS)],
    [
      "waits until the limit's mail is 24 hours old",
      [sent(HOUR_MS), sent(2 * HOUR_MS), sent(20 * HOUR_MS), sent(23 * HOUR_MS)],
      limit(4 * HOUR_MS),
    ],
    [
      "waits for the window when the limit ends first",
      [sent(0), sent(HOUR_MS), sent(DAY_MS - MINUTE_MS)],
      window(10 * MINUTE_MS),
    ],
  ])("%s", (_, mails, wait) => {
    expect(waitOf(mails, NOW, LIMITS)).toEqual(wait);
  });

  it("is sent at once without limits", () => {
    expect(waitOf([sent(0), sent(0), sent(0)], NOW, { everyMs: 0, perDay: 0 })).toBeUndefined();
  });
});
