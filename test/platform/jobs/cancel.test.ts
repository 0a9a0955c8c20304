import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import type { Onboarding } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const ACCEPTED = { status: 202 };
const DELETE = { operations: ["cancelShift"] } as const;

describe.each(featureEngines)("an employer cancels on %s", (engine) => {
  const harness = useHarness(engine, { retries: { tries: 4 } });

  const booked = async (onboarding: Onboarding = {}) => {
    const organisation = await harness().onboard(onboarding);
    const person = await organisation.addPerson();
    const { shiftId } = organisation.provider.createShift({ positions: 2 });
    if (onboarding.connect === false) await organisation.send("shift.create", shiftId);
    await organisation.idle();
    const job = await organisation.job(shiftId);
    await organisation.accept(job, person);
    const deletes = () => organisation.callCount("DELETE", `/shifts/${shiftId}`);
    return { organisation, person, job, deletes };
  };

  it("and the provider confirms after two failures", async () => {
    const { organisation, person, job } = await booked();
    organisation.provider.setFault("error-500", { ...DELETE, times: 2 });
    expect(await organisation.cancel(job)).toEqual(ACCEPTED);
    await organisation.idle();
    expect(organisation.provider.shift(job.shiftId)?.cancelled).toBe(true);
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "cancelled",
      cancelling: false,
      bookings: [{ candidateId: person.candidateId, status: "released", reason: "job_cancelled" }],
    });
    expect(await organisation.notifications(job, "shift_cancelled")).toHaveLength(1);
    expect(await organisation.issues()).toEqual([]);
  });

  it("twice, and again after the confirmation: the provider receives one DELETE", async () => {
    const { organisation, job, deletes } = await booked();
    expect(await Promise.all([organisation.cancel(job), organisation.cancel(job)])).toEqual([
      ACCEPTED,
      ACCEPTED,
    ]);
    await organisation.idle();
    expect(await organisation.cancel(job)).toEqual(ACCEPTED);
    await organisation.idle();
    expect(deletes()).toBe(1);
    expect(await organisation.notifications(job, "shift_cancelled")).toHaveLength(1);
  });

  it("and the provider gives no usable response: the cancellation waits, with an issue after the last attempt", async () => {
    const { organisation, person, job } = await booked();
    const other = await organisation.addPerson();
    await organisation.idle();
    organisation.provider.setFault("error-500", DELETE);
    await organisation.cancel(job);
    const offers = await organisation.notifications(job, "job_offered");
    expect(offers.filter(({ candidateId }) => candidateId === other.candidateId)).toMatchObject([
      { withdrawnAt: expect.any(String) },
    ]);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "open",
      cancelling: true,
      bookings: [{ candidateId: person.candidateId, status: "confirmed" }],
    });
    expect(await organisation.issueCodes()).toEqual(["provider_gave_no_answer"]);
    expect(await organisation.notifications(job, "shift_cancelled")).toEqual([]);
    expect(await organisation.accept(job, other)).toEqual({ status: 409, code: "job_not_open" });
    organisation.provider.clearFaults();
    // Any hint has the shift reconciled; without one, the next hour would.
    organisation.provider.updateShift(job.shiftId, {});
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "cancelled",
      cancelledBy: "employer",
    });
    expect(organisation.provider.shift(job.shiftId)?.cancelled).toBe(true);
    expect(await organisation.notifications(job, "shift_cancelled")).toHaveLength(1);
    expect(await organisation.issues()).toEqual([]);
  });

  it("a job that does not exist: 404", async () => {
    const { organisation, job } = await booked();
    const unknown = { ...job, jobId: "0190c7a4-0000-7000-8000-000000000001" };
    expect(await organisation.cancel(unknown)).toEqual({ status: 404, code: "job_not_found" });
  });
});
