import { describe, expect, it } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import { addressWith, readFilter } from "../../src/console/components/filters.tsx";
import {
  daysOf,
  mondayOf,
  spanOf,
  staffingTone,
  WEEK_FILTER,
  weekAfter,
  weekRows,
} from "../../src/console/jobs/week-page.tsx";

const PROVIDER = "0b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
const MONDAY = "2026-11-23";

function jobOf(part: Partial<Job>): Job {
  return {
    jobId: "j",
    providerId: PROVIDER,
    outletId: "o",
    status: "open",
    positions: 2,
    bookings: [],
    startTime: "2026-11-23T08:00:00.000Z",
    overfilled: false,
    ownPeopleCount: 0,
    ...part,
  } as Job;
}

describe("the week", () => {
  it.each([["2026-11-23"], ["2026-11-26"], ["2026-11-29"]])("of %s starts on its Monday", (day) => {
    expect(mondayOf(day)).toBe(MONDAY);
  });

  it("is the current week without a valid day in the address", () => {
    const now = new Date("2026-11-25T12:00:00Z");
    for (const week of ["", "soon", "2026-99-99"]) {
      expect(mondayOf(readFilter(WEEK_FILTER, { week }).week, now)).toBe(MONDAY);
    }
  });

  it("is read back from its own address", () => {
    const filter = { week: MONDAY, providerId: PROVIDER };
    const { searchParams } = new URL(addressWith("/console/week", filter), "http://console.example");
    expect(readFilter(WEEK_FILTER, Object.fromEntries(searchParams))).toEqual(filter);
  });

  it("continues over the end of a year", () => {
    expect(weekAfter("2026-12-28", 1)).toBe("2027-01-04");
    expect(daysOf("2026-12-28")[4]).toBe("2027-01-01");
  });

  it("reads the shifts of the week in every zone", () => {
    expect(spanOf(MONDAY, 7)).toEqual({
      from: "2026-11-22T10:00:00.000Z",
      until: "2026-11-30T14:00:00.000Z",
    });
  });
});

describe("the rows of the week", () => {
  const rowsOf = (jobs: Job[], zone = "Europe/Stockholm") =>
    weekRows(jobs, daysOf(MONDAY), { placeOf: ({ outletId }) => outletId, zoneOf: () => zone });

  it("have each shift on the day on which it starts in the zone of its organisation", () => {
    const late = jobOf({ startTime: "2026-11-23T23:30:00.000Z" });
    expect([...(rowsOf([late])[0]?.days.keys() ?? [])]).toEqual(["2026-11-24"]);
    expect([...(rowsOf([late], "UTC")[0]?.days.keys() ?? [])]).toEqual(["2026-11-23"]);
  });

  it("are outlets by name, with the shifts of a day in the order of their start", () => {
    const noon = jobOf({ jobId: "noon", startTime: "2026-11-23T11:00:00.000Z" });
    const rows = rowsOf([noon, jobOf({ jobId: "eight" }), jobOf({ outletId: "a" })]);
    expect(rows.map(({ place }) => place)).toEqual(["a", "o"]);
    expect(rows[1]?.days.get(MONDAY)?.map(({ jobId }) => jobId)).toEqual(["eight", "noon"]);
  });

  it("omit cancelled shifts and shifts of another week", () => {
    const before = jobOf({ startTime: "2026-11-22T20:00:00.000Z" });
    expect(rowsOf([before, jobOf({ status: "cancelled" })])).toEqual([]);
  });
});

describe("the tone", () => {
  it.each<[string, Partial<Job>, string]>([
    ["no people", {}, "bad"],
    ["some people", { ownPeopleCount: 1 }, "warn"],
    ["all people", { ownPeopleCount: 2 }, "good"],
    ["too many people", { ownPeopleCount: 3 }, "bad"],
    ["no mapping", { status: "blocked_mapping" }, "plain"],
  ])("of a shift with %s", (_, part, tone) => {
    expect(staffingTone(jobOf(part))).toBe(tone);
  });
});
