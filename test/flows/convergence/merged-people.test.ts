import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { carriedOut, type Flow, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

/** A booked person whom the provider merges into another record, under a new id. The list shows the new id, and no number. */
async function merged(platform: Flow) {
  const { provider, events, send } = platform;
  const [job, person] = [await platform.open({ positions: 2 }), await platform.addPerson()];
  await platform.book(job, person);
  const announce = async () => {
    await send("shift.update", job.shiftId);
    await expect.poll(async () => (await events()).map(({ status }) => status)).not.toContain("queued");
  };
  await announce();
  const merged = provider.mergeCandidate(platform.idOf(person));
  // The provider answers calls about the former id with 404.
  Object.assign(merged, { formerIds: [] });
  return { job, person, newId: merged.id, announce };
}

const heard = async ({ notifications }: Flow, job: { jobId: string }) =>
  (await notifications(job)).flatMap(({ kind }) => (kind === "job_offered" ? [] : [kind]));

describe.each(engines)("a booked person whom the provider merges into another record, on %s", (engine) => {
  const onboard = useFlows(engine);
  it("stays booked under the new id", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { job, person, newId, announce } = await merged(platform);
    await announce();
    await expect
      .poll(() => platform.booking(job, person))
      .toMatchObject({ status: "confirmed", providerCandidateId: newId });
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(carriedOut(platform, /\/assign\//)).toBe(1);
    expect(await heard(platform, job)).toEqual(["booking_confirmed"]);
    expect(await platform.issues()).toEqual([]);
  });

  it("is taken off under the new id after a withdrawal, which gets a 404 without a code", async () => {
    const platform = await onboard({ faults: ["errors-as-html"] });
    const { provider } = platform;
    const { job, person } = await merged(platform);
    await platform.withdraw(job, person);
    await expect
      .poll(() => platform.booking(job, person))
      .toMatchObject({ status: "released", reason: "withdrawn" });
    expect(provider.shift(job.shiftId)?.assigned.size).toBe(0);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.issues()).toEqual([]);
  });

  it("is taken off under the new id although the first look-up finds no one", async () => {
    const platform = await onboard({ faults: ["errors-as-html"] });
    const { provider } = platform;
    const { job, person } = await merged(platform);
    // Both forms of the number.
    provider.setFault("gateway-not-found", { operations: ["findCandidates"], times: 2 });
    await platform.withdraw(job, person);
    await expect
      .poll(() => platform.booking(job, person))
      .toMatchObject({ status: "released", reason: "withdrawn" });
    const lookups = platform.calls.filter(({ path, status }) => path === "/candidates" && status === 404);
    expect([lookups.length, provider.shift(job.shiftId)?.assigned.size]).toEqual([2, 0]);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
  });
});
