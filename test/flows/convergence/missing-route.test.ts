import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { type Organisation, useIndependent } from "./organisation.ts";
import type { Fault } from "./provider-faults.ts";

const MISSING: readonly [title: string, fault: Fault][] = [
  ["404 and a web page", { kind: "gateway-404" }],
  ["405 without a code", { kind: "status", status: 405 }],
  ["501", { kind: "status", status: 501 }],
];

/** The operations whose missing route has an open issue. */
const missingRoutes = async ({ issues }: Organisation) =>
  (await issues()).filter(({ code }) => code === "route_missing").map(({ subject }) => subject.operation);

const statusesOf = async ({ job }: Organisation, { shiftId }: Job) =>
  (await job(shiftId)).bookings.map(({ status }) => status);

describe.each(engines)("a gateway without one route of calls about people, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it.each(MISSING)(
    "answers assignments with %s: bookings are pending until the route is back",
    async (_, fault) => {
      const organisation = await onboard({ codes: false });
      const { provider, open, addPerson, accept, notifications, integration, issueCodes } = organisation;
      const job = await open({ positions: 3 });
      const people = [await addPerson(), await addPerson(), await addPerson()];
      const gateway = provider.fault(fault, { on: "assign" });
      await expect.poll(() => notifications(job, "job_offered")).toHaveLength(3);
      for (const person of people) await accept(job, person);
      await expect.poll(() => missingRoutes(organisation)).toEqual(["assignCandidate"]);
      await expect.poll(() => gateway.hits).toBeGreaterThan(12);
      expect(await statusesOf(organisation, job)).toEqual(["pending", "pending", "pending"]);
      expect((await integration()).health.code).toBe("route_missing");
      expect(await issueCodes()).toEqual(["route_missing"]);
      gateway.stop();
      await expect.poll(() => statusesOf(organisation, job)).toEqual(["confirmed", "confirmed", "confirmed"]);
      await expect.poll(issueCodes).toEqual([]);
      expect((await integration()).health.code).toBe("reachable");
      expect(await notifications(job, "booking_released")).toEqual([]);
      expect(await notifications(job, "job_offered")).toHaveLength(3);
      await expect.poll(() => agree(organisation, provider)).toEqual([]);
    },
  );

  it("answers the assignment of someone whom the provider has removed with 404: it is repeated, no more often than a route is", async () => {
    const organisation = await onboard({ codes: false });
    const { provider, open, addPerson, book, issueCodes } = organisation;
    const [job, person] = [await open(), await addPerson()];
    await book(job, person);
    const traceId = await provider.announce("shift.update", job.shiftId);
    await expect.poll(async () => (await organisation.events({ traceId }))[0]?.status).toBe("processed");
    const gateway = provider.fault({ kind: "gateway-404" }, { on: "assign" });
    const [assigned] = provider.shift(job.shiftId)?.assigned ?? [];
    provider.removePerson(job.shiftId, assigned?.candidateId ?? "");
    await provider.announce("shift.update", job.shiftId);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["assignCandidate"]);
    const calls = provider.calls.length;
    const { hits } = gateway;
    await expect.poll(() => gateway.hits).toBeGreaterThan(hits + 3);
    // A reading, and the assignment with its witness, for each.
    expect(provider.calls.length - calls).toBeLessThan(10 * (gateway.hits - hits));
    gateway.stop();
    await expect.poll(() => agree(organisation, provider)).toEqual([]);
    await expect.poll(issueCodes).toEqual([]);
  });

  it("answers withdrawals with 404: the booking stays until the route is back", async () => {
    const organisation = await onboard({ codes: false });
    const { provider, open, addPerson, book, withdraw } = organisation;
    const [job, person] = [await open(), await addPerson()];
    await book(job, person);
    const gateway = provider.fault({ kind: "gateway-404" }, { on: "unassign" });
    await withdraw(job, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["unassignCandidate"]);
    expect(await statusesOf(organisation, job)).toEqual(["confirmed"]);
    gateway.stop();
    await expect.poll(() => statusesOf(organisation, job)).toEqual(["released"]);
    await expect.poll(() => missingRoutes(organisation)).toEqual([]);
    await expect.poll(() => agree(organisation, provider)).toEqual([]);
  });

  it("answers the creation of people with 404: the booking is pending until the route is back", async () => {
    const organisation = await onboard({ codes: false });
    const { provider, open, addPerson, accept } = organisation;
    const [job, person] = [await open(), await addPerson()];
    const gateway = provider.fault({ kind: "gateway-404" }, { on: "createCandidate" });
    await accept(job, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["createCandidate"]);
    expect(await statusesOf(organisation, job)).toEqual(["pending"]);
    gateway.stop();
    await expect.poll(() => statusesOf(organisation, job)).toEqual(["confirmed"]);
    await expect.poll(() => missingRoutes(organisation)).toEqual([]);
  });
});

describe.each(engines)("a gateway without the route that deletes shifts, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it.each(MISSING)("answers with %s: the job is cancelled once the route is back", async (_, fault) => {
    const organisation = await onboard({ codes: false });
    const { provider, open, addPerson, book, cancel, job, integration, issueCodes } = organisation;
    const [shift, person] = [await open(), await addPerson()];
    await book(shift, person);
    const gateway = provider.fault(fault, { on: "cancelShift" });
    await cancel(shift);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["cancelShift"]);
    await expect.poll(() => gateway.hits).toBeGreaterThan(12);
    expect(await issueCodes()).toEqual(["route_missing"]);
    expect((await integration()).health.code).toBe("route_missing");
    expect(await job(shift.shiftId)).toMatchObject({ status: "filled", cancelling: true });
    gateway.stop();
    await expect
      .poll(() => job(shift.shiftId))
      .toMatchObject({ status: "cancelled", cancelledBy: "employer" });
    await expect.poll(issueCodes).toEqual([]);
    expect(provider.shift(shift.shiftId)?.deleted).toBe(true);
  });
});

describe.each(engines)("a 404 without a code to a call about a person, on %s", (engine) => {
  const onboard = useIndependent(engine);

  /** One person who is known to the provider, and a second shift. */
  async function booked() {
    const organisation = await onboard({ codes: false, variant: "b" });
    const { provider, open, addPerson, book } = organisation;
    const [first, second, person] = [await open(), await open(), await addPerson()];
    await book(first, person);
    const [candidate] = provider.candidates;
    return { organisation, first, second, person, providerCandidateId: candidate?.id ?? "" };
  }

  it("leads to the new id of a person who was merged, for an assignment", async () => {
    const { organisation, second, person, providerCandidateId } = await booked();
    const { provider, book, issueCodes } = organisation;
    const merged = provider.mergePerson(providerCandidateId);
    await book(second, person);
    expect(provider.shift(second.shiftId)?.assigned).toMatchObject([{ candidateId: merged }]);
    expect(await issueCodes()).toEqual([]);
  });

  it("leads to the new id of a person who was merged, for a withdrawal", async () => {
    const { organisation, first, person, providerCandidateId } = await booked();
    const { provider, withdraw } = organisation;
    provider.mergePerson(providerCandidateId);
    await withdraw(first, person);
    await expect.poll(() => statusesOf(organisation, first)).toEqual(["released"]);
    expect(provider.shift(first.shiftId)?.assigned).toEqual([]);
    expect(await missingRoutes(organisation)).toEqual([]);
  });

  it("is a refusal of the person once the route has worked for another", async () => {
    const { organisation, first, second, person, providerCandidateId } = await booked();
    const { provider, open, accept, addPerson, book, removeFrom } = withRemoval(organisation);
    await removeFrom(first, providerCandidateId);
    provider.deletePerson(providerCandidateId);
    await accept(second, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["assignCandidate"]);
    expect(await statusesOf(organisation, second)).toEqual(["pending"]);
    await book(await open(), await addPerson());
    await expect.poll(() => statusesOf(organisation, second)).toEqual(["released"]);
    await expect.poll(() => missingRoutes(organisation)).toEqual([]);
  });
});

/** Takes the person off the shift on both sides first. */
const withRemoval = (organisation: Organisation) => ({
  ...organisation,
  removeFrom: async (job: Job, candidateId: string) => {
    const [person] = organisation.people;
    if (!person) throw new Error("the test adds a person first");
    await organisation.withdraw(job, person);
    await expect.poll(() => statusesOf(organisation, job)).toEqual(["released"]);
    expect(organisation.provider.shift(job.shiftId)?.assigned).not.toMatchObject([{ candidateId }]);
  },
});
