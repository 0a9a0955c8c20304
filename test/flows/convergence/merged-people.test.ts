import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { type Organisation, useIndependent } from "./organisation.ts";

/** A booked person whom the provider merges into another record, under a new id. The list shows the new id, and no number. */
async function merged(platform: Organisation) {
  const { provider, events } = platform;
  const [job, person] = [await platform.open({ positions: 2 }), await platform.addPerson()];
  await platform.book(job, person);
  const announce = async () => {
    await provider.announce("shift.update", job.shiftId);
    await expect.poll(async () => (await events()).map(({ status }) => status)).not.toContain("queued");
  };
  await announce();
  const [assigned] = provider.shift(job.shiftId)?.assigned ?? [];
  const oldId = assigned?.candidateId ?? "";
  return { job, person, oldId, newId: provider.mergePerson(oldId), announce };
}

const heard = async ({ notifications }: Organisation, job: { jobId: string }) =>
  (await notifications(job)).flatMap(({ kind }) => (kind === "job_offered" ? [] : [kind]));

describe.each(engines)("a booked person whom the provider merges into another record, on %s", (engine) => {
  const onboard = useIndependent(engine);
  it("stays booked under the new id", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { job, person, newId, announce } = await merged(platform);
    await announce();
    await expect
      .poll(() => platform.booking(job, person))
      .toMatchObject({ status: "confirmed", providerCandidateId: newId });
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(provider.effects.filter(({ kind }) => kind === "assign")).toHaveLength(1);
    expect(await heard(platform, job)).toEqual(["booking_confirmed"]);
    expect(await platform.issues()).toEqual([]);
  });

  it("is taken off under the new id after a withdrawal, which gets a 404 without a code", async () => {
    const platform = await onboard({ codes: false });
    const { provider } = platform;
    const { job, person } = await merged(platform);
    await platform.withdraw(job, person);
    await expect
      .poll(() => platform.booking(job, person))
      .toMatchObject({ status: "released", reason: "withdrawn" });
    expect(provider.shift(job.shiftId)?.assigned).toEqual([]);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.issues()).toEqual([]);
  });

  it("is taken off under the new id although the first look-up finds no one", async () => {
    const platform = await onboard({ codes: false });
    const { provider } = platform;
    const { job, person } = await merged(platform);
    // Both forms of the number.
    const gateway = provider.fault({ kind: "gateway-404" }, { on: "findCandidates", times: 2 });
    await platform.withdraw(job, person);
    await expect
      .poll(() => platform.booking(job, person))
      .toMatchObject({ status: "released", reason: "withdrawn" });
    expect([gateway.hits, provider.shift(job.shiftId)?.assigned]).toEqual([2, []]);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
  });
});
