import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { useIndependent } from "./organisation.ts";
import type { Shift } from "./provider-records.ts";

/** Returns the shift's times, moved by this many hours. */
function later({ startTime, endTime }: Pick<Shift, "startTime" | "endTime">, hours = 1) {
  const move = (time: string) => new Date(Date.parse(time) + hours * HOUR_MS).toISOString();
  return { startTime: move(startTime), endTime: move(endTime) };
}

describe.each(engines)("an event that arrives before the provider's read model, on %s", (engine) => {
  // The last rung leaves a busy machine the time to end the lag before what is read counts as the truth.
  const onboard = useIndependent(engine, { timing: { ladderMs: [50, 150, 350, 3_000] } });

  it("results in the job of a new shift", async () => {
    const { provider, ...platform } = await onboard();
    const lag = provider.fault({ kind: "frozen" });
    const { id } = provider.createShift();
    await provider.announce("shift.create", id);
    await expect.poll(() => lag.hits).toBeGreaterThan(1);
    expect(await platform.findJob(id)).toBeUndefined();
    lag.stop();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
  });

  it.each([
    ["a", "absent", "absence"],
    ["b", "cancelled", "provider"],
  ] as const)(
    "cancels the job of a deleted shift of variant %s, shown as %s",
    async (variant, deletedShows, by) => {
      const { provider, ...platform } = await onboard({ variant, deletedShows });
      const person = await platform.addPerson();
      const job = await platform.open();
      await platform.book(job, person);
      const lag = provider.fault({ kind: "frozen" }, { on: "getShift" });
      provider.deleteShift(job.shiftId);
      const traceId = await provider.announce("shift.delete", job.shiftId);
      await expect.poll(() => lag.hits).toBeGreaterThan(1);
      lag.stop();
      await expect
        .poll(() => platform.job(job.shiftId))
        .toMatchObject({ status: "cancelled", cancelledBy: by });
      const { candidateId } = person;
      expect(await platform.notifications(job, "shift_cancelled")).toMatchObject([{ candidateId }]);
      await expect.poll(() => platform.events({ traceId })).toMatchObject([{ status: "processed" }]);
      expect(await agree(platform, provider)).toEqual([]);
      expect(await platform.issueCodes()).toEqual([]);
    },
  );

  it("raises an issue when the deleted shift stays visible", async () => {
    const { provider, ...platform } = await onboard();
    const { shiftId, jobId } = await platform.open();
    const job = await platform.job(shiftId);
    await platform.book(job, await platform.addPerson());
    const lag = provider.fault({ kind: "frozen" }, { on: "getShift" });
    provider.deleteShift(shiftId);
    const traceId = await provider.announce("shift.delete", shiftId);
    const verdict = { code: "delete_not_confirmed" };
    await expect.poll(() => platform.events({ traceId })).toMatchObject([{ status: "ignored", verdict }]);
    const subject = { kind: "shift", shiftId };
    expect(await platform.issues()).toMatchObject([{ code: "delete_not_confirmed", subject }]);
    expect(await platform.job(shiftId)).toMatchObject({ jobId, status: "filled" });
    expect(await platform.notifications(job, "shift_cancelled")).toEqual([]);
    lag.stop();
    await provider.announce("shift.delete", shiftId);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    await expect.poll(platform.issueCodes).toEqual([]);
    expect(await platform.notifications(job, "shift_cancelled")).toHaveLength(1);
  });

  it("results in the new times of a moved shift", async () => {
    const { provider, ...platform } = await onboard();
    const person = await platform.addPerson();
    const job = await platform.open();
    await platform.book(job, person);
    const lag = provider.fault({ kind: "frozen" }, { on: "getShift" });
    provider.updateShift(job.shiftId, later(job));
    const traceId = await provider.announce("shift.update", job.shiftId);
    await expect.poll(() => lag.hits).toBeGreaterThan(1);
    lag.stop();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    const { candidateId } = person;
    // The creation, the assignment and the move come within the time that a replica may lag: another reading settles it.
    await expect.poll(() => platform.notifications(job, "shift_changed")).toMatchObject([{ candidateId }]);
    await expect.poll(() => platform.events({ traceId })).toMatchObject([{ status: "processed" }]);
  });
});

describe.each(engines)("an event, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it("is processed once, regardless of repetitions", async () => {
    const { provider, ...platform } = await onboard();
    await platform.addPerson();
    const { id } = provider.createShift();
    const traceId = randomUUID();
    const announce = () => provider.announce("shift.create", id, { traceId });
    await Promise.all([announce(), announce()]);
    await expect.poll(() => platform.events({ traceId })).toMatchObject([{ status: "processed" }]);
    await announce();
    const again = await provider.announce("shift.create", id);
    await expect.poll(() => platform.events({ traceId: again })).toMatchObject([{ status: "processed" }]);
    expect(await platform.events()).toHaveLength(2);
    const [job, ...others] = await platform.jobs();
    expect(others).toEqual([]);
    expect(job && (await platform.notifications(job))).toMatchObject([{ kind: "job_offered" }]);
  });

  it("waits while the integration is suspended", async () => {
    const { provider, ...platform } = await onboard();
    const job = await platform.open();
    const person = await platform.addPerson();
    await expect.poll(() => platform.notifications(job)).toHaveLength(1);
    await platform.suspend();
    const { id } = provider.createShift();
    provider.updateShift(job.shiftId, later(job));
    const calls = provider.calls.length;
    const traceIds = [
      await provider.announce("shift.create", id),
      await provider.announce("shift.update", job.shiftId),
    ];
    expect(await platform.accept(job, person)).toEqual({ status: 409, code: "job_not_open" });
    // A later event of another organisation is processed.
    await (await onboard()).open();
    for (const traceId of traceIds)
      expect(await platform.events({ traceId })).toMatchObject([{ status: "queued" }]);
    expect(provider.calls).toHaveLength(calls);
    await platform.activate();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    for (const traceId of traceIds)
      await expect.poll(() => platform.events({ traceId })).toMatchObject([{ status: "processed" }]);
  });
});
