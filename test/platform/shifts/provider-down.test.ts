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
});

describe.each(featureEngines)("a response of the provider on %s", (engine) => {
  const harness = useHarness(engine);

  it("to an assignment that is lost leads to one assignment, and to a confirmed booking", async () => {
    const organisation = await harness().onboard();
    const [job, person] = [await organisation.open(), await organisation.addPerson()];
    organisation.provider.setFault("assign-lost-answer");
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    const { bookings } = await organisation.job(job.shiftId);
    const assigned = [...(organisation.provider.shift(job.shiftId)?.assigned.keys() ?? [])];
    expect(bookings.map(({ providerCandidateId }) => providerCandidateId)).toEqual(assigned);
    expect([assigned.length, await organisation.issues()]).toEqual([1, []]);
  });

  it("that refuses a withdrawal keeps the booking, with an issue until a withdrawal succeeds", async () => {
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
