import { describe, expect, it } from "vitest";
import type { Job, JobCandidate } from "../../../generated/operations/types.ts";
import type { NewShift } from "../../../src/sandbox/provider-actions.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import { carriedOut, type Flow, UNASSIGN, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

/** The candidates with an offer of the job. */
async function offered({ notifications }: Flow, job: Job): Promise<string[]> {
  const offers = await notifications(job, "job_offered");
  return offers.map(({ candidateId }) => candidateId).sort();
}

/** The candidate as an operator who accepts for someone sees it. */
async function pickable({ operations }: Flow, { jobId }: Job, { candidateId }: Person) {
  const { items } = ok(await operations.listJobCandidates({ params: { path: { jobId } } }));
  return items.find((each) => each.candidateId === candidateId) as JobCandidate;
}

/** Opens a shift on which the provider has put the person itself. */
async function openWith({ provider, job, findJob, send }: Flow, id: string, values?: NewShift) {
  const { shiftId } = provider.createShift(values);
  provider.assign(shiftId, id);
  await send("shift.create", shiftId);
  await expect.poll(() => findJob(shiftId)).toBeDefined();
  return job(shiftId);
}

/** Makes the person one of the provider's own, too. */
const employ = ({ provider }: Flow, { personalNumber }: Person) => provider.addCandidate({ personalNumber });

/** Gives the competence to a candidate of another organisation. */
async function qualify({ operations, competenceId }: Flow, { candidateId }: Person) {
  const params = { path: { candidateId } };
  const { competenceIds } = ok(await operations.getCandidate({ params }));
  ok(await operations.changeCandidate({ params, body: { competenceIds: [...competenceIds, competenceId] } }));
}

const times = ({ startTime, endTime }: Job) => ({ startTime, endTime });

describe.each(engines)("a candidate among the provider's own people, on %s", (engine) => {
  const onboard = useFlows(engine);

  it.each(["a", "b"] as const)(
    "is neither offered nor booked on the shift, in variant %s",
    async (variant) => {
      const platform = await onboard({ dialect: { variant } });
      const { provider, accept } = platform;
      const [person, other] = [await platform.addPerson(), await platform.addPerson()];
      // In variant a, a list names no one: the platform knows the id of a person whom it has booked.
      const employed = variant === "b" ? employ(platform, person).id : undefined;
      if (!employed) await platform.book(await platform.open(), person);
      const id = employed ?? provider.candidates.at(-1)?.id ?? "";
      const job = await openWith(platform, id, { positions: 3 });
      await expect.poll(() => offered(platform, job)).toEqual([other.candidateId]);
      expect(await accept(job, person)).toEqual({ status: 409, code: "already_booked" });
      expect(await pickable(platform, job, person)).toMatchObject({ assigned: true, busy: false });
      await platform.book(job, other);
      expect(await platform.job(job.shiftId)).toMatchObject({ status: "open", ownPeopleCount: 1 });
      provider.unassign(job.shiftId, id);
      await platform.send("shift.update", job.shiftId);
      await expect.poll(async () => (await offered(platform, job)).includes(person.candidateId)).toBe(true);
      await platform.book(job, person);
    },
  );

  it("is neither offered nor booked on an overlapping shift of the same organisation", async () => {
    const platform = await onboard({ dialect: { variant: "b" } });
    const { provider, accept } = platform;
    const [person, other] = [await platform.addPerson(), await platform.addPerson()];
    const own = await openWith(platform, employ(platform, person).id);
    const job = await platform.open(times(own));
    await expect.poll(() => offered(platform, job)).toEqual([other.candidateId]);
    expect(await accept(job, person)).toEqual({ status: 409, code: "booking_overlaps" });
    expect(await pickable(platform, job, person)).toMatchObject({ assigned: false, busy: true });
    const { reasons } = ok(await platform.operations.explainJob({ params: { path: { jobId: job.jobId } } }));
    expect(reasons.map(({ code }) => code)).toEqual(["not_accepted_yet", "some_not_free"]);
    provider.deleteShift(own.shiftId);
    await platform.send("shift.delete", own.shiftId);
    await expect.poll(async () => (await platform.job(own.shiftId)).status).toBe("cancelled");
    await platform.book(job, person);
  });

  it("can be erased, and is one of the provider's people without a name then", async () => {
    const platform = await onboard({ dialect: { variant: "b" } });
    const { operations } = platform;
    const person = await platform.addPerson();
    const { candidateId } = person;
    const providerCandidateId = employ(platform, person).id;
    const job = await openWith(platform, providerCandidateId);
    expect(job.ownPeople).toEqual([{ providerCandidateId, candidateId }]);
    ok(await operations.eraseCandidate({ params: { path: { candidateId } } }));
    await platform.send("shift.update", job.shiftId);
    await expect
      .poll(async () => (await platform.job(job.shiftId)).ownPeople)
      .toEqual([{ providerCandidateId }]);
  });

  it("is busy for other organisations once an operator has released what the registry says", async () => {
    const [platform, elsewhere] = [await onboard({ dialect: { variant: "b" } }), await onboard()];
    const { operations, providerId } = platform;
    const person = await platform.addPerson();
    const own = await openWith(platform, employ(platform, person).id);
    ok(await operations.importRegistry({ params: { path: { providerId } } }));
    const { candidateId } = person;
    ok(await operations.releaseCandidate({ params: { path: { candidateId } }, body: { providerId } }));
    await qualify(elsewhere, person);
    const job = await elsewhere.open(times(own));
    expect(await elsewhere.accept(job, person)).toEqual({ status: 409, code: "booking_overlaps" });
  });

  it("is free for the shifts of other organisations", async () => {
    const [platform, elsewhere] = [await onboard({ dialect: { variant: "b" } }), await onboard()];
    const person = await platform.addPerson();
    const own = await openWith(platform, employ(platform, person).id);
    await qualify(elsewhere, person);
    const job = await elsewhere.open(times(own));
    await expect.poll(() => offered(elsewhere, job)).toEqual([person.candidateId]);
    await elsewhere.book(job, person);
  });
});

const ASSIGN = /\/assign\//;

describe.each(engines)("people whom the provider assigned itself, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("are whom the manager puts on the shift again after a withdrawal", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const person = await platform.addPerson();
    const job = await platform.open({ positions: 2 });
    await platform.book(job, person);
    await platform.withdraw(job, person);
    await expect.poll(() => provider.shift(job.shiftId)?.assigned.size).toBe(0);
    provider.assign(job.shiftId, platform.idOf(person));
    await platform.send("shift.update", job.shiftId);
    await expect.poll(() => platform.job(job.shiftId)).toMatchObject({ ownPeopleCount: 1 });
    expect(provider.shift(job.shiftId)?.assigned.size).toBe(1);
    expect(carriedOut(platform, UNASSIGN)).toBe(1);
  });
});

describe.each(engines)("a candidate whom the provider unassigns, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("is assigned once more, and released after the second time", async () => {
    const platform = await onboard({ connect: true, dialect: { assignEchoes: true } });
    const { provider } = platform;
    const job = await platform.open();
    const person = await platform.addPerson();
    await platform.book(job, person);
    const isListed = () => provider.shift(job.shiftId)?.assigned.size === 1;
    const settled = async () => {
      await provider.settled();
      await expect
        .poll(async () => (await platform.events()).map(({ status }) => status))
        .not.toContain("queued");
    };
    await settled();
    provider.unassign(job.shiftId, platform.idOf(person));
    await platform.send("shift.update", job.shiftId);
    await expect.poll(isListed).toBe(true);
    await settled();
    expect(await platform.booking(job, person)).toMatchObject({ status: "confirmed" });
    provider.unassign(job.shiftId, platform.idOf(person));
    await platform.send("shift.update", job.shiftId);
    const released = { status: "released", reason: "removed_by_provider" };
    await expect.poll(() => platform.booking(job, person)).toMatchObject(released);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect([carriedOut(platform, ASSIGN), isListed()]).toEqual([2, false]);
    const { candidateId } = person;
    expect(await platform.notifications(job, "booking_confirmed")).toHaveLength(1);
    expect(await platform.notifications(job, "booking_released")).toMatchObject([{ candidateId }]);
  });

  it("before any reading has shown the candidate is assigned once more too, if the provider lists others", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const [first, second] = [await platform.open(), await platform.open()];
    await platform.book(first, await platform.addPerson());
    await platform.send("shift.update", first.shiftId);
    await expect
      .poll(async () => (await platform.events()).map(({ status }) => status))
      .not.toContain("queued");
    const person = await platform.addPerson();
    await platform.book(second, person);
    provider.unassign(second.shiftId, platform.idOf(person));
    await platform.send("shift.update", second.shiftId);
    await expect.poll(() => provider.shift(second.shiftId)?.assigned.size).toBe(1);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.booking(second, person)).toMatchObject({ status: "confirmed" });
  });
});
