import { describe, expect, it } from "vitest";
import { shiftHours } from "../../../src/contract/timestamp.ts";
import type { NewShift } from "../../../src/sandbox/provider-actions.ts";
import { featureEngines } from "../../engines.ts";
import { useHarness } from "../../harness/platform.ts";

/** Long before every shift of these tests. */
const NOW = new Date("2026-01-05T09:00:00Z");

describe.each(featureEngines)("an unusual shift on %s", (engine) => {
  const harness = useHarness(engine, { now: () => NOW });

  it.each([
    ["a night in which the clock goes forward", "2026-03-28T22:00:00", "2026-03-29T06:00:00", 7],
    ["a night in which it goes back", "2026-10-24T22:00:00", "2026-10-25T06:00:00", 9],
    ["any other night", "2026-06-01T22:00:00", "2026-06-02T06:00:00", 8],
  ])("without offsets is read in the integration's zone: %s", async (_, startTime, endTime, hours) => {
    const organisation = await harness().onboard({ timeZone: "Europe/Stockholm" });
    const job = await organisation.open({ startTime, endTime });
    expect(shiftHours(job.startTime, job.endTime)).toBe(hours);
    expect(job.warnings).toEqual(["time_without_offset"]);
    expect(job.status).toBe("open");
  });

  it("with offsets keeps their instants", async () => {
    const organisation = await harness().onboard({ timeZone: "Europe/Helsinki" });
    const times = { startTime: "2026-06-01T22:00:00+02:00", endTime: "2026-06-02T06:00:00+02:00" };
    expect(await organisation.open(times)).toMatchObject({
      startTime: "2026-06-01T20:00:00.000Z",
      endTime: "2026-06-02T04:00:00.000Z",
      warnings: [],
    });
  });

  it.each<[string, NewShift]>([
    ["ends when it starts", { startTime: "2026-06-01T08:00:00Z", endTime: "2026-06-01T08:00:00Z" }],
    ["ends before it starts", { startTime: "2026-06-01T08:00:00Z", endTime: "2026-06-01T07:00:00Z" }],
    [
      "ends before it starts, across offsets",
      { startTime: "2026-06-01T08:00:00Z", endTime: "2026-06-01T09:00:00+02:00" },
    ],
  ])("makes no job when it %s, and one when it is corrected", async (_, shift) => {
    const organisation = await harness().onboard();
    const { shiftId, traceId } = organisation.provider.createShift(shift);
    await organisation.idle();
    expect(await organisation.findJob(shiftId)).toBeUndefined();
    expect(await organisation.event(traceId)).toMatchObject({ status: "failed" });
    expect(await organisation.issueCodes()).toEqual(["shift_unusable"]);
    organisation.provider.updateShift(shiftId, { endTime: "2026-06-01T18:00:00Z" });
    await organisation.idle();
    expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.issues()).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ["a start in year 0", { startTime: "0000-06-01T08:00:00Z" }, "time_out_of_range", "/startTime"],
    ["an end in year 10000", { endTime: "9999-12-31T23:59:59-23:59" }, "time_out_of_range", "/endTime"],
    ["U+0000 in a name", { outletName: "a\0b" }, "text_unstorable", "/outletName"],
    ["U+0000 in an id", { roleId: "a\0b" }, "text_unstorable", "/roleId"],
  ])("makes no job of %s, asks once, and names the cause", async (_, fields, fault, pointer) => {
    const rewrite = (body: unknown) => (isShift(body) ? { ...body, ...fields } : body);
    const organisation = await harness().onboard({ rewrite });
    const { shiftId, traceId } = organisation.provider.createShift();
    await organisation.idle();
    expect(await organisation.findJob(shiftId)).toBeUndefined();
    const verdict = { code: "shift_unusable", params: { fault, pointer } };
    expect(await organisation.event(traceId)).toMatchObject({ status: "failed", attempts: 1, verdict });
    expect(await organisation.issues()).toMatchObject([verdict]);
  });

  it("with a name of half a megabyte keeps its beginning, with a warning", async () => {
    const rewrite = (body: unknown) => (isShift(body) ? { ...body, outletName: "y".repeat(500_000) } : body);
    const organisation = await harness().onboard({ rewrite });
    const job = await organisation.open();
    expect(job).toMatchObject({ status: "open", outletName: "y".repeat(200), warnings: ["name_cut"] });
  });

  it("that has started is an expired job without offers, and opens when it is moved", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open({
      startTime: "2026-01-05T08:59:00Z",
      endTime: "2026-01-05T17:00:00Z",
    });
    expect(job.status).toBe("expired");
    expect(await organisation.notifications(job)).toEqual([]);
    organisation.provider.updateShift(job.shiftId, { startTime: "2026-01-05T09:01:00Z" });
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.notifications(job, "job_offered")).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, number, string[]]>([
    ["neither number of positions", { slots: undefined }, 1, ["positions_missing"]],
    ["two that differ", { slots: 4, numberOfPositions: 2 }, 2, ["positions_differ"]],
    ["two that agree", { slots: 4, numberOfPositions: 4 }, 4, []],
    ["a status of its own", { status: "published" }, 3, ["status_unknown"]],
    ["no names", { outletName: undefined, roleName: undefined }, 3, []],
    ["unknown fields", { colour: "red", nested: { deep: [1] } }, 3, []],
  ])("has %s", async (_, fields, positions, warnings) => {
    const rewrite = (body: unknown) => (isShift(body) ? { ...body, ...fields } : body);
    const organisation = await harness().onboard({ rewrite });
    expect(await organisation.open({ positions: 3 })).toMatchObject({ status: "open", positions, warnings });
    expect(await organisation.issues()).toEqual([]);
  });

  it("with no positions is filled and not offered", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open({ positions: 0 });
    expect(job).toMatchObject({ status: "filled", positions: 0, overfilled: false });
    expect(await organisation.notifications(job)).toEqual([]);
  });
});

const isShift = (body: unknown): body is object =>
  typeof body === "object" && body !== null && "startTime" in body;
