import { describe, expect, it } from "vitest";
import { changesInWords } from "../../src/console/events/change-words.ts";
import { addressOf, filterOf } from "../../src/console/events/event-filter.ts";
import { tookMs, wordsOf } from "../../src/console/events/event-words.ts";
import { fromLocalInput, toLocalInput } from "../../src/console/events/local-time.ts";
import { storyOf } from "../../src/console/events/story-steps.ts";

describe("the filter of the events", () => {
  it("is read from an address and written into it", () => {
    const filter = { providerId: "p", status: "dead", shiftId: "shift & 1", traceId: "t" } as const;
    const address = addressOf(filter);
    const query = Object.fromEntries(new URL(address, "http://127.0.0.1").searchParams);
    expect(filterOf(query)).toEqual(filter);
    expect(addressOf({})).toBe("/console/events");
  });

  it("leaves out what is empty, unknown or no status", () => {
    expect(filterOf({ status: "toString", shiftId: " ", traceId: " t ", colour: "red" })).toEqual({
      traceId: "t",
    });
  });
});

describe("an event in words", () => {
  it("tells a first wait from one after a failed try", () => {
    expect(wordsOf({ status: "queued", attempts: 0 }).name).toBe("Queued");
    expect(wordsOf({ status: "queued", attempts: 3 }).name).toBe("Will be tried again");
    expect(wordsOf({ status: "skipped_echo", attempts: 1 }).name).toBe("Skipped: echo of ours");
    expect(wordsOf({ status: "dead", attempts: 12 })).toMatchObject({ name: "Given up", tone: "bad" });
  });

  it("took from its arrival to its end, once it has one", () => {
    const receivedAt = "2026-11-21T10:00:00.000Z";
    expect(tookMs({ receivedAt, processedAt: "2026-11-21T10:00:00.250Z" })).toBe(250);
    expect(tookMs({ receivedAt })).toBeUndefined();
  });
});

describe("what a replay would change", () => {
  it("is told in the workplace's zone, by name, without what reads the same", () => {
    const changes = [
      { field: "startTime", from: "2026-11-21T10:00:00.000Z", to: "2026-11-21T11:00:00.000Z" },
      { field: "workplaceId", from: null, to: "w1" },
      { field: "overfilled", from: "false", to: "true" },
      { field: "status", from: "blocked_mapping", to: "open" },
      { field: "warnings", from: null, to: "" },
      { field: "positions", from: 1, to: 2 },
    ];
    const nameOf = (field: string, id: string) =>
      field === "workplaceId" && id === "w1" ? "Köket" : undefined;
    expect(changesInWords(changes, { zone: "Europe/Stockholm", nameOf })).toEqual([
      { field: "Starts", from: "Sat 21 Nov 11:00", to: "Sat 21 Nov 12:00" },
      { field: "Workplace", from: "nothing", to: "Köket" },
      { field: "More people than positions", from: "no", to: "yes" },
      { field: "Status of the job", from: "blocked mapping", to: "open" },
      { field: "Positions", from: "1", to: "2" },
    ]);
  });
});

describe("a story", () => {
  it("names its steps and tells how far each is from the first", () => {
    const steps = [
      { at: "2026-11-21T10:00:00.000Z", step: "webhook", verdict: "stored" },
      { at: "2026-11-21T10:00:00.040Z", step: "somersault", verdict: "done" },
    ];
    expect(storyOf(steps).map(({ name, afterMs }) => [name, afterMs])).toEqual([
      ["Webhook", 0],
      ["somersault", 40],
    ]);
    expect(storyOf([])).toEqual([]);
  });
});

describe("a time of the reader's own clock", () => {
  it("comes back as the same minute", () => {
    const minute = new Date(2026, 2, 7, 4, 5);
    expect(toLocalInput(minute)).toBe("2026-03-07T04:05");
    expect(fromLocalInput(toLocalInput(minute))).toBe(minute.toISOString());
  });

  it("is none when nothing, or no time, was given", () => {
    expect(fromLocalInput("")).toBeUndefined();
    expect(fromLocalInput("soon")).toBeUndefined();
  });
});
