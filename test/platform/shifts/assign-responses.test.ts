import { describe, expect, it } from "vitest";
import type { FaultSettings } from "../../../src/sandbox/faults/fault.ts";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { useHarness } from "../../harness/platform.ts";

interface Refusal {
  fault: FaultName;
  settings?: FaultSettings;
  status: "released" | "failed";
  reason: string;
  issues: string[];
}

const once: FaultSettings = { times: 1, operations: ["assignCandidate"] };

describe("a response to an assignment", () => {
  const harness = useHarness("pglite");

  it.each<[FaultName, FaultSettings]>([
    ["assign-no-content", {}],
    ["assign-lost-answer", {}],
    ["truncated", once],
  ])("%s ends in one confirmed assignment", async (fault, settings) => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault(fault, settings);
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    const { status, bookings } = await organisation.job(job.shiftId);
    const assigned = [...(organisation.provider.shift(job.shiftId)?.assigned.keys() ?? [])];
    expect([status, bookings.map(({ providerCandidateId }) => providerCandidateId)]).toEqual([
      "filled",
      assigned,
    ]);
    expect(assigned).toHaveLength(1);
    expect(await organisation.issues()).toEqual([]);
  });

  it.each<Refusal>([
    {
      fault: "assign-not-successful",
      status: "failed",
      reason: "assignment_refused",
      issues: ["provider_refused"],
    },
    {
      fault: "assign-of-another",
      status: "failed",
      reason: "assignment_refused",
      issues: ["provider_refused"],
    },
    {
      fault: "assign-for-another-shift",
      status: "failed",
      reason: "assignment_refused",
      issues: ["provider_refused"],
    },
    { fault: "assign-conflict", status: "released", reason: "shift_full", issues: [] },
  ])("$fault frees the seat", async ({ fault, settings, status, reason, issues }) => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault(fault, settings);
    expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "provider_refused" });
    const after = await organisation.job(job.shiftId);
    expect(after.status).toBe("open");
    expect(after.bookings).toMatchObject([{ status, reason }]);
    expect(await organisation.issueCodes()).toEqual(issues);
    const [notification] = await organisation.notifications(job, "booking_released");
    expect(notification).toMatchObject({ candidateId: person.candidateId, content: { reason } });
  });

  it("of a full shift leads to another reading, so that the next accept is refused at once", async () => {
    const organisation = await harness().onboard({ connect: false });
    const [first, second, third] = [
      await organisation.addPerson(),
      await organisation.addPerson(),
      await organisation.addPerson(),
    ];
    const { shiftId } = organisation.provider.createShift({ positions: 2 });
    await organisation.send("shift.create", shiftId);
    await organisation.idle();
    const job = await organisation.job(shiftId);
    await organisation.accept(job, first);
    // No webhook announces it.
    organisation.provider.updateShift(shiftId, { positions: 1 });
    expect(await organisation.accept(job, second)).toEqual({ status: 409, code: "provider_refused" });
    await organisation.idle();
    expect(await organisation.job(shiftId)).toMatchObject({ status: "filled", positions: 1 });
    expect(await organisation.accept(job, third)).toEqual({ status: 409, code: "job_filled" });
  });

  it("resolves the issue of a booking once the person is booked after all", async () => {
    const organisation = await harness().onboard();
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open({ positions: 2 });
    organisation.provider.setFault("assign-not-successful");
    await organisation.accept(job, person);
    organisation.provider.clearFaults();
    await organisation.accept(job, other);
    expect(await organisation.issueCodes()).toEqual(["provider_refused"]);
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    expect(await organisation.issues()).toEqual([]);
  });

  it("is shared by repeated accepts, which return the same booking", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open({ positions: 2 });
    for (const _ of [1, 2]) {
      expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    }
    const { bookings } = await organisation.job(job.shiftId);
    expect(bookings).toHaveLength(1);
    const path = `/shifts/${job.shiftId}/assign/${bookings[0]?.providerCandidateId}`;
    expect(organisation.callCount("PUT", path)).toBe(1);
    expect(await organisation.notifications(job, "booking_confirmed")).toHaveLength(1);
  });

  it.each([
    ["an unknown job", "job_not_found"],
    ["an unknown candidate", "candidate_not_found"],
  ])("%s is a 404", async (what, code) => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const job = await organisation.open();
    const unknown = "0190c7a4-0000-7000-8000-000000000001";
    const accepted =
      what === "an unknown job"
        ? organisation.accept({ ...job, jobId: unknown }, person)
        : organisation.accept(job, { ...person, candidateId: unknown });
    expect(await accepted).toEqual({ status: 404, code: code });
  });
});
