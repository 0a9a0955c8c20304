import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

/** Reads of the shift that the provider has answered. */
const reads = ({ callCount }: Organisation, shiftId: string) => callCount("GET", `/shifts/${shiftId}`);
const statuses = async ({ events }: Organisation, shiftId: string) =>
  (await events({ shiftId })).map(({ event, status }) => `${event} ${status}`);

describe.each(featureEngines)("the order and number of events on %s", (engine) => {
  const harness = useHarness(engine);
  const quietOne = () => harness().onboard({ connect: false });

  it("lead to one reading for all waiting creates and updates of a shift", async () => {
    const organisation = await harness().onboard({ connect: false, activate: false });
    const { shiftId } = organisation.provider.createShift();
    const traceIds = [await organisation.send("shift.create", shiftId)];
    for (let n = 0; n < 4; n++) traceIds.push(await organisation.send("shift.update", shiftId));
    await organisation.idle();
    expect(reads(organisation, shiftId)).toBe(0);
    await organisation.activate();
    await organisation.idle();
    expect(reads(organisation, shiftId)).toBe(1);
    const events = await organisation.events({ shiftId });
    expect(events.map(({ status }) => status)).toEqual(Array(5).fill("processed"));
    expect(await organisation.verdicts(traceIds[4] ?? "")).toEqual(["webhook: stored", "event: covered_by"]);
    const covered = { code: "covered_by", params: { event: "shift.create", traceId: traceIds[0] } };
    expect(await organisation.event(traceIds[4] ?? "")).toMatchObject({ verdict: covered });
  });

  it("create no job if a create arrives after its delete, without waiting", async () => {
    const organisation = await quietOne();
    const { shiftId } = organisation.provider.createShift();
    organisation.provider.deleteShift(shiftId);
    for (const event of ["shift.delete", "shift.create", "shift.update"]) {
      const before = reads(organisation, shiftId);
      await organisation.send(event, shiftId);
      await organisation.idle();
      expect(reads(organisation, shiftId)).toBeGreaterThan(before);
    }
    expect(await organisation.findJob(shiftId)).toBeUndefined();
    expect(new Set((await organisation.events({ shiftId })).map(({ status }) => status))).toEqual(
      new Set(["processed"]),
    );
    expect(await organisation.issues()).toEqual([]);
  });

  it("process a repeated traceId again if the first attempt failed permanently", async () => {
    const organisation = await quietOne();
    const { shiftId } = organisation.provider.createShift();
    organisation.provider.setFault("end-before-start");
    const traceId = await organisation.send("shift.create", shiftId);
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ status: "failed" });
    expect(await organisation.issueCodes()).toEqual(["shift_unusable"]);
    organisation.provider.clearFaults();
    await organisation.send("shift.create", shiftId, traceId);
    await organisation.idle();
    expect(await statuses(organisation, shiftId)).toEqual(["shift.create processed"]);
    expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("store an event with an unknown name, and ignore it", async () => {
    const organisation = await quietOne();
    const { shiftId } = organisation.provider.createShift();
    const traceId = await organisation.send("shift.split", shiftId);
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ event: "shift.split", status: "ignored" });
    expect(reads(organisation, shiftId)).toBe(0);
    expect(await organisation.verdicts(traceId)).toEqual(["webhook: stored_unknown_event"]);
  });
});

describe("a shift that the provider does not know (yet)", () => {
  const harness = useHarness("pglite");

  it("counts as deleted after more than one reading, and the people booked are notified", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    organisation.provider.setFault("shift-lag", { times: 100 });
    const before = reads(organisation, job.shiftId);
    const { traceId } = organisation.provider.updateShift(job.shiftId, {});
    await organisation.idle();
    expect(reads(organisation, job.shiftId) - before).toBeGreaterThan(1);
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "cancelled",
      bookings: [{ status: "released", reason: "shift_deleted" }],
    });
    expect(await organisation.notifications(job, "shift_cancelled")).toHaveLength(1);
    expect(await organisation.event(traceId)).toMatchObject({
      status: "processed",
      verdict: { code: "job_cancelled" },
    });
  });
});
