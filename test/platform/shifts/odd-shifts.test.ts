import { describe, expect, it } from "vitest";
import { shiftHours } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

/** Long before every shift of these tests. */
const NOW = new Date("2026-01-05T09:00:00Z");

describe.each(featureEngines)("an unusual shift on %s", (engine) => {
  const harness = useHarness(engine, { now: () => NOW });

  it("without offsets is read in the integration's zone", async () => {
    const organisation = await harness().onboard({ timeZone: "Europe/Stockholm" });
    // The clock goes forward in this night.
    const times = { startTime: "2026-03-28T22:00:00", endTime: "2026-03-29T06:00:00" };
    const job = await organisation.open(times);
    expect(shiftHours(job.startTime, job.endTime)).toBe(7);
    expect(job).toMatchObject({ status: "open", warnings: ["time_without_offset"] });
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

  it("with no positions is filled and not offered", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open({ positions: 0 });
    expect(job).toMatchObject({ status: "filled", positions: 0, overfilled: false });
    expect(await organisation.notifications(job)).toEqual([]);
  });
});
