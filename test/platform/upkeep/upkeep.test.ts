import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStatus } from "../../../src/platform/db/schema.ts";
import type { Deps } from "../../../src/platform/deps.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { ok } from "../../flows/operations.ts";
import { openWorkshop, type Workshop, type WorkshopOptions } from "../workshop.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOTHING = {
  ...{ eventsDeleted: 0, stepsDeleted: 0, figuresDeleted: 0, operationsDeleted: 0, countsDeleted: 0 },
};

describe.each(featureEngines)("the periodic reading on %s", (engine) => {
  const database = useEngine(engine);
  let workshop: Workshop;
  const open = async (options: WorkshopOptions = {}) => {
    const timing = { reconcileMs: 200, ...options.timing };
    workshop = await openWorkshop(database(), { ...options, timing });
  };
  afterEach(() => workshop.close());

  /** Counts the readings of the provider's shifts from now on. */
  const readings = () => {
    const counted = { count: 0 };
    workshop.onTheWay = async ({ method, path }, pass) => {
      await pass();
      if (method === "GET" && path.startsWith("/shifts/")) counted.count += 1;
    };
    return counted;
  };
  const severalMore = async (counted: { count: number }, more = 3) => {
    const before = counted.count;
    await expect.poll(() => counted.count).toBeGreaterThanOrEqual(before + more);
  };
  const eventsOf = async (shiftId: string) =>
    ok(await workshop.operations.listEvents({ params: { query: { shiftId } } })).items;
  const book = async (shift = { positions: 2 }) => {
    const candidateId = await workshop.addPerson(0);
    const job = await workshop.open(shift);
    expect(await workshop.accept({ ...job, candidateId })).toMatchObject({ said: "confirmed" });
    return job;
  };

  it("finds what no event announced", async () => {
    await open();
    const { jobId, shiftId, traceId } = await workshop.open({ positions: 1 });
    workshop.provider.updateShift(shiftId, { positions: 4 });
    await expect.poll(() => workshop.job(jobId)).toMatchObject({ positions: 4 });
    expect(await workshop.verdicts(traceId ?? "")).toContain("job: job_updated");
    expect(await eventsOf(shiftId)).toHaveLength(1);
  });

  it("leaves no event, no story and no notification when nothing was missed", async () => {
    await open();
    await workshop.addPerson(0);
    const { shiftId } = await workshop.open();
    const counts = () =>
      Promise.all(
        (["events", "trace_steps", "notifications", "issues"] as const).map((table) =>
          database()
            .kysely.selectFrom(table)
            .select(({ fn }) => fn.countAll().as("count"))
            .executeTakeFirst(),
        ),
      );
    const counted = readings();
    await severalMore(counted, 1);
    const before = await counts();
    await severalMore(counted);
    expect(await counts()).toEqual(before);
    expect(await eventsOf(shiftId)).toHaveLength(1);
  });

  it("notifies those booked of other times once, and of no other change", async () => {
    await open();
    const job = await book();
    const counted = readings();
    workshop.provider.updateShift(job.shiftId, { positions: 3 });
    await expect.poll(() => workshop.job(job.jobId)).toMatchObject({ positions: 3 });
    expect(await workshop.notificationsOf(job, "shift_changed")).toEqual([]);
    const endTime = new Date(Date.parse(job.endTime) + HOUR).toISOString();
    workshop.provider.updateShift(job.shiftId, { endTime });
    await expect.poll(() => workshop.notificationsOf(job, "shift_changed")).toHaveLength(1);
    await severalMore(counted);
    expect(await workshop.notificationsOf(job, "shift_changed")).toHaveLength(1);
  });

  it("cancels the job of a shift that is gone, and notifies those booked once", async () => {
    await open();
    const job = await book();
    workshop.provider.deleteShift(job.shiftId);
    await expect.poll(() => workshop.job(job.jobId)).toMatchObject({ status: "cancelled" });
    const counted = readings();
    // It may come back, so it is read on.
    await severalMore(counted);
    expect(await workshop.notificationsOf(job, "shift_cancelled")).toHaveLength(1);
  });

  it("believes a lagging replica no sooner than after an event", async () => {
    await open({ timing: { absenceRetriesMs: [200, 200, 200] } });
    const { jobId } = await workshop.open();
    const counted = readings();
    workshop.provider.setFault("shift-lag", { times: 2 });
    await severalMore(counted, 4);
    expect(await workshop.job(jobId)).toMatchObject({ status: "open" });
  });

  it("keeps one issue of a shift that cannot be a job, until it can", async () => {
    await open();
    await workshop.open();
    workshop.provider.setFault("end-before-start");
    await severalMore(readings());
    expect(await workshop.issueCodes()).toEqual(["shift_unusable"]);
    workshop.provider.clearFaults();
    await expect.poll(workshop.issueCodes).toEqual([]);
  });

  it("leaves alone what has been cancelled, and what is suspended", async () => {
    await open();
    const { jobId } = await workshop.open();
    const path = { providerId: workshop.providerId };
    ok(await workshop.operations.suspendIntegration({ params: { path } }));
    await workshop.idle();
    const counted = readings();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(counted.count).toBe(0);
    ok(await workshop.operations.activateIntegration({ params: { path } }));
    await severalMore(counted);
    ok(await workshop.operations.cancelJob({ params: { path: { jobId } } }));
    await workshop.idle();
    counted.count = 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(counted.count).toBe(0);
  });

  const died = async () => {
    const { shiftId } = workshop.provider.createShift();
    workshop.provider.setFault("error-500", { operations: ["getShift"] });
    await workshop.store("shift.create", shiftId);
    await expect.poll(() => eventsOf(shiftId)).toMatchObject([{ status: "dead" }]);
    expect(await workshop.issueCodes()).toContain("provider_gave_no_answer");
    workshop.provider.clearFaults();
    return shiftId;
  };

  it("reads each hour again what was given up", async () => {
    await open({ retries: { tries: 3 }, timing: { hourlyMs: 500 } });
    const shiftId = await died();
    await expect
      .poll(() => eventsOf(shiftId))
      .toMatchObject([{ status: "processed", verdict: { code: "job_created" } }]);
    expect(await workshop.issueCodes()).toEqual([]);
  });

  it("reads what was given up once the provider responds again", async () => {
    const calls = { perMinute: 0, failures: 2, opensForMs: 100, opensAtMostMs: 200 };
    await open({ retries: { tries: 3 }, calls });
    const shiftId = await died();
    const discover = async () => {
      await workshop.operations.discoverIntegration({
        params: { path: { providerId: workshop.providerId } },
      });
      return eventsOf(shiftId);
    };
    await expect.poll(discover).toMatchObject([{ status: "processed", verdict: { code: "job_created" } }]);
    await expect.poll(workshop.issueCodes).toEqual([]);
  });
});

describe.each(featureEngines)("the upkeep on %s", (engine) => {
  const database = useEngine(engine);
  let clock = 0;
  beforeEach(() => {
    clock = Date.now();
  });

  /** The upkeep needs nothing else. */
  const deps = (rest: Partial<Deps> = {}) =>
    ({ database: database(), log: silent, now: () => new Date(clock), ...rest }) as Deps;
  const round = () => createUpkeep(deps()).run();

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
    const stay = [event("queued", 400 * DAY), event("dead", 400 * DAY), event("failed", 30 * DAY - 1)];
    const gone = (["ignored", "skipped_echo", "failed"] as const).map((status) => event(status, 31 * DAY));
    await kysely
      .insertInto("events")
      .values([...old, ...stay, ...gone])
      .execute();
    const step = (age: number) => ({
      ...({ step_id: newId(), provider_id, trace_id: "t", step: "event", code: "requeued" } as const),
      at: new Date(clock - age),
    });
    await kysely
      .insertInto("trace_steps")
      .values([...Array.from({ length: 1_200 }, () => step(91 * DAY)), step(90 * DAY - 1)])
      .execute();
    const report = await round();
    expect(report).toEqual({ ...NOTHING, eventsDeleted: 1_203, stepsDeleted: 1_200 });
    const left = await kysely.selectFrom("events").select("event_id").execute();
    expect(left.map(({ event_id }) => event_id).sort()).toEqual(stay.map(({ event_id }) => event_id).sort());
    expect(await kysely.selectFrom("trace_steps").select("step_id").execute()).toHaveLength(1);
    expect(await round()).toEqual(NOTHING);
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

  it("deletes counts of webhooks that are an hour old", async () => {
    const { kysely } = database();
    const count = (age: number) => ({ provider_id: randomUUID(), minute: new Date(clock - age), count: 7 });
    await kysely
      .insertInto("webhook_counts")
      .values([count(3_600_001), count(3_600_000), count(0)])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, countsDeleted: 1 });
    expect(await kysely.selectFrom("webhook_counts").select("minute").execute()).toHaveLength(2);
  });

  it("deletes operations of which no echo can come any more, and none that waits for the provider", async () => {
    const { kysely } = database();
    const provider_id = randomUUID();
    const integration = { kind: "probe", name: "n", base_url: "https://example.com", provider_token: "t" };
    await kysely
      .insertInto("integrations")
      .values({ provider_id, ...integration })
      .execute();
    const operation = (ageMs: number, confirmed: boolean) => ({
      ...{ operation_id: newId(), operation: "delete" as const, provider_id },
      ...{ shift_id: randomUUID(), trace_id: "t", expires_at: new Date(clock - ageMs) },
      ...(confirmed && { confirmed_at: new Date(clock - DAY) }),
    });
    const stay = [operation(DAY, false), operation(-1, true)];
    await kysely
      .insertInto("pending_operations")
      .values([operation(1, true), ...stay])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, operationsDeleted: 1 });
    const left = await kysely.selectFrom("pending_operations").select("operation_id").execute();
    const ids = (rows: readonly { operation_id: string }[]) => rows.map((row) => row.operation_id).sort();
    expect(ids(left)).toEqual(ids(stay));
  });

  it("goes on with the rest when a part fails", async () => {
    const log = { ...silent, error: vi.fn(), info: vi.fn() };
    const minute = new Date(clock - 8 * DAY);
    await database()
      .kysely.insertInto("figures")
      .values({ minute, name: "n", provider_id: "", value: 1 })
      .execute();
    const { now } = deps();
    const failing = vi.fn(now).mockImplementationOnce(() => {
      throw new Error("no clock");
    });
    const report = await createUpkeep(deps({ log, now: failing })).run();
    expect(report).toEqual({ ...NOTHING, figuresDeleted: 1 });
    expect(log.error).toHaveBeenCalledOnce();
  });

  it("runs by itself, again and again, until it is stopped", async () => {
    const now = vi.fn(() => new Date(clock));
    const upkeep = createUpkeep(deps({ now }), { everyMs: 1 });
    upkeep.start();
    await expect.poll(() => now.mock.calls.length).toBeGreaterThan(12);
    await upkeep.stop();
    const before = now.mock.calls.length;
    await round();
    expect(now.mock.calls.length).toBe(before);
  });
});
