import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { type Organisation, useIndependent } from "./organisation.ts";

const later = (time: string, hours: number) => new Date(Date.parse(time) + hours * HOUR_MS).toISOString();

/** Returns the candidates with an offer of the job, once for each offer; with `startTime`, an offer with that time. */
async function holders({ notifications }: Organisation, job: Job, startTime?: string): Promise<string[]> {
  const offers = await notifications(job, "job_offered");
  const names = (content: Record<string, unknown>) =>
    startTime === undefined || Date.parse(String(content.startTime)) === Date.parse(startTime);
  return offers
    .filter(({ withdrawnAt, content }) => withdrawnAt === undefined && names(content))
    .map(({ candidateId }) => candidateId)
    .sort();
}

describe.each(engines)("a job, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it("is offered again when a seat becomes free, and when its times change", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const person = await platform.addPerson();
    const others = [await platform.addPerson(), await platform.addPerson()];
    const otherIds = others.map(({ candidateId }) => candidateId).sort();
    const job = await platform.open();
    await expect.poll(() => holders(platform, job)).toEqual([...otherIds, person.candidateId].sort());
    await platform.book(job, person);
    const othersHolding = async (startTime?: string) =>
      (await holders(platform, job, startTime)).filter((candidateId) => candidateId !== person.candidateId);
    await expect.poll(() => othersHolding()).toEqual([]);
    await platform.withdraw(job, person);
    await expect.poll(() => holders(platform, job)).toEqual(otherIds);
    const startTime = later(job.startTime, 1);
    provider.updateShift(job.shiftId, { startTime });
    await provider.announce("shift.update", job.shiftId);
    await expect.poll(() => othersHolding(startTime)).toEqual(otherIds);
    expect(await othersHolding()).toEqual(otherIds);
    expect(await agree(platform, provider)).toEqual([]);
  });

  /** Books a candidate on two jobs, and moves one onto the other. */
  async function overlap(platform: Organisation) {
    const { provider } = platform;
    const person = await platform.addPerson();
    const [job, moved] = [await platform.open(), await platform.open()];
    for (const each of [job, moved]) await platform.book(each, person);
    const move = async (times: { startTime: string; endTime: string }) => {
      provider.updateShift(moved.shiftId, times);
      await provider.announce("shift.update", moved.shiftId);
    };
    await move({ startTime: later(job.startTime, 1), endTime: later(job.endTime, 1) });
    await expect.poll(platform.issueCodes).toContain("booking_overlaps");
    return { person, job, moved, move };
  }

  it("raises an issue when it is moved onto another job of the same candidate", async () => {
    const platform = await onboard();
    const { person, job, moved } = await overlap(platform);
    const [issue] = await platform.issues();
    expect(issue?.subject).toMatchObject({ candidateId: person.candidateId });
    expect([job.shiftId, moved.shiftId]).toContain(issue?.subject.shiftId);
    await expect.poll(() => agree(platform, platform.provider)).toEqual([]);
    for (const each of [job, moved])
      expect(await platform.booking(each, person)).toMatchObject({ status: "confirmed" });
  });

  it("closes the issue when it is moved away again", async () => {
    const platform = await onboard();
    const { moved, move } = await overlap(platform);
    await move({ startTime: moved.startTime, endTime: moved.endTime });
    await expect.poll(platform.issueCodes).toEqual([]);
  });
});
