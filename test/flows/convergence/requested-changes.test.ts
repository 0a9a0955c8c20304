import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import { carriedOut, type Flow, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

const QUARTER_MS = 15 * MINUTE_MS;
const later = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
const putsOf = (platform: Flow) => carriedOut(platform, /^PUT \/shifts\/[^/]+$/);
const startOf = async ({ job }: Flow, { shiftId }: Job) => (await job(shiftId)).startTime;

/** Rounds the times of every shift to quarters of an hour. */
function roundAll({ provider }: Flow) {
  const rounded = (time: string) =>
    new Date(Math.round(Date.parse(time) / QUARTER_MS) * QUARTER_MS).toISOString();
  for (const shift of provider.shifts)
    Object.assign(shift, { startTime: rounded(shift.startTime), endTime: rounded(shift.endTime) });
}

/** A job with one person booked, and the changes that people were notified of. */
async function booked(platform: Flow) {
  const person = await platform.addPerson();
  const job = await platform.open({ positions: 2 });
  await platform.book(job, person);
  const changes = async () =>
    (await platform.notifications(job, "shift_changed")).map(({ content }) => content.startTime);
  return { job, changes };
}

describe.each(engines)("a change that was requested, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("ends with the provider's answer where it rounds the times, and a later change of the provider stays", async () => {
    const platform = await onboard({
      dialect: { updateAnswer: 204 },
      onTheWay: async ({ method }, pass) => {
        await pass();
        if (method === "PUT") roundAll(platform);
      },
    });
    const { provider } = platform;
    const { job, changes } = await booked(platform);
    const [rounded, moved] = [later(job.startTime, QUARTER_MS), later(job.startTime, 2 * HOUR_MS)];
    const asked = { startTime: later(job.startTime, 20 * MINUTE_MS) };
    expect((await platform.change(job, asked)).status).toBeLessThan(300);
    await expect.poll(() => startOf(platform, job)).toBe(rounded);
    provider.updateShift(job.shiftId, { startTime: moved });
    await platform.send("shift.update", job.shiftId);
    await expect.poll(() => startOf(platform, job)).toBe(moved);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    await expect.poll(changes).toEqual([rounded, moved]);
    expect(putsOf(platform)).toBe(1);
    expect(await platform.issueCodes()).toEqual([]);
  });

  it("ends as changed by the provider when its people change the same value while it has no response", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { job, changes } = await booked(platform);
    provider.setFault("unavailable", { operations: ["updateShift"], retryAfter: "0" });
    const moved = later(job.startTime, 2 * HOUR_MS);
    expect(await platform.change(job, { startTime: later(job.startTime, HOUR_MS) })).toMatchObject({
      status: 202,
    });
    await expect.poll(() => platform.callCount("PUT", `/shifts/${job.shiftId}`)).toBeGreaterThan(0);
    provider.updateShift(job.shiftId, { startTime: moved });
    await expect.poll(platform.issueCodes).toEqual(["change_refused"]);
    provider.clearFaults();
    const [issue] = await platform.issues();
    expect(issue?.params).toMatchObject({ changeReason: "changed_by_provider" });
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await startOf(platform, job)).toBe(moved);
    expect([putsOf(platform), await changes()]).toEqual([0, [moved]]);
  });

  it("changes only what was asked for when the webhook of another change was lost", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { job, changes } = await booked(platform);
    const moved = later(job.startTime, HOUR_MS);
    provider.updateShift(job.shiftId, { startTime: moved });
    expect((await platform.change(job, { positions: 3 })).status).toBeLessThan(300);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await platform.job(job.shiftId)).toMatchObject({ startTime: moved, positions: 3 });
    expect([putsOf(platform), await changes()]).toEqual([1, [moved]]);
  });
});
