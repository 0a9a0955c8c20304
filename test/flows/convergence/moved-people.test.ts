import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import type { Person } from "../../harness/organisation.ts";
import { type Flow, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

const MOVED = { status: "released", reason: "moved_by_provider" };

/** No person is released for good before the last delay: on a busy machine the other shift may be read a second later. */
const PACE = { timing: { ladderMs: [50, 150, 350, 3_000] } };

/** What the person was notified of about the job, offers aside. */
async function heard({ notifications }: Flow, job: Job, { candidateId }: Person): Promise<string[]> {
  const all = await notifications(job);
  return all.flatMap((each) =>
    each.candidateId === candidateId && each.kind !== "job_offered" ? [each.kind] : [],
  );
}

const later = ({ startTime, endTime }: Job, hours: number) => ({
  startTime: new Date(Date.parse(startTime) + hours * HOUR_MS).toISOString(),
  endTime: new Date(Date.parse(endTime) + hours * HOUR_MS).toISOString(),
});

/** Adds a person, and books them on the job. */
async function bookOne(platform: Flow, job: Job): Promise<Person> {
  const person = await platform.addPerson();
  await platform.book(job, person);
  return person;
}

/** Announces that the shifts have changed, and waits until every event has ended. */
async function announceAll({ send, events }: Flow, jobs: readonly Pick<Job, "shiftId">[]) {
  for (const { shiftId } of jobs) await send("shift.update", shiftId);
  await expect.poll(async () => (await events()).map(({ status }) => status)).not.toContain("queued");
}

/** Moves a person to another shift at the provider. */
function move({ provider, idOf }: Flow, person: Person, from: Job, to: Job) {
  provider.unassign(from.shiftId, idOf(person));
  provider.assign(to.shiftId, idOf(person));
}

/** Creates a shift again at the provider, under a new id, with the same people, and deletes the old one. */
function recreate({ provider }: Flow, { shiftId, startTime, endTime, positions }: Job): string {
  const again = provider.createShift({ startTime, endTime, positions }).shift;
  for (const candidateId of provider.deleteShift(shiftId).shift.assigned.keys())
    provider.assign(again.id, candidateId);
  return again.id;
}

describe.each(engines)("a person whom the provider moves to another shift, on %s", (engine) => {
  const onboard = useFlows(engine, PACE);

  it.each([
    ["the old shift first", [0, 1]],
    ["the new shift first", [1, 0]],
  ] as const)("is booked on it, and notified of the change once, announced with %s", async (_, order) => {
    const platform = await onboard();
    const { provider } = platform;
    const from = await platform.open();
    const person = await bookOne(platform, from);
    const to = await platform.open(later(from, 2));
    await announceAll(platform, [from]);
    move(platform, person, from, to);
    const jobs = [from, to];
    await announceAll(
      platform,
      order.map((nth) => jobs[nth] as Job),
    );
    await expect.poll(() => platform.booking(from, person)).toMatchObject(MOVED);
    expect(await platform.booking(to, person)).toMatchObject({ status: "confirmed" });
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await heard(platform, from, person)).toEqual(["booking_confirmed"]);
    expect(await heard(platform, to, person)).toEqual(["shift_changed"]);
    expect(await platform.job(to.shiftId)).toMatchObject({ status: "filled", ownPeopleCount: 0 });
    expect(await platform.issues()).toEqual([]);
  });

  it("in exchange for another is booked on the other shift, like the other person", async () => {
    const platform = await onboard({ dialect: { variant: "b" } });
    const { provider } = platform;
    const one = await platform.open();
    const other = await platform.open(later(one, 1));
    const [anna, bert] = [await bookOne(platform, one), await bookOne(platform, other)];
    await announceAll(platform, [one, other]);
    move(platform, anna, one, other);
    move(platform, bert, other, one);
    await announceAll(platform, [one, other]);
    await expect.poll(() => platform.booking(other, anna)).toMatchObject({ status: "confirmed" });
    await expect.poll(() => platform.booking(one, bert)).toMatchObject({ status: "confirmed" });
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.booking(one, anna)).toMatchObject(MOVED);
    expect(await heard(platform, one, anna)).toEqual(["booking_confirmed"]);
    expect(await heard(platform, other, anna)).toEqual(["shift_changed"]);
    expect(await heard(platform, one, bert)).toEqual(["shift_changed"]);
    await platform.withdraw(other, anna);
    await expect.poll(() => provider.shift(other.shiftId)?.assigned.size).toBe(0);
  });
});

describe.each(engines)("the people of a shift that the provider creates again, on %s", (engine) => {
  const onboard = useFlows(engine, PACE);

  it("are booked on the new one, and hear nothing where nothing changes for them", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const before = await platform.open({ positions: 2 });
    const people = [await bookOne(platform, before), await bookOne(platform, before)];
    const id = recreate(platform, before);
    await platform.send("shift.create", id);
    await expect.poll(() => platform.findJob(id)).toBeDefined();
    await platform.send("shift.delete", before.shiftId);
    const after = await platform.job(id);
    for (const person of people) {
      await expect.poll(() => platform.booking(after, person)).toMatchObject({ status: "confirmed" });
      expect(await platform.booking(before, person)).toMatchObject(MOVED);
      expect(await heard(platform, before, person)).toEqual(["booking_confirmed"]);
      expect(await heard(platform, after, person)).toEqual([]);
    }
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.job(id)).toMatchObject({ status: "filled", overfilled: false });
  });

  it("or split in two are notified of the part that they work on", async () => {
    const platform = await onboard({ dialect: { variant: "b" } });
    const { provider } = platform;
    const before = await platform.open({ positions: 2 });
    const [anna, bert] = [await bookOne(platform, before), await bookOne(platform, before)];
    await announceAll(platform, [before]);
    const noon = new Date(Date.parse(before.startTime) + 3 * HOUR_MS).toISOString();
    const first = await platform.open({ startTime: before.startTime, endTime: noon });
    const second = await platform.open({ startTime: noon, endTime: before.endTime });
    move(platform, anna, before, first);
    move(platform, bert, before, second);
    provider.deleteShift(before.shiftId);
    await announceAll(platform, [first, second]);
    await platform.send("shift.delete", before.shiftId);
    await expect.poll(() => platform.booking(first, anna)).toMatchObject({ status: "confirmed" });
    await expect.poll(() => platform.booking(second, bert)).toMatchObject({ status: "confirmed" });
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await heard(platform, before, anna)).toEqual(["booking_confirmed"]);
    expect(await heard(platform, first, anna)).toEqual(["shift_changed"]);
    expect(await heard(platform, second, bert)).toEqual(["shift_changed"]);
  });

  it("are booked on the new one also when it is read only after the cancellation", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const before = await platform.open();
    const person = await bookOne(platform, before);
    const id = recreate(platform, before);
    await platform.send("shift.delete", before.shiftId);
    await expect.poll(() => heard(platform, before, person)).toContain("shift_cancelled");
    await platform.send("shift.create", id);
    await expect.poll(() => platform.findJob(id)).toBeDefined();
    const after = await platform.job(id);
    await expect.poll(() => platform.booking(after, person)).toMatchObject({ status: "confirmed" });
    expect(await heard(platform, after, person)).toEqual(["booking_confirmed"]);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.job(id)).toMatchObject({ status: "filled", ownPeopleCount: 0 });
  });
});
