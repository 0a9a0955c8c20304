import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import type { OperationId } from "../../../src/sandbox/faults/fault.ts";
import { featureEngines } from "../../harness/engines.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const PENDING = { status: 202, code: "pending" };
const BOOKING: OperationId[] = ["findCandidates", "createCandidate", "assignCandidate", "unassignCandidate"];

describe.each(featureEngines)("a booking while the provider is down, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { answerWithinMs: 0 }, retries: { tries: 10_000 } });

  const whileDown = async () => {
    const organisation = await harness().onboard();
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open();
    organisation.provider.setFault("unavailable", { operations: BOOKING, retryAfter: "0" });
    expect(await organisation.accept(job, person)).toEqual(PENDING);
    const up = async () => {
      organisation.provider.clearFaults();
      await organisation.idle();
      return organisation.job(job.shiftId);
    };
    return { organisation, person, other, job, up };
  };

  it("is pending, holds the seat, and is confirmed when the provider is up again", async () => {
    const { organisation, person, other, job, up } = await whileDown();
    expect(await organisation.accept(job, other)).toEqual({ status: 409, code: "job_filled" });
    expect(await organisation.accept(job, person)).toEqual(PENDING);
    const { status, bookings } = await up();
    expect(status).toBe("filled");
    expect(bookings).toMatchObject([{ candidateId: person.candidateId, status: "confirmed" }]);
    expect(await organisation.notifications(job, "booking_confirmed")).toHaveLength(1);
    expect(await organisation.issues()).toEqual([]);
  });

  it("can be withdrawn, so that no one is created, assigned, or notified of a confirmation", async () => {
    const { organisation, person, job, up } = await whileDown();
    // 204 once a run has released the seat, 202 when the response is quicker than the run.
    expect([202, 204]).toContain((await organisation.withdraw(job, person)).status);
    const { status, bookings } = await up();
    expect(status).toBe("open");
    expect(bookings).toMatchObject([{ status: "released", reason: "withdrawn" }]);
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect(organisation.callCount("POST", "/candidates")).toBe(0);
    expect(await organisation.notifications(job, "booking_confirmed")).toEqual([]);
  });

  it("cannot be accepted again until its withdrawal has ended", async () => {
    const { organisation, person, job, up } = await whileDown();
    await up();
    organisation.provider.setFault("unavailable", { operations: BOOKING, retryAfter: "0" });
    expect(await organisation.withdraw(job, person)).toEqual({ status: 202 });
    expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "already_booked" });
    await up();
    expect(await organisation.accept(job, person)).toMatchObject({ status: 202 });
    await organisation.idle();
    const { bookings } = await organisation.job(job.shiftId);
    expect(bookings.map(({ status }) => status)).toEqual(["released", "confirmed"]);
  });

  it("can be accepted again, unchanged, after the provider refused its withdrawal", async () => {
    const { organisation, person, job, up } = await whileDown();
    await up();
    organisation.provider.setFault("unassign-not-successful");
    await organisation.withdraw(job, person);
    await organisation.idle();
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await organisation.notifications(job, "booking_confirmed")).toHaveLength(1);
  });

  it("ends when the employer cancels the job, and no one is assigned", async () => {
    const { organisation, person, job, up } = await whileDown();
    expect(await organisation.cancel(job)).toEqual({ status: 202 });
    await expect.poll(async () => (await organisation.job(job.shiftId)).status).toBe("cancelled");
    const { bookings } = await up();
    expect(bookings).toMatchObject([{ status: "released", reason: "job_cancelled" }]);
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    const notifications = await organisation.notifications(job, "shift_cancelled");
    expect(notifications.map(({ candidateId }) => candidateId)).toEqual([person.candidateId]);
  });
});

describe.each(featureEngines)("a booking after the last attempt in a row, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { answerWithinMs: 0 }, retries: { tries: 3 } });
  /** Any hint has the shift reconciled; without one, the next hour would. */
  const hint = async ({ provider, idle }: Organisation, { shiftId }: Job) => {
    provider.updateShift(shiftId, {});
    await idle();
  };

  it("stays pending and keeps the seat, with an issue that the confirmation resolves", async () => {
    const organisation = await harness().onboard();
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open();
    organisation.provider.setFault("error-500", { operations: BOOKING });
    expect(await organisation.accept(job, person)).toEqual(PENDING);
    await organisation.idle();
    const { status, bookings } = await organisation.job(job.shiftId);
    expect(status).toBe("filled");
    expect(bookings).toMatchObject([{ candidateId: person.candidateId, status: "pending" }]);
    expect(await organisation.issues()).toMatchObject([
      { code: "provider_gave_no_answer", params: { attempts: 3, status: 500 }, count: 1 },
    ]);
    expect(organisation.callCount("GET", "/candidates")).toBe(3);
    expect(await organisation.accept(job, other)).toEqual({ status: 409, code: "job_filled" });
    organisation.provider.clearFaults();
    await hint(organisation, job);
    expect(await organisation.job(job.shiftId)).toMatchObject({ bookings: [{ status: "confirmed" }] });
    expect(await organisation.issues()).toEqual([]);
  });

  it("has no open issue once it is withdrawn, even if the provider never responded", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("error-500", { operations: BOOKING });
    expect(await organisation.accept(job, person)).toEqual(PENDING);
    await organisation.idle();
    expect(await organisation.issueCodes()).toEqual(["provider_gave_no_answer"]);
    await organisation.withdraw(job, person);
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ bookings: [{ status: "released" }] });
    expect(await organisation.issues()).toEqual([]);
  });

  it("waits while a withdrawal gets no response, and releases the seat once there is one", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    await organisation.idle();
    organisation.provider.setFault("error-500", { operations: ["unassignCandidate", "deleteAssignment"] });
    expect(await organisation.withdraw(job, person)).toEqual({ status: 202 });
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "filled",
      bookings: [{ status: "confirmed", withdrawing: true }],
    });
    expect(await organisation.issueCodes()).toEqual(["provider_gave_no_answer"]);
    organisation.provider.clearFaults();
    await hint(organisation, job);
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "open",
      bookings: [{ status: "released", reason: "withdrawn" }],
    });
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect(await organisation.issues()).toEqual([]);
  });
});

describe.each(featureEngines)("a refusal by the provider on %s", (engine) => {
  const harness = useHarness(engine);

  it("to unassign a failed booking raises an issue, which the next success resolves", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("assign-of-another", { times: 1 });
    organisation.provider.setFault("unassign-not-successful");
    expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "provider_refused" });
    await organisation.idle();
    expect(await organisation.issueCodes()).toEqual(["provider_refused", "unassign_failed"]);
    organisation.provider.clearFaults();
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("of a withdrawal keeps the booking, with an issue until a withdrawal succeeds", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    await organisation.accept(job, person);
    organisation.provider.setFault("unassign-not-successful", {
      operations: ["unassignCandidate", "deleteAssignment"],
    });
    for (const count of [1, 2]) {
      expect(await organisation.withdraw(job, person)).toEqual({ status: 409, code: "provider_refused" });
      expect(await organisation.job(job.shiftId)).toMatchObject({
        status: "filled",
        bookings: [{ status: "confirmed" }],
      });
      expect(await organisation.issues()).toMatchObject([{ code: "unassign_failed", count }]);
    }
    organisation.provider.clearFaults();
    expect(await organisation.withdraw(job, person)).toEqual({ status: 204 });
    expect(await organisation.issues()).toEqual([]);
    expect(await organisation.withdraw(job, person)).toEqual({ status: 404, code: "booking_not_found" });
  });
});
