import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { changeOf, fromLocal, offsetName, startOf, toLocal } from "../../src/console/job/job.ts";

const STOCKHOLM = "Europe/Stockholm";

describe("a local time", () => {
  it("is one point in time on ordinary days", () => {
    expect(fromLocal("2026-11-22T06:00", STOCKHOLM)).toEqual({
      kind: "once",
      at: "2026-11-22T05:00:00.000Z",
    });
    expect(fromLocal("2026-07-01T06:00", STOCKHOLM)).toEqual({
      kind: "once",
      at: "2026-07-01T04:00:00.000Z",
    });
    expect(toLocal("2026-07-01T04:00:59.999Z", STOCKHOLM)).toBe("2026-07-01T06:00");
  });

  it("of the start of a day is that of its zone, also where the clock is set forward at midnight", () => {
    expect(startOf("2026-11-22", STOCKHOLM)).toBe("2026-11-21T23:00:00.000Z");
    expect(startOf("2026-04-24", "Africa/Cairo")).toBe("2026-04-23T22:00:00.000Z");
  });

  it("is two points in time where the clock is set back", () => {
    expect(fromLocal("2026-10-25T02:30", STOCKHOLM)).toEqual({
      kind: "twice",
      first: "2026-10-25T00:30:00.000Z",
      second: "2026-10-25T01:30:00.000Z",
    });
    expect(fromLocal("2026-10-25T01:59", STOCKHOLM)).toEqual({
      kind: "once",
      at: "2026-10-24T23:59:00.000Z",
    });
    expect(fromLocal("2026-10-25T03:00", STOCKHOLM)).toEqual({
      kind: "once",
      at: "2026-10-25T02:00:00.000Z",
    });
  });

  it("is no point in time where the clock is set forward", () => {
    expect(fromLocal("2027-03-28T02:00", STOCKHOLM)).toEqual({ kind: "never" });
    expect(fromLocal("2027-03-28T02:59", STOCKHOLM)).toEqual({ kind: "never" });
    expect(fromLocal("2027-03-28T01:59", STOCKHOLM)).toEqual({
      kind: "once",
      at: "2027-03-28T00:59:00.000Z",
    });
    expect(fromLocal("2027-03-28T03:00", STOCKHOLM)).toEqual({
      kind: "once",
      at: "2027-03-28T01:00:00.000Z",
    });
  });

  it("has the offset of its day", () => {
    expect(offsetName("2026-10-25T00:30:00.000Z", STOCKHOLM)).toBe("UTC+02:00");
    expect(offsetName("2026-10-25T01:30:00.000Z", STOCKHOLM)).toBe("UTC+01:00");
    expect(offsetName("2026-11-22T05:00:00.000Z", "America/St_Johns")).toBe("UTC-03:30");
  });

  it("is unreadable if the text is not a time", () => {
    for (const text of ["", "2026-11-22", "tomorrow", "2026-13-45T99:99", "2026-11-22T06:00Z"]) {
      expect(fromLocal(text, STOCKHOLM), text).toEqual({ kind: "unreadable" });
    }
  });

  it.each([STOCKHOLM, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "UTC"])(
    "agrees with Temporal on every quarter of an hour of the changes in %s",
    (zone) => {
      for (const day of [
        "2026-04-04",
        "2026-10-03",
        "2026-10-24",
        "2026-10-31",
        "2027-03-13",
        "2027-03-27",
      ]) {
        let local = Temporal.PlainDateTime.from(`${day}T12:00`);
        for (let quarter = 0; quarter < 144; quarter += 1) {
          expect(instantsOf(fromLocal(local.toString().slice(0, 16), zone)), `${local}`).toEqual(
            pointsByTemporal(local, zone),
          );
          local = local.add({ minutes: 15 });
        }
      }
    },
  );
});

function instantsOf(reading: ReturnType<typeof fromLocal>): string[] {
  if (reading.kind === "once") return [reading.at];
  return reading.kind === "twice" ? [reading.first, reading.second] : [];
}

function pointsByTemporal(local: Temporal.PlainDateTime, zone: string): string[] {
  const read = (disambiguation: "earlier" | "later") => local.toZonedDateTime(zone, { disambiguation });
  const both = [read("earlier"), read("later")].filter((each) => each.toPlainDateTime().equals(local));
  const instants = both.map((each) => each.toInstant().toString({ smallestUnit: "millisecond" }));
  return [...new Set(instants)];
}

describe("a change of a job", () => {
  const before = { startTime: "2026-11-22T05:00:00.000Z", endTime: "2026-11-22T13:00:00.000Z", positions: 2 };

  it("contains only the changed members", () => {
    expect(changeOf(before, { ...before, positions: 3 })).toEqual({ positions: 3 });
    const startTime = "2026-11-22T06:00:00.000Z";
    expect(changeOf(before, { ...before, startTime })).toEqual({ startTime });
  });

  it("is undefined if nothing differs or a value is invalid", () => {
    expect(changeOf(before, before)).toBeUndefined();
    expect(changeOf(before, { ...before, startTime: "2026-11-22T06:00:00+01:00" })).toBeUndefined();
    expect(changeOf(before, { ...before, endTime: undefined, positions: 3 })).toBeUndefined();
  });
});
