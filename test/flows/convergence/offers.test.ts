import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import { type Flow, useFlows } from "../flow.ts";

const later = (time: string, hours: number) => new Date(Date.parse(time) + hours * HOUR_MS).toISOString();

/** Returns the candidates with an offer of the job, once for each offer. */
async function holders({ notifications }: Flow, job: Job): Promise<string[]> {
  const offers = await notifications(job, "job_offered");
  const held = offers.filter(({ withdrawnAt }) => withdrawnAt === undefined);
  return held.map(({ candidateId }) => candidateId).sort();
}

describe.each(engines)("a job, on %s", (engine) => {
  const onboard = useFlows(engine);

  /** Books a candidate on a job of one organisation, and opens two more at an overlapping time: another of hers, and one of another organisation. */
  async function booked() {
    const [platform, other] = [await onboard(), await onboard()];
    const person = await platform.addPerson();
    const job = await platform.open();
    const { competenceId = "" } = job;
    const roles = other.provider.roles.map(({ id: roleId }) => ({ roleId, competenceId }));
    const params = { path: { providerId: other.providerId } };
    ok(await other.operations.updateMappings({ params, body: { outlets: [], roles } }));
    await platform.book(job, person);
    const times = { startTime: later(job.startTime, 1), endTime: later(job.endTime, 1) };
    const opened = [await platform.open(times), await other.open(times)];
    const touching = await platform.open({ startTime: job.endTime, endTime: later(job.endTime, 1) });
    await expect.poll(() => holders(platform, touching)).toEqual([person.candidateId]);
    const offered = () => Promise.all(opened.map((each) => holders(platform, each)));
    expect(await offered()).toEqual([[], []]);
    const readings = () =>
      [platform, other].flatMap(({ callCount }) =>
        opened.map(({ shiftId }) => callCount("GET", `/shifts/${shiftId}`)),
      );
    const before = readings();
    return {
      platform,
      person,
      job,
      times,
      /** Waits until the candidate has the offers, and expects that no shift was read for them. */
      isOffered: async () => {
        await expect.poll(offered).toEqual([[person.candidateId], [person.candidateId]]);
        expect(readings()).toEqual(before);
      },
      offered,
    };
  }

  it.each<[string, (on: Awaited<ReturnType<typeof booked>>) => Promise<unknown>]>([
    ["withdraws", ({ platform, job, person }) => platform.withdraw(job, person)],
    [
      "is needed at another time",
      async ({ platform: { provider, send }, job, times }) => {
        const moved = { startTime: later(times.endTime, 3), endTime: later(times.endTime, 4) };
        provider.updateShift(job.shiftId, moved);
        await send("shift.update", job.shiftId);
      },
    ],
  ])("is offered to a candidate who %s elsewhere", async (_, free) => {
    const on = await booked();
    await free(on);
    await on.isOffered();
  });

  it("is not offered to a candidate who is free for a part of its time only", async () => {
    const { platform, job, person, offered } = await booked();
    const { provider } = platform;
    const early = await platform.open({ startTime: job.startTime, endTime: later(job.startTime, 2) });
    provider.updateShift(job.shiftId, { startTime: later(job.startTime, 2) });
    await platform.send("shift.update", job.shiftId);
    await expect.poll(() => holders(platform, early)).toEqual([person.candidateId]);
    expect(await offered()).toEqual([[], []]);
  });
});

describe.each(engines)("a job, where no reading is repeated, on %s", (engine) => {
  const onboard = useFlows(engine, { timing: { ladderMs: [] } });

  it.each<[string, (on: { platform: Flow; job: Job; moved: Job; person: Person }) => Promise<unknown>]>([
    ["it is moved back", ({ platform, moved }) => move(platform, moved, moved)],
    ["the other is moved", ({ platform, job }) => move(platform, job, at(job, 50))],
    ["the other booking ends", ({ platform, job, person }) => platform.withdraw(job, person)],
  ])("has an issue while it overlaps another job of a candidate booked on both, until %s", async (_, end) => {
    const platform = await onboard();
    const person = await platform.addPerson();
    const [job, moved] = [await platform.open(), await platform.open()];
    for (const each of [job, moved]) await platform.book(each, person);
    await move(platform, moved, at(job, 1));
    await expect.poll(platform.issueCodes).toEqual(["booking_overlaps"]);
    await end({ platform, job, moved, person });
    await expect.poll(platform.issueCodes).toEqual([]);
  });
});

const at = ({ startTime, endTime }: Job, hours: number) => ({
  startTime: later(startTime, hours),
  endTime: later(endTime, hours),
});

async function move({ provider, send }: Flow, { shiftId }: Job, times: Pick<Job, "startTime" | "endTime">) {
  const { startTime, endTime } = times;
  provider.updateShift(shiftId, { startTime, endTime });
  await send("shift.update", shiftId);
}
