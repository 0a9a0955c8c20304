import { describe, expect, it } from "vitest";
import type { TraceStep } from "../../generated/operations/types.ts";
import { changeTexts } from "../../src/console/events/change-text.ts";
import { addressOf, filterOf } from "../../src/console/events/event-filter.ts";
import { type EVENT_STATUSES, toneOf, tookMs } from "../../src/console/events/event-status.ts";
import { fromLocalInput, toLocalInput } from "../../src/console/events/local-time.ts";
import { timedSteps } from "../../src/console/events/trace-steps.ts";

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

describe("an event", () => {
  it("warns while it is retried", () => {
    expect(toneOf({ status: "queued", attempts: 0 })).toBe("busy");
    expect(toneOf({ status: "queued", attempts: 3 })).toBe("warn");
    expect(toneOf({ status: "dead", attempts: 12 })).toBe("bad");
  });

  it("is plain in a status that the console does not know", () => {
    expect(toneOf({ status: "toString" as (typeof EVENT_STATUSES)[number], attempts: 0 })).toBe("plain");
  });

  it("took from its receipt to its end, once it has one", () => {
    const receivedAt = "2026-11-21T10:00:00.000Z";
    expect(tookMs({ receivedAt, processedAt: "2026-11-21T10:00:00.250Z" })).toBe(250);
    expect(tookMs({ receivedAt })).toBeUndefined();
  });
});

describe("the preview of a replay", () => {
  it("shows times in the zone of the workplace, names for ids, and only what reads differently", () => {
    const changes = [
      { field: "startTime", from: "2026-11-21T10:00:00.000Z", to: "2026-11-21T11:00:00.000Z" },
      { field: "workplaceId", from: null, to: "w1" },
      { field: "overfilled", from: "false", to: "true" },
      { field: "status", from: "blocked_mapping", to: "open" },
      { field: "warnings", from: null, to: "" },
      { field: "positions", from: 1, to: 2 },
      { field: "warnings", from: "", to: "name_cut; colour_unknown" },
    ];
    const nameOf = (field: string, id: string) =>
      field === "workplaceId" && id === "w1" ? "Köket" : undefined;
    expect(changeTexts(changes, { zone: "Europe/Stockholm", nameOf })).toEqual([
      { field: "Start", from: "Sat 21 Nov 11:00", to: "Sat 21 Nov 12:00" },
      { field: "Workplace", from: "none", to: "Köket" },
      { field: "Overfilled", from: "no", to: "yes" },
      { field: "Status of the job", from: "blocked (not mapped)", to: "open" },
      { field: "Positions", from: "1", to: "2" },
      {
        field: "Warnings",
        from: "none",
        to: "A name of more than 200 characters: cut off there; colour_unknown",
      },
    ]);
  });
});

describe("a trace", () => {
  it("has the distance of each step from the first", () => {
    const steps = ["2026-11-21T10:00:00.000Z", "2026-11-21T10:00:00.040Z"].map(
      (at): TraceStep => ({ at, step: "webhook", verdict: { code: "stored", params: {} } }),
    );
    expect(timedSteps(steps).map(({ afterMs }) => afterMs)).toEqual([0, 40]);
    expect(timedSteps([])).toEqual([]);
  });
});

describe("a local time", () => {
  it("comes back as the same minute", () => {
    const minute = new Date(2026, 2, 7, 4, 5);
    expect(toLocalInput(minute)).toBe("2026-03-07T04:05");
    expect(fromLocalInput(toLocalInput(minute))).toBe(minute.toISOString());
  });

  it("is undefined without a valid input", () => {
    expect(fromLocalInput("")).toBeUndefined();
    expect(fromLocalInput("soon")).toBeUndefined();
  });
});
