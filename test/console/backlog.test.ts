import { describe, expect, it } from "vitest";
import { remainingText, restText, totalOf, waitingText } from "../../src/console/integrations/backlog.ts";

describe("the text of a backlog", () => {
  it.each([
    [
      { interactive: 2, events: 1_204, background: 30 },
      "2 interactive, 1,204 from events, 30 in the background",
    ],
    [{ interactive: 0, events: 7, background: 0 }, "7 from events"],
    [{ interactive: 0, events: 0, background: 0 }, ""],
  ])("lists what waits, most urgent first: %j", (waiting, text) => {
    expect(waitingText(waiting)).toBe(text);
    expect(totalOf(waiting)).toBe(waiting.interactive + waiting.events + waiting.background);
  });

  it.each([
    [{ inProgress: 0, mail: 0 }, ""],
    [{ inProgress: 1, mail: 0 }, "1 in progress"],
    [{ inProgress: 3, mail: 1_500 }, "3 in progress, 1,500 mails to send"],
  ])("lists what is in progress while nothing waits: %j", (rest, text) => {
    expect(restText(rest)).toBe(text);
  });

  const [MINUTE, HOUR] = [60_000, 3_600_000];

  it.each([
    [-HOUR, "under a minute"],
    [MINUTE, "under a minute"],
    [MINUTE + 1, "2 min"],
    [HOUR - 1, "1 h"],
    [2 * HOUR + 5 * MINUTE, "2 h 5 min"],
    [24 * HOUR, "1 day"],
    [76 * HOUR, "3 days 4 h"],
  ])("states %d ms until the end as %s", (ms, text) => {
    expect(remainingText(ms)).toBe(text);
  });
});
