import { describe, expect, it } from "vitest";
import type { TraceStep } from "../../generated/operations/types.ts";
import { readFilter } from "../../src/console/components/filter.ts";
import { changeTexts } from "../../src/console/events/change-text.ts";
import {
  EVENT_FILTER,
  type EVENT_STATUSES,
  eventsAddress,
  timedSteps,
  toneOf,
  tookMs,
} from "../../src/console/events/event.ts";

describe("the filter of the events", () => {
  it("is read back from its own address", () => {
    const filter = { providerId: "p", status: "dead", shiftId: "shift & 1", traceId: "t" } as const;
    const address = eventsAddress(filter);
    const query = Object.fromEntries(new URL(address, "http://127.0.0.1").searchParams);
    expect(readFilter(EVENT_FILTER, query)).toEqual(filter);
    expect(eventsAddress({})).toBe("/console/events");
  });

  it("omits empty values, unknown members, and unknown statuses", () => {
    expect(
      readFilter(EVENT_FILTER, { status: "toString", shiftId: " ", traceId: " t ", colour: "red" }),
    ).toEqual({
      traceId: "t",
    });
  });
});

describe("an event", () => {
  it("has a warning tone while it is retried", () => {
    expect(toneOf({ status: "queued", attempts: 0 })).toBe("busy");
    expect(toneOf({ status: "queued", attempts: 3 })).toBe("warn");
    expect(toneOf({ status: "dead", attempts: 12 })).toBe("bad");
  });

  it("has a plain tone in an unknown status", () => {
    expect(toneOf({ status: "toString" as (typeof EVENT_STATUSES)[number], attempts: 0 })).toBe("plain");
  });

  it("has a duration from its receipt to its end", () => {
    const receivedAt = "2026-11-21T10:00:00.000Z";
    expect(tookMs({ receivedAt, processedAt: "2026-11-21T10:00:00.250Z" })).toBe(250);
    expect(tookMs({ receivedAt })).toBeUndefined();
  });
});

describe("the preview of a replay", () => {
  it("shows times in the zone of the workplace, names for ids, and only visible differences", () => {
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
