import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStatus } from "../../../src/platform/db/schema.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { createUpkeep, type UpkeepOptions } from "../../../src/platform/upkeep/upkeep.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOTHING = {
  reconciled: 0,
  revived: 0,
  strays: 0,
  expired: 0,
  eventsDeleted: 0,
  stepsDeleted: 0,
  figuresDeleted: 0,
};

describe.each(featureEngines)("the upkeep on %s", (engine) => {
  const database = useEngine(engine);
  let workshop: Workshop;
  let clock = 0;
  const onStored = vi.fn();
  beforeEach(async () => {
    clock = Date.now();
    onStored.mockReset();
    workshop = await openWorkshop(database(), { now: () => new Date(clock) });
  });
  afterEach(() => workshop.close());

  /** One round, and what it stored is processed. */
  const round = async (options: Partial<UpkeepOptions> = {}) => {
    const report = await createUpkeep(workshop.deps, { onStored, ...options }).run();
    await createDispatcher({ db: database(), queue: workshop.deps.queue, log: silent }).run();
    await workshop.deps.queue.idle();
    return report;
  };
  const reconciliations = () =>
    database().kysely.selectFrom("events").selectAll().where("event", "=", "shift.reconcile").execute();
  const steps = async () =>
    (await database().kysely.selectFrom("trace_steps").select("step_id").execute()).length;
  const book = async (jobId: string, candidateId: string) => {
    await workshop.operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    await workshop.deps.queue.idle();
  };
  const told = async (kind: string) =>
    (await database().kysely.selectFrom("notifications").selectAll().where("kind", "=", kind).execute())
      .length;

  it("reads a future shift again after an hour, and takes over what it missed", async () => {
    const { provider, open, job } = workshop;
    const { jobId, shiftId } = await open({ positions: 1 });
    provider.updateShift(shiftId, { positions: 4 });
    clock += HOUR - MINUTE;
    expect(await round()).toEqual(NOTHING);
    clock += MINUTE;
    expect(await round()).toEqual({ ...NOTHING, reconciled: 1 });
    expect(onStored).toHaveBeenCalledOnce();
    expect(await job(jobId)).toMatchObject({ positions: 4 });
    const [event] = await reconciliations();
    expect(event).toMatchObject({ status: "processed", verdict: "job updated: open", shift_id: shiftId });
    expect(await round()).toEqual(NOTHING);
    clock += HOUR;
    expect(await round()).toMatchObject({ reconciled: 1 });
  });

  it("leaves no event and no story when nothing was missed", async () => {
    await workshop.addPerson(0);
    await workshop.open();
    const before = await steps();
    clock += HOUR;
    expect(await round()).toMatchObject({ reconciled: 1 });
    expect(await reconciliations()).toEqual([]);
    expect(await steps()).toBe(before);
  });

  it("tells those booked of a material change once, and of another change not at all", async () => {
    const { provider, open, addPerson } = workshop;
    const candidateId = await addPerson(0);
    const { jobId, shiftId, endTime } = await open();
    await book(jobId, candidateId);
    provider.updateShift(shiftId, { positions: 2 });
    clock += HOUR;
    await round();
    expect(await told("shift_changed")).toBe(0);
    provider.updateShift(shiftId, { endTime: new Date(Date.parse(endTime) + HOUR).toISOString() });
    for (let hour = 0; hour < 2; hour += 1) {
      clock += HOUR;
      await round();
    }
    expect(await told("shift_changed")).toBe(1);
  });

  it("cancels the job of a shift that is gone, and tells those booked", async () => {
    const { provider, open, job, addPerson } = workshop;
    const candidateId = await addPerson(0);
    const { jobId, shiftId } = await open();
    await book(jobId, candidateId);
    provider.deleteShift(shiftId);
    clock += HOUR;
    await round();
    expect(await job(jobId)).toMatchObject({ status: "cancelled" });
    expect(await told("shift_cancelled")).toBe(1);
    expect(await reconciliations()).toMatchObject([
      { status: "processed", verdict: "job cancelled", absences: 3 },
    ]);
    clock += HOUR;
    expect(await round()).toEqual(NOTHING);
  });

  it("believes a lagging replica no sooner than after other events", async () => {
    const { provider, open, job } = workshop;
    const { jobId } = await open();
    provider.setFault("shift-lag");
    clock += HOUR;
    await round();
    expect(await job(jobId)).toMatchObject({ status: "open" });
    expect(await reconciliations()).toEqual([]);
  });

  it("keeps one failure of a shift, the last", async () => {
    const { provider, open } = workshop;
    await open();
    provider.setFault("end-before-start");
    for (let hour = 0; hour < 3; hour += 1) {
      clock += HOUR;
      await round();
    }
    expect(await reconciliations()).toMatchObject([{ status: "failed" }]);
    const issues = await database().kysely.selectFrom("issues").selectAll().execute();
    expect(issues).toMatchObject([{ code: "shift_unusable", count: 3 }]);
  });

  it("leaves alone what waits, what has started, what is cancelled and what is suspended", async () => {
    const { kysely } = database();
    const { provider, open } = workshop;
    const [waits, started, cancelled] = [await open(), await open(), await open()];
    clock += HOUR;
    const event = { event_id: randomUUID(), event: "shift.update", trace_id: "t" };
    await kysely
      .insertInto("events")
      .values({
        ...event,
        provider_id: provider.providerId,
        shift_id: waits.shiftId,
        dispatched_at: new Date(clock),
      })
      .execute();
    await kysely
      .updateTable("jobs")
      .set({ start_time: new Date(clock) })
      .where("job_id", "=", started.jobId)
      .execute();
    await kysely
      .updateTable("jobs")
      .set({ status: "cancelled" })
      .where("job_id", "=", cancelled.jobId)
      .execute();
    expect(await round()).toMatchObject({ reconciled: 0 });
    await kysely.deleteFrom("events").where("event_id", "=", event.event_id).execute();
    await kysely.updateTable("integrations").set({ state: "suspended" }).execute();
    expect(await round()).toMatchObject({ reconciled: 0 });
    await kysely.updateTable("integrations").set({ state: "active" }).execute();
    expect(await round()).toMatchObject({ reconciled: 1 });
  });

  it("dispatches an event again that waits, was dispatched and has no task", async () => {
    const { kysely } = database();
    const { provider, deps } = workshop;
    const dispatched = (ageMs: number) => ({
      ...{ event_id: newId(), event: "shift.create", shift_id: provider.createShift().shiftId },
      ...{ provider_id: provider.providerId, trace_id: randomUUID(), dispatched_at: new Date(clock - ageMs) },
    });
    const [stray, recent, waits] = [dispatched(MINUTE + 1), dispatched(MINUTE), dispatched(HOUR)];
    await kysely.insertInto("events").values([stray, recent, waits]).execute();
    await kysely.transaction().execute(async (trx) => {
      const task = { id: waits.event_id, key: "another", data: {}, afterMs: HOUR };
      await deps.queue.enqueue(trx, "events", task);
    });
    expect(await createUpkeep(deps, { onStored }).run()).toEqual({ ...NOTHING, strays: 1 });
    expect(onStored).toHaveBeenCalledOnce();
    const free = kysely.selectFrom("events").select("event_id").where("dispatched_at", "is", null);
    expect(await free.execute()).toEqual([{ event_id: stray.event_id }]);
    await createDispatcher({ db: database(), queue: deps.queue, log: silent }).run();
    const jobs = () => kysely.selectFrom("jobs").select("shift_id").execute();
    await expect.poll(jobs).toEqual([{ shift_id: stray.shift_id }]);
    expect(await createUpkeep(deps, { onStored }).run()).toEqual(NOTHING);
  });

  it("reads a shift once, also when several processes look at the same time", async () => {
    for (let n = 0; n < 5; n += 1) await workshop.open();
    clock += HOUR;
    const reports = await Promise.all([1, 2, 3].map(() => createUpkeep(workshop.deps, { onStored }).run()));
    // Rows that another one has locked are left to it.
    expect(reports.reduce((sum, { reconciled }) => sum + reconciled, 0)).toBe(5);
    expect(await reconciliations()).toHaveLength(5);
    await round();
  });

  it("takes so many shifts of an organisation in a round, those that wait longest first", async () => {
    const shiftIds = [];
    for (let n = 0; n < 3; n += 1) {
      shiftIds.push((await workshop.open()).shiftId);
      clock += 1;
    }
    clock += HOUR;
    workshop.provider.setFault("end-before-start");
    expect(await round({ reconciliation: { perProvider: 2 } })).toMatchObject({ reconciled: 2 });
    const asked = (await reconciliations()).map(({ shift_id }) => shift_id);
    expect(asked.sort()).toEqual(shiftIds.slice(0, 2).sort());
    expect(await round({ reconciliation: { perProvider: 2 } })).toMatchObject({ reconciled: 1 });
  });

  it("moves jobs whose shift has started to expired, once", async () => {
    const { open, job, addPerson, operations } = workshop;
    const candidateId = await addPerson(0);
    const [empty, full] = [await open(), await open()];
    await book(full.jobId, candidateId);
    clock = Date.parse(empty.startTime) - 1;
    expect(await round()).toMatchObject({ expired: 0 });
    clock += 1;
    expect(await round()).toMatchObject({ expired: 2 });
    expect([(await job(empty.jobId)).status, (await job(full.jobId)).status]).toEqual(["expired", "expired"]);
    const { data } = await operations.getTrace({ params: { path: { traceId: empty.traceId ?? "" } } });
    expect(data?.steps.at(-1)?.verdict).toBe("job expired: the shift has started, and the job was open");
    expect(await round()).toEqual(NOTHING);
  });

  it("deletes what ended and is old, in batches, and nothing that waits", async () => {
    const { kysely } = database();
    const provider_id = randomUUID();
    const event = (status: EventStatus, age: number) => ({
      ...{
        event_id: randomUUID(),
        provider_id,
        event: "shift.create",
        shift_id: "s",
        trace_id: randomUUID(),
      },
      ...{ status, received_at: new Date(clock - age) },
    });
    const old = Array.from({ length: 1_200 }, () => event("processed", 30 * DAY + 1));
    const stay = [event("queued", 400 * DAY), event("failed", 30 * DAY - 1)];
    const gone = (["ignored", "skipped_echo", "failed", "dead"] as const).map((status) =>
      event(status, 31 * DAY),
    );
    await kysely
      .insertInto("events")
      .values([...old, ...stay, ...gone])
      .execute();
    const step = (age: number) => ({ trace_id: "t", step: "s", verdict: "v", at: new Date(clock - age) });
    await kysely
      .insertInto("trace_steps")
      .values([...Array.from({ length: 1_200 }, () => step(91 * DAY)), step(90 * DAY - 1)])
      .execute();
    const report = await createUpkeep(workshop.deps, { onStored }).run();
    expect(report).toEqual({ ...NOTHING, eventsDeleted: 1_204, stepsDeleted: 1_200 });
    const left = await kysely.selectFrom("events").select("event_id").execute();
    expect(left.map(({ event_id }) => event_id).sort()).toEqual(stay.map(({ event_id }) => event_id).sort());
    expect(await steps()).toBe(1);
    expect(await createUpkeep(workshop.deps, { onStored }).run()).toEqual(NOTHING);
  });

  it("deletes figures that nobody can ask for any more", async () => {
    const { kysely } = database();
    const figure = (age: number, nth: number) => ({
      ...{ minute: new Date(clock - age), name: `n${nth}`, provider_id: "", value: 1 },
    });
    const old = Array.from({ length: 1_200 }, (_, nth) => figure(7 * DAY + 1, nth));
    await kysely
      .insertInto("figures")
      .values([...old, figure(7 * DAY, 0), figure(0, 0)])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, figuresDeleted: 1_200 });
    const left = await kysely.selectFrom("figures").select("minute").orderBy("minute").execute();
    expect(left.map(({ minute }) => minute.getTime())).toEqual([clock - 7 * DAY, clock]);
    expect(await round()).toEqual(NOTHING);
  });

  it("goes on with the rest when a part fails", async () => {
    const log = { ...silent, error: vi.fn(), info: vi.fn() };
    const { open } = workshop;
    await open();
    clock += HOUR;
    const broken = { ...workshop.deps, log, newTraceId: () => "\u0000" };
    await database()
      .kysely.insertInto("events")
      .values({
        ...{ event_id: randomUUID(), provider_id: randomUUID(), event: "shift.create", shift_id: "s" },
        ...{ trace_id: "t", status: "processed", received_at: new Date(clock - 31 * DAY) },
      })
      .execute();
    const report = await createUpkeep(broken, { onStored }).run();
    expect(report).toEqual({ ...NOTHING, eventsDeleted: 1 });
    expect(log.error).toHaveBeenCalledOnce();
    expect(onStored).not.toHaveBeenCalled();
    // What could not be stored is not forgotten: the next round takes it.
    expect(await round()).toMatchObject({ reconciled: 1 });
  });

  it("runs by itself, again and again, until it is stopped", async () => {
    const now = vi.fn(() => new Date(clock));
    const upkeep = createUpkeep({ ...workshop.deps, now }, { onStored, everyMs: 1 });
    upkeep.start();
    await expect.poll(() => now.mock.calls.length).toBeGreaterThan(12);
    await upkeep.stop();
    const before = now.mock.calls.length;
    await round();
    expect(now.mock.calls.length).toBe(before);
  });
});
