import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { engines } from "../../harness/engines.ts";
import { type Organisation, useIndependent } from "./organisation.ts";

describe.each(engines)("an outage that lasts past the start of a shift, on %s", (engine) => {
  let hours = 0;
  const now = () => new Date(Date.now() + hours * HOUR_MS);
  const onboard = useIndependent(engine, { now });

  /** Creates a shift that starts in an hour, a candidate, and an outage that ends an hour after the start. */
  async function beforeAnOutage(organisation: Organisation) {
    const { provider, open, addPerson } = organisation;
    const job = await open({ startTime: new Date(now().getTime() + HOUR_MS).toISOString() });
    return {
      job,
      person: await addPerson(),
      during: async (act: () => Promise<{ status: number }>) => {
        const outage = provider.fault({ kind: "status", status: 503 });
        expect((await act()).status).toBe(202);
        await expect.poll(() => outage.hits).toBeGreaterThan(0);
        hours += 2;
        outage.stop();
      },
    };
  }

  it("releases a booking that the provider has not confirmed", async () => {
    const organisation = await onboard();
    const { provider, accept, booking, notifications } = organisation;
    const { job, person, during } = await beforeAnOutage(organisation);
    await during(() => accept(job, person));
    const released = { status: "released", reason: "shift_started" };
    await expect.poll(() => booking(job, person)).toMatchObject(released);
    expect(provider.shift(job.shiftId)?.assigned).toEqual([]);
    expect(provider.effects.filter(({ kind }) => kind === "assign")).toEqual([]);
    expect(await notifications(job, "booking_confirmed")).toEqual([]);
  });

  it("ends a withdrawal, and leaves the candidate on the shift", async () => {
    const organisation = await onboard();
    const { provider, book, withdraw, booking } = organisation;
    const { job, person, during } = await beforeAnOutage(organisation);
    await book(job, person);
    await during(() => withdraw(job, person));
    const released = { status: "released", reason: "shift_started" };
    await expect.poll(() => booking(job, person)).toMatchObject(released);
    expect((await booking(job, person))?.withdrawing ?? false).toBe(false);
    expect(provider.shift(job.shiftId)?.assigned).toHaveLength(1);
    expect(provider.effects.filter(({ kind }) => kind === "unassign")).toEqual([]);
  });

  it("ends a cancellation without notifying the booked candidate", async () => {
    const organisation = await onboard();
    const { provider, book, cancel, job: jobOf, notifications } = organisation;
    const { job, person, during } = await beforeAnOutage(organisation);
    await book(job, person);
    await during(() => cancel(job));
    await expect.poll(async () => (await jobOf(job.shiftId)).cancelling ?? false).toBe(false);
    expect((await jobOf(job.shiftId)).status).not.toBe("cancelled");
    expect(provider.shift(job.shiftId)).toMatchObject({ deleted: false, assigned: [{ by: "platform" }] });
    expect(await notifications(job, "shift_cancelled")).toEqual([]);
  });
});
