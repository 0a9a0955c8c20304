import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/sandbox.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

type Forms = NonNullable<SandboxOptions["dialect"]>;

describe.each(featureEngines)("shift.delete on %s", (engine) => {
  const harness = useHarness(engine);

  const booked = async (dialect: Forms = {}, connect = true) => {
    const organisation = await harness().onboard({ dialect, connect });
    const [booked, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const { shiftId } = organisation.provider.createShift({ positions: 2 });
    if (!connect) await organisation.send("shift.create", shiftId);
    await organisation.idle();
    const job = await organisation.job(shiftId);
    await organisation.accept(job, booked);
    return { organisation, job, booked, other };
  };

  it.each<[string, Forms, string]>([
    ["404", {}, "shift_deleted"],
    ["status cancelled", { deleted: "cancelled", variant: "b" }, "shift_cancelled"],
  ])("confirmed by %s cancels the job and notifies the people booked", async (_, dialect, reason) => {
    const { organisation, job, booked: person, other } = await booked(dialect);
    const { traceId } = organisation.provider.deleteShift(job.shiftId);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "cancelled",
      bookings: [{ status: "released", reason }],
    });
    const notifications = await organisation.notifications(job, "shift_cancelled");
    expect(notifications).toMatchObject([{ candidateId: person.candidateId, traceId, content: { reason } }]);
    expect(await organisation.event(traceId)).toMatchObject({
      status: "processed",
      verdict: { code: "job_cancelled" },
    });
    expect(await organisation.accept(job, other)).toEqual({ status: 409, code: "job_not_open" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("is rechecked while the shift is still open", async () => {
    const { organisation, job } = await booked({}, false);
    const traceId = await organisation.send("shift.delete", job.shiftId);
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ status: "ignored" });
    expect(await organisation.issues()).toMatchObject([{ code: "delete_not_confirmed", traceId }]);
    const untouched = { status: "open", bookings: [{ status: "confirmed" }] };
    expect(await organisation.job(job.shiftId)).toMatchObject(untouched);
    await organisation.send("shift.update", job.shiftId);
    await organisation.idle();
    expect(await organisation.issues()).toEqual([]);
    expect(await organisation.job(job.shiftId)).toMatchObject(untouched);
  });

  it("resolves every issue about the shift", async () => {
    const { organisation, job, other } = await booked();
    await organisation.accept(job, other);
    organisation.provider.updateShift(job.shiftId, { positions: 1 });
    await organisation.idle();
    expect(await organisation.issueCodes()).toEqual(["shift_overfilled"]);
    organisation.provider.deleteShift(job.shiftId);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "cancelled", overfilled: false });
    expect(await organisation.issues()).toEqual([]);
  });

  it("creates only a tombstone for an unknown shift", async () => {
    const organisation = await harness().onboard();
    const traceId = await organisation.send("shift.delete", randomUUID());
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({
      status: "processed",
      verdict: { code: "no_job" },
    });
    expect(await organisation.issues()).toEqual([]);
  });
});
