import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import type { NewShift } from "../../../src/sandbox/provider-actions.ts";
import type { SandboxOptions } from "../../../src/sandbox/sandbox.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

type Forms = NonNullable<SandboxOptions["dialect"]>;
const later = (time: string) => new Date(Date.parse(time) + HOUR_MS).toISOString();

describe.each(featureEngines)("shift.update on %s", (engine) => {
  const harness = useHarness(engine);

  const booked = async (dialect: Forms = {}, shift: NewShift = { positions: 2 }) => {
    const organisation = await harness().onboard({ dialect });
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open(shift);
    expect(await organisation.accept(job, person)).toEqual({ status: 201, code: "confirmed" });
    await organisation.idle();
    return { organisation, person, other, job };
  };

  it("with another end notifies the people booked once", async () => {
    const { organisation, person, job } = await booked();
    const { provider } = organisation;
    const endTime = later(job.endTime);
    provider.setFault("duplicate-webhooks");
    const { traceId } = provider.updateShift(job.shiftId, { endTime });
    await organisation.idle();
    // A repetition, under another traceId, changes nothing.
    provider.updateShift(job.shiftId, { endTime });
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({ endTime, status: "open" });
    const notifications = await organisation.notifications(job, "shift_changed");
    expect(notifications).toMatchObject([{ candidateId: person.candidateId, traceId }]);
    expect(notifications).toHaveLength(1);
  });

  it("notifies of a later change when it is replayed, although it notified of an earlier one", async () => {
    const { organisation, job } = await booked();
    const { provider, operations } = { ...organisation, ...harness() };
    const { traceId } = provider.updateShift(job.shiftId, { endTime: later(job.endTime) });
    await organisation.idle();
    provider.connectPlatform({ url: "http://127.0.0.1:9", token: "no-server-listens-there" });
    provider.updateShift(job.shiftId, { endTime: later(later(job.endTime)) });
    const { eventId } = await organisation.event(traceId);
    for (const _ of [1, 2]) {
      await operations.replayEvent({ params: { path: { eventId } } });
      await harness().platform.idle();
    }
    expect(await organisation.notifications(job, "shift_changed")).toMatchObject([
      { content: { endTime: later(job.endTime) } },
      { content: { endTime: later(later(job.endTime)) } },
    ]);
  });

  it("with times that read the same notifies none of the people booked, and offers the shift to no one again", async () => {
    const { organisation, job } = await booked();
    const offers = () => organisation.notifications(job, "job_offered");
    const before = await offers();
    for (const ms of [-3, 20_000, 400, 0]) {
      const startTime = new Date(Date.parse(job.startTime) + ms).toISOString();
      organisation.provider.updateShift(job.shiftId, { startTime });
      await organisation.idle();
      expect(await organisation.job(job.shiftId)).toMatchObject({ startTime });
    }
    expect(await organisation.notifications(job, "shift_changed")).toEqual([]);
    expect(await offers()).toEqual(before);
  });

  it("with another description notifies none of the people booked", async () => {
    const { organisation, job } = await booked({ variant: "b" });
    organisation.provider.updateShift(job.shiftId, { description: "Bring black shoes." });
    await organisation.idle();
    expect(await organisation.notifications(job, "shift_changed")).toEqual([]);
  });

  it("notifies no one when it echoes the platform's own assignment", async () => {
    const { organisation, job } = await booked({ assignEchoes: true });
    const events = await organisation.events({ shiftId: job.shiftId });
    expect(events.map(({ event, status }) => `${event} ${status}`)).toEqual([
      "shift.create processed",
      "shift.update processed",
    ]);
    expect((await organisation.notifications(job)).map(({ kind }) => kind)).not.toContain("shift_changed");
  });

  it("keeps more bookings than positions, withdraws the offers, and raises an issue", async () => {
    const { organisation, person, other, job } = await booked();
    await organisation.accept(job, other);
    organisation.provider.updateShift(job.shiftId, { positions: 1 });
    await organisation.idle();
    const over = await organisation.job(job.shiftId);
    expect(over).toMatchObject({ status: "filled", overfilled: true, positions: 1 });
    expect(over.bookings.map(({ status }) => status)).toEqual(["confirmed", "confirmed"]);
    expect(await organisation.issues()).toMatchObject([
      { code: "shift_overfilled", subject: { kind: "shift", shiftId: job.shiftId }, count: 1 },
    ]);
    const third = await organisation.addPerson();
    organisation.provider.updateShift(job.shiftId, {});
    await organisation.idle();
    expect(await organisation.accept(job, third)).toEqual({ status: 409, code: "job_filled" });
    const offered = (await organisation.notifications(job, "job_offered")).map(
      ({ candidateId }) => candidateId,
    );
    expect(offered).not.toContain(third.candidateId);
    expect(await organisation.withdraw(job, person)).toEqual({ status: 204 });
    expect(await organisation.job(job.shiftId)).toMatchObject({ status: "filled", overfilled: false });
    expect(await organisation.issues()).toEqual([]);
  });

  it("cancels the job if the shift's status is cancelled", async () => {
    const { organisation, job } = await booked({ variant: "b", deleted: "cancelled" });
    organisation.provider.shift(job.shiftId)?.assigned.clear();
    Object.assign(organisation.provider.shift(job.shiftId) ?? {}, { cancelled: true });
    organisation.provider.updateShift(job.shiftId, {});
    await organisation.idle();
    expect(await organisation.job(job.shiftId)).toMatchObject({
      status: "cancelled",
      bookings: [{ status: "released", reason: "shift_cancelled" }],
    });
    expect(await organisation.notifications(job, "shift_cancelled")).toHaveLength(1);
  });
});
