import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { carriedOut, UNASSIGN, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

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
