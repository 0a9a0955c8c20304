import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import type { Person } from "../../harness/organisation.ts";
import { agree } from "./agree.ts";
import { type Organisation, useIndependent } from "./organisation.ts";
import type { Effect } from "./provider-operations.ts";

/** Returns the person's id at the provider. */
function idOf({ provider }: Organisation, { personalNumber }: Person): string {
  const candidate = provider.candidates.find((each) => each.personalNumber === personalNumber);
  if (!candidate) throw new Error("the provider does not know the person");
  return candidate.id;
}

const whoWas = ({ provider }: Organisation, kind: Effect["kind"]) =>
  provider.effects.filter((effect) => effect.kind === kind).map(({ candidateId }) => candidateId);

describe.each(engines)("people whom the provider assigned itself, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it.each(["a", "b"] as const)("take positions and are never unassigned, in variant %s", async (variant) => {
    const platform = await onboard({ variant });
    const { provider, accept, withdraw } = platform;
    const [person, other] = [await platform.addPerson(), await platform.addPerson()];
    const { shiftId } = await platform.open({ positions: 2, ownPeople: 1 });
    const job = await platform.job(shiftId);
    const [own] = provider.shift(shiftId)?.assigned ?? [];
    expect(job).toMatchObject({ status: "open", ownPeopleCount: 1 });
    expect(job.ownPeople).toEqual([{ providerCandidateId: own?.candidateId }]);
    await platform.book(job, person);
    expect((await platform.job(shiftId)).status).toBe("filled");
    expect(await accept(job, other)).toEqual({ status: 409, code: "job_filled" });
    await withdraw(job, person);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(provider.shift(shiftId)?.assigned).toEqual([own]);
    await platform.cancel(job);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(whoWas(platform, "unassign")).toEqual([idOf(platform, person)]);
  });

  it("are shown with the platform's id when they are candidates, and are never unassigned", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const person = await platform.addPerson();
    await platform.book(await platform.open(), person);
    const providerCandidateId = idOf(platform, person);
    const { shiftId } = await platform.open();
    provider.assignOwn(shiftId, providerCandidateId);
    const traceId = await provider.announce("shift.update", shiftId);
    await expect.poll(() => platform.events({ traceId })).toMatchObject([{ status: "processed" }]);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    const { candidateId } = person;
    expect((await platform.job(shiftId)).ownPeople).toEqual([{ providerCandidateId, candidateId }]);
    expect(whoWas(platform, "unassign")).toEqual([]);
  });

  it("are whom the manager puts on the shift again after a withdrawal", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const person = await platform.addPerson();
    const job = await platform.open({ positions: 2 });
    await platform.book(job, person);
    await platform.withdraw(job, person);
    await expect.poll(() => provider.shift(job.shiftId)?.assigned).toEqual([]);
    provider.assignOwn(job.shiftId, idOf(platform, person));
    await provider.announce("shift.update", job.shiftId);
    await expect.poll(() => platform.job(job.shiftId)).toMatchObject({ ownPeopleCount: 1 });
    expect(provider.shift(job.shiftId)?.assigned).toHaveLength(1);
    expect(whoWas(platform, "unassign")).toHaveLength(1);
  });

  it("fill a shift, which is offered again once one of them leaves", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { candidateId } = await platform.addPerson();
    const job = await platform.open({ ownPeople: 1 });
    expect(job.status).toBe("filled");
    expect(await platform.notifications(job)).toEqual([]);
    provider.removePerson(job.shiftId, job.ownPeople[0]?.providerCandidateId ?? "");
    await provider.announce("shift.update", job.shiftId);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    await expect
      .poll(() => platform.notifications(job))
      .toMatchObject([{ kind: "job_offered", candidateId }]);
  });
});

describe.each(engines)("a candidate whom the provider unassigns, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it("is assigned once more, and released after the second time", async () => {
    const platform = await onboard({ echo: true });
    const { provider } = platform;
    const job = await platform.open();
    const person = await platform.addPerson();
    await platform.book(job, person);
    const isListed = () => provider.shift(job.shiftId)?.assigned.length === 1;
    const settled = async () => {
      await provider.settled();
      await expect
        .poll(async () => (await platform.events()).map(({ status }) => status))
        .not.toContain("queued");
    };
    await settled();
    provider.removePerson(job.shiftId, idOf(platform, person));
    await provider.announce("shift.update", job.shiftId);
    await expect.poll(isListed).toBe(true);
    await settled();
    expect(await platform.booking(job, person)).toMatchObject({ status: "confirmed" });
    provider.removePerson(job.shiftId, idOf(platform, person));
    await provider.announce("shift.update", job.shiftId);
    const released = { status: "released", reason: "removed_by_provider" };
    await expect.poll(() => platform.booking(job, person)).toMatchObject(released);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect([whoWas(platform, "assign").length, isListed()]).toEqual([2, false]);
    const { candidateId } = person;
    expect(await platform.notifications(job, "booking_confirmed")).toHaveLength(1);
    expect(await platform.notifications(job, "booking_released")).toMatchObject([{ candidateId }]);
  });

  it("before any reading has shown the candidate is assigned once more too, if the provider lists others", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const [first, second] = [await platform.open(), await platform.open()];
    await platform.book(first, await platform.addPerson());
    await provider.announce("shift.update", first.shiftId);
    await provider.settled();
    await expect
      .poll(async () => (await platform.events()).map(({ status }) => status))
      .not.toContain("queued");
    const person = await platform.addPerson();
    await platform.book(second, person);
    provider.removePerson(second.shiftId, idOf(platform, person));
    await provider.announce("shift.update", second.shiftId);
    await expect.poll(() => provider.shift(second.shiftId)?.assigned.length).toBe(1);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.booking(second, person)).toMatchObject({ status: "confirmed" });
  });
});
