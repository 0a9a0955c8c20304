import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import type { Onboarding, Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const CONFIRMED = { status: 201, code: "confirmed" };

/** A person who is booked on one shift, and whom the provider merges into another record. No webhook is sent. */
async function merged(onboard: (options: Onboarding) => Promise<Organisation>, options: Onboarding = {}) {
  const organisation = await onboard({ connect: false, ...options });
  const { provider } = organisation;
  const [person, booked] = [await organisation.addPerson(), provider.createShift()];
  await organisation.process("shift.create", booked.shiftId);
  const job = await organisation.job(booked.shiftId);
  expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
  const [oldId = ""] = provider.shift(job.shiftId)?.assigned.keys() ?? [];
  const { shiftId } = provider.createShift({ ...inTwoDays(), positions: 2 });
  await organisation.process("shift.create", shiftId);
  const next = await organisation.job(shiftId);
  return { organisation, person, booked: job, job: next, oldId, newId: provider.mergeCandidate(oldId).id };
}

const assignedTo = ({ provider }: Organisation, { shiftId }: { shiftId: string }) => [
  ...(provider.shift(shiftId)?.assigned.keys() ?? []),
];

function inTwoDays() {
  const start = Math.ceil(Date.now() / 3_600_000 + 48) * 3_600_000;
  return {
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + 3_600_000).toISOString(),
  };
}

describe.each(featureEngines)("a person whom the provider has merged, on %s", (engine) => {
  const harness = useHarness(engine);
  const onboard = (options: Onboarding) => harness().onboard(options);

  it.each(["a", "b"] as const)(
    "is booked under the id that the acknowledgement names, at a provider of variant %s",
    async (variant) => {
      const { organisation, person, booked, job, newId } = await merged(onboard, { dialect: { variant } });
      expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
      expect(await organisation.booking(job, person)).toMatchObject({ providerCandidateId: newId });
      const kinds = (await organisation.notifications(job)).map(({ kind }) => kind);
      expect(kinds).toEqual(["job_offered", "booking_confirmed"]);
      const { calls } = organisation;
      expect(calls.filter(({ path }) => path.startsWith(`/shifts/${job.shiftId}/assign/`))).toHaveLength(1);
      for (const { shiftId } of [job, booked]) await organisation.process("shift.update", shiftId);
      expect(await organisation.booking(booked, person)).toMatchObject({
        status: "confirmed",
        providerCandidateId: newId,
      });
      for (const each of [job, booked]) {
        expect((await organisation.job(each.shiftId)).ownPeople).toEqual([]);
        await organisation.withdraw(each, person);
        await organisation.idle();
        expect(assignedTo(organisation, each)).toEqual([]);
      }
      expect(await organisation.issues()).toEqual([]);
    },
  );

  it("is not booked if the look-up finds two records: an issue names the one who is on the shift, and ends with the next booking", async () => {
    const { organisation, person, job, newId } = await merged(onboard);
    organisation.provider.setFault("two-candidates");
    expect(await organisation.accept(job, person)).toMatchObject({ status: 409 });
    await organisation.idle();
    const subject = { kind: "booking", shiftId: job.shiftId, candidateId: person.candidateId };
    const about = { code: "assigned_as_another", subject, params: { providerCandidateId: newId } };
    expect(await organisation.issues()).toMatchObject([about]);
    expect(assignedTo(organisation, job)).toEqual([newId]);
    organisation.provider.clearFaults();
    expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
    expect(assignedTo(organisation, job)).toEqual([newId]);
    expect(await organisation.issues()).toEqual([]);
  });
});

describe.each(featureEngines)("a provider that changes a personal number under one id, on %s", (engine) => {
  const harness = useHarness(engine);

  it("raises an issue about the booking, which a list with the right number closes", async () => {
    const other = { of: "", number: "" };
    const rewrite = (body: unknown): unknown => {
      const { assignedCandidates } = (body ?? {}) as { assignedCandidates?: { personalNumber?: string }[] };
      const changed = assignedCandidates?.map((entry) => ({
        ...entry,
        ...(entry.personalNumber === other.of && { personalNumber: other.number }),
      }));
      return changed ? { ...(body as object), assignedCandidates: changed } : body;
    };
    const organisation = await harness().onboard({ rewrite, dialect: { variant: "b" } });
    const [person, stranger] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open();
    expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
    const [id = ""] = assignedTo(organisation, job);
    // The same number in other forms, and a text that is none.
    const { personalNumber: number } = person;
    for (const same of [`${number.slice(0, 8)}-${number.slice(8)}`, number.slice(2), "unknown"]) {
      Object.assign(other, { of: number, number: same });
      await organisation.process("shift.update", job.shiftId);
      expect(await organisation.issues()).toEqual([]);
    }
    other.number = stranger.personalNumber;
    await organisation.process("shift.update", job.shiftId);
    const subject = { kind: "booking", shiftId: job.shiftId, candidateId: person.candidateId };
    expect(await organisation.issues()).toMatchObject([{ subject, params: { providerCandidateId: id } }]);
    expect(await organisation.booking(job, person)).toMatchObject({ status: "confirmed" });
    other.of = "";
    await organisation.process("shift.update", job.shiftId);
    expect(await organisation.issues()).toEqual([]);
  });
});
