import { describe, expect, it } from "vitest";
import { restText, totalOf, waitingText } from "../../src/console/integrations/badges.tsx";

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
});
