import { describe, expect, it } from "vitest";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { featureEngines } from "../../engines.ts";
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

  it.each<FaultName>(["unavailable", "error-500", "reset", "rate-limited"])(
    "and the provider confirms after %s",
    async (fault) => {
      const { organisation, person, job } = await booked();
      organisation.provider.setFault(fault, { ...DELETE, times: 2, retryAfter: "0" });
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
    },
  );

  it("twice, and once more when it is over: one DELETE", async () => {
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

  it.each(["404", "410"] as const)("what the provider has deleted already (%s)", async (deleted) => {
    const { organisation, job } = await booked({ connect: false, dialect: { deleted } });
    organisation.provider.deleteShift(job.shiftId);
    await organisation.cancel(job);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "cancelled" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("and the provider refuses: both keep the shift, until it is cancelled after all", async () => {
    const { organisation, person, job } = await booked();
    const other = await organisation.addPerson();
    organisation.provider.setFault("cancel-refused", DELETE);
    await organisation.cancel(job);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "open",
      cancelling: false,
      bookings: [{ candidateId: person.candidateId, status: "confirmed" }],
    });
    expect(await organisation.issueCodes()).toEqual(["cancellation_refused"]);
    expect(await organisation.notifications(job, "shift_cancelled")).toEqual([]);
    expect(await organisation.accept(job, other)).toEqual({ status: 201, code: "confirmed" });
    organisation.provider.clearFaults();
    await organisation.cancel(job);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "cancelled",
      cancelledBy: "employer",
    });
    expect(await organisation.notifications(job, "shift_cancelled")).toHaveLength(2);
    expect(await organisation.issues()).toEqual([]);
  });

  it("and the provider gives no usable response: the cancellation waits, with an issue after the last attempt", async () => {
    const { organisation, person, job } = await booked();
    const other = await organisation.addPerson();
    organisation.provider.setFault("error-500", DELETE);
    await organisation.cancel(job);
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

  it("a job that does not exist", async () => {
    const { organisation, job } = await booked();
    const unknown = { ...job, jobId: "0190c7a4-0000-7000-8000-000000000001" };
    expect(await organisation.cancel(unknown)).toEqual({ status: 404, code: "job_not_found" });
  });
});

describe("while a cancellation is under way", () => {
  const harness = useHarness("pglite", { retries: { tries: 10_000 } });

  it("the job is cancelled, takes no bookings, and is offered to no candidate", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("error-500", DELETE);
    await organisation.cancel(job);
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "open", cancelling: true });
    expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "job_not_open" });
    await organisation.addPerson();
    const { traceId } = organisation.provider.updateShift(job.shiftId, { positions: 2 });
    await expect.poll(() => organisation.event(traceId)).toMatchObject({ status: "processed" });
    expect(await organisation.notifications(job, "job_offered")).toHaveLength(1);
    organisation.provider.clearFaults();
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "cancelled", cancelling: false });
  });

  it("the offers wait, and go out when the provider refuses", async () => {
    const organisation = await harness().onboard();
    const job = await organisation.open();
    organisation.provider.setFault("error-500", DELETE);
    await organisation.cancel(job);
    const person = await organisation.addPerson();
    const { traceId } = organisation.provider.updateShift(job.shiftId, {});
    await expect.poll(() => organisation.event(traceId)).toMatchObject({ status: "processed" });
    organisation.provider.setFault("cancel-refused");
    organisation.provider.setFault("error-500", { times: 0 });
    await organisation.idle();
    const offers = await organisation.notifications(job, "job_offered");
    expect(offers.map(({ candidateId }) => candidateId)).toEqual([person.candidateId]);
  });
});
