import { describe, expect, it } from "vitest";
import type { TraceStep } from "../../generated/operations/types.ts";
import { readFilter } from "../../src/console/components/filters.tsx";
import {
  EVENT_FILTER,
  type EVENT_STATUSES,
  eventsAddress,
  timedSteps,
  toneOf,
  tookMs,
} from "../../src/console/events/event.tsx";

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

describe("a trace", () => {
  it("has the distance of each step from the first", () => {
    const steps = ["2026-11-21T10:00:00.000Z", "2026-11-21T10:00:00.040Z"].map(
      (at): TraceStep => ({ at, step: "webhook", verdict: { code: "stored", params: {} } }),
    );
    expect(timedSteps(steps).map(({ afterMs }) => afterMs)).toEqual([0, 40]);
    expect(timedSteps([])).toEqual([]);
  });
});
