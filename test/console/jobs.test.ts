import { describe, expect, it } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import { faultText } from "../../src/console/components/field-faults.ts";
import { addressWith, readFilter } from "../../src/console/components/filters.tsx";
import { clockSpan } from "../../src/console/components/time.tsx";
import {
  byDay,
  isAbout,
  JOB_FILTER,
  type JobFilter,
  matches,
  orderOf,
  queryOf,
} from "../../src/console/jobs/job-table.tsx";
import { healthText } from "../../src/contract/operator-text.ts";

const ORGANISATION = "0b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";

function jobOf(part: Partial<Job>): Job {
  return {
    jobId: "j",
    providerId: ORGANISATION,
    shiftId: "s",
    outletId: "o",
    roleId: "r",
    status: "open",
    startTime: "2026-11-22T08:00:00.000Z",
    endTime: "2026-11-22T16:00:00.000Z",
    positions: 1,
    overfilled: false,
    warnings: [],
    bookings: [],
    ...part,
  } as Job;
}

const bookingIn = (status: "pending" | "confirmed") => ({ status }) as Job["bookings"][number];
const NOW = Date.parse("2026-11-22T06:00:00Z");
const LOOKUPS = { placesOf: () => ["Restaurang Stureplan", "Stureplan 2"], zoneOf: () => "Europe/Stockholm" };

describe("the filter of the jobs", () => {
  it("is read back from its own address", () => {
    for (const filter of [
      {},
      { providerId: ORGANISATION },
      { providerId: ORGANISATION, status: "expired" },
    ] as const) {
      const { searchParams } = new URL(addressWith("/console/", filter), "http://console.example");
      expect(readFilter(JOB_FILTER, Object.fromEntries(searchParams))).toEqual(filter);
    }
    expect(addressWith("/console/", {})).toBe("/console/");
  });

  it.each<[JobFilter, Partial<Job>, boolean]>([
    [{ search: "sture" }, {}, true],
    [{ search: "plan 2" }, {}, true],
    [{ search: "Södermalm" }, {}, false],
    [{ search: "019A" }, { jobId: "019a4c1e" }, true],
    [{ search: "shift-1" }, { shiftId: "shift-17" }, true],
    [{ search: "17" }, { shiftId: "shift-17" }, false],
    [{ competenceId: "c" }, { competenceId: "c" }, true],
    [{ competenceId: "c" }, {}, false],
    // 23:30 UTC of the day before.
    [{ day: "2026-11-23" }, { startTime: "2026-11-22T23:30:00.000Z" }, true],
    [{ day: "2026-11-22" }, { startTime: "2026-11-22T23:30:00.000Z" }, false],
    [{ needs: "people" }, { status: "blocked_mapping" }, true],
    [{ needs: "people" }, { status: "filled" }, false],
    [{ needs: "soon" }, { startTime: "2026-11-23T05:59:00.000Z" }, true],
    [{ needs: "soon" }, { startTime: "2026-11-23T06:00:00.000Z" }, false],
    [{ needs: "soon" }, { startTime: "2026-11-22T05:59:00.000Z" }, false],
    [{ needs: "confirmation" }, { status: "filled", bookings: [bookingIn("pending")] }, true],
    [{ needs: "confirmation" }, { status: "filled", bookings: [bookingIn("confirmed")] }, false],
  ])("%j of %j: %s", (filter, part, expected) => {
    const job = jobOf(part);
    expect(isAbout(job, filter, LOOKUPS) && matches(job, filter, NOW)).toBe(expected);
  });

  it("asks the platform for the same", () => {
    const day = { from: "2026-11-21T10:00:00.000Z", until: "2026-11-23T14:00:00.000Z" };
    const filter = { search: "sture", needs: "people", day: "2026-11-22" } as const;
    const listed = { group: "active", order: "earliest" };
    expect(queryOf(filter)).toEqual({ search: "sture", needs: "people", ...day, ...listed });
    const next = { from: "2026-11-22T06:00:00.000Z", until: "2026-11-23T06:00:00.000Z" };
    expect(queryOf({ needs: "soon" }, NOW)).toEqual({ needs: "people", ...next, ...listed });
  });

  it("omits unknown statuses, unknown members, and empty values", () => {
    expect(readFilter(JOB_FILTER, { status: "sleeping", colour: "red", providerId: "" })).toEqual({});
  });

  it("selects active jobs unless a status is given", () => {
    const shown = (status: Job["status"], filter = {}) => {
      const job = jobOf({ status });
      return isAbout(job, filter, LOOKUPS) && matches(job, filter, NOW);
    };
    expect([shown("open"), shown("filled"), shown("blocked_mapping")]).toEqual([true, true, true]);
    expect([shown("cancelled"), shown("expired")]).toEqual([false, false]);
    expect([shown("cancelled", { status: "cancelled" }), shown("open", { status: "cancelled" })]).toEqual([
      true,
      false,
    ]);
    expect(shown("open", { providerId: "another" })).toBe(false);
  });

  it("asks the platform for what comes next first, and for the latest of what is over", () => {
    expect(queryOf({ providerId: ORGANISATION })).toEqual({
      providerId: ORGANISATION,
      group: "active",
      order: "earliest",
    });
    expect(queryOf({ status: "open" })).toEqual({ status: "open", order: "earliest" });
    expect(queryOf({ status: "expired" })).toEqual({ status: "expired", order: "latest" });
  });

  it("has the order of the platform: by start, then by id", () => {
    const at = (jobId: string, startTime: string) => jobOf({ jobId, startTime });
    const jobs = [
      at("b", "2026-11-22T09:00:00.000Z"),
      at("a", "2026-11-22T09:00:00.000Z"),
      at("c", "2026-11-22T08:00:00.000Z"),
    ];
    const ids = (filter: JobFilter) => jobs.toSorted(orderOf(filter)).map(({ jobId }) => jobId);
    expect(ids({})).toEqual(["c", "a", "b"]);
    expect(ids({ status: "cancelled" })).toEqual(["b", "a", "c"]);
  });
});

describe("the days of the jobs", () => {
  const late = jobOf({ jobId: "late", startTime: "2026-11-22T23:30:00.000Z" });
  const early = jobOf({ jobId: "early" });

  it("are those of the workplace, not of the reader, in the order of the list", () => {
    const days = byDay([early, late], () => "Europe/Stockholm");
    expect(days.map(({ name, jobs }) => [name, jobs.map(({ jobId }) => jobId)])).toEqual([
      ["Sunday 22 November 2026", ["early"]],
      ["Monday 23 November 2026", ["late"]],
    ]);
    expect(byDay([early, late], () => "America/New_York")).toHaveLength(1);
    const names = byDay([late, early], () => "Europe/Stockholm").map(({ name }) => name);
    expect(names).toEqual(["Monday 23 November 2026", "Sunday 22 November 2026"]);
  });

  it("name the day of the end only if it differs", () => {
    const [from, to] = ["2026-11-22T21:00:00.000Z", "2026-11-23T05:00:00.000Z"];
    expect(clockSpan(from, to, "Europe/Stockholm")).toBe("22:00 – Mon 06:00");
    expect(clockSpan(from, to, "America/New_York")).toBe("16:00 – Mon 00:00");
    expect(clockSpan("2026-11-22T08:00:00.000Z", "2026-11-22T16:00:00.000Z", "Europe/Stockholm")).toBe(
      "09:00 – 17:00",
    );
  });

  it("are the reader's own if the zone is unknown", () => {
    expect(byDay([early], () => "Mars/Olympus_Mons")).toHaveLength(1);
  });
});

describe("the words of the console", () => {
  it.each([
    ["/startTime", "must be before the end", "Start time must be before the end"],
    ["#/body/baseUrl", "is missing", "Base url is missing"],
    ["#/query/from", "must be a time", "From must be a time"],
    ["", "has no change", "Has no change"],
  ])("name the field of %s", (pointer, message, text) => {
    expect(faultText(pointer, message)).toBe(text);
  });

  it("do not claim that a provider keeps the contract because it responds", () => {
    const { detail } = healthText({ code: "reachable", paused: "nothing", resumes: "automatically" });
    expect(detail).not.toContain("contract");
  });
});
