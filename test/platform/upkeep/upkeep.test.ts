import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStatus } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/durations.ts";
import type { Deps } from "../../../src/platform/deps.ts";
import { createIdGenerator, newId } from "../../../src/platform/ids.ts";
import { RETENTION } from "../../../src/platform/retention.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

const NOTHING = {
  // Depends on the days that other tests left behind.
  daysMade: expect.any(Number),
  daysDropped: expect.any(Number),
  eventsLogged: 0,
  eventsDeleted: 0,
  jobsDeleted: 0,
  notificationsDeleted: 0,
  issuesDeleted: 0,
  rejectionsDeleted: 0,
  shiftsDeleted: 0,
  figuresDeleted: 0,
  hoursDeleted: 0,
  operationsDeleted: 0,
  countsDeleted: 0,
  sessionsDeleted: 0,
};

describe.each(featureEngines)("the periodic reading on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  const open = async (options: OrganisationOptions = {}) => {
    const timing = { reconcileMs: 200, ...options.timing };
    organisation = await startOrganisation(database(), { ...options, timing });
  };
  afterEach(() => organisation.close());

  /** Counts the readings of the provider's shifts from now on. */
  const readings = () => {
    const counted = { count: 0 };
    organisation.onTheWay = async ({ method, path }, pass) => {
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
    ok(await organisation.operations.listEvents({ params: { query: { shiftId } } })).items;

  it("applies changes that no event announced", async () => {
    await open();
    const { shiftId, traceId } = await organisation.open({ positions: 1 });
    organisation.provider.updateShift(shiftId, { positions: 4 });
    await expect.poll(() => organisation.job(shiftId)).toMatchObject({ positions: 4 });
    expect(await organisation.verdicts(traceId ?? "")).toContain("job: job_updated");
    expect(await eventsOf(shiftId)).toHaveLength(1);
  });

  it("records no event, trace, or notification when nothing changed", async () => {
    await open();
    await organisation.addPerson();
    const { shiftId } = await organisation.open();
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

  it("skips cancelled jobs and suspended integrations", async () => {
    await open();
    const { jobId } = await organisation.open();
    const path = { providerId: organisation.providerId };
    ok(await organisation.operations.suspendIntegration({ params: { path } }));
    await organisation.idle();
    const counted = readings();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(counted.count).toBe(0);
    ok(await organisation.operations.activateIntegration({ params: { path } }));
    await severalMore(counted);
    ok(await organisation.operations.cancelJob({ params: { path: { jobId } } }));
    await organisation.idle();
    counted.count = 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(counted.count).toBe(0);
  });

  const died = async () => {
    const { shiftId } = organisation.provider.createShift();
    organisation.provider.setFault("error-500", { operations: ["getShift"] });
    await organisation.send("shift.create", shiftId);
    await expect.poll(() => eventsOf(shiftId)).toMatchObject([{ status: "dead" }]);
    expect(await organisation.issueCodes()).toContain("provider_gave_no_answer");
    organisation.provider.clearFaults();
    return shiftId;
  };

  it("reads failed shifts each hour", async () => {
    await open({ retries: { tries: 3 }, timing: { hourlyMs: 500 } });
    const shiftId = await died();
    await expect
      .poll(() => eventsOf(shiftId))
      .toMatchObject([{ status: "processed", verdict: { code: "job_created" } }]);
    expect(await organisation.issueCodes()).toEqual([]);
  });

  it("reads failed shifts once the provider responds again", async () => {
    const calls = { perMinute: 0, failures: 2, opensForMs: 100, opensAtMostMs: 200 };
    await open({ retries: { tries: 3 }, calls });
    const shiftId = await died();
    const discover = async () => {
      await organisation.operations.discoverIntegration({
        params: { path: { providerId: organisation.providerId } },
      });
      return eventsOf(shiftId);
    };
    await expect.poll(discover).toMatchObject([{ status: "processed", verdict: { code: "job_created" } }]);
    await expect.poll(organisation.issueCodes).toEqual([]);
  });
});

describe.each(featureEngines)("the upkeep on %s", (engine) => {
  const database = useEngine(engine);
  let clock = 0;
  beforeEach(() => {
    clock = Date.now();
  });

  /** The upkeep needs nothing else. */
  const deps = (rest: Partial<Deps> = {}) => depsFor(database(), { now: () => new Date(clock), ...rest });
  const round = () => createUpkeep(deps()).run();

  const idOf = (ageMs: number) => createIdGenerator({ now: () => clock - ageMs })();
  const provider_id = randomUUID();
  const eventOf = (status: EventStatus, ageMs: number) => ({
    event_id: idOf(ageMs),
    provider_id,
    event: "shift.create",
    shift_id: "s",
    trace_id: randomUUID(),
    status,
    received_at: new Date(clock - ageMs),
  });
  const store = (events: readonly ReturnType<typeof eventOf>[]) =>
    database()
      .kysely.insertInto("events")
      .values([...events])
      .execute();
  const idsIn = async (table: "events" | "event_log" | "all_events") => {
    const rows = await database().kysely.selectFrom(table).select("event_id").orderBy("event_id").execute();
    return rows.map(({ event_id }) => event_id);
  };
  const sorted = (events: readonly { event_id: string }[]) => events.map(({ event_id }) => event_id).sort();

  it("moves ended events into the event log in batches, and deletes old ones", async () => {
    const logged = Array.from({ length: 1_200 }, (_, nth) =>
      eventOf("processed", 5 * DAY_MS + nth * MINUTE_MS),
    );
    const alsoLogged = [eventOf("ignored", 4 * DAY_MS + 61_000), eventOf("skipped_echo", 30 * DAY_MS - 1)];
    const stay = [
      eventOf("queued", 400 * DAY_MS),
      eventOf("dead", 400 * DAY_MS),
      eventOf("failed", 29 * DAY_MS),
    ];
    const young = [eventOf("processed", 4 * DAY_MS - 1)];
    const gone = (["processed", "ignored", "failed"] as const).map((status) => eventOf(status, 31 * DAY_MS));
    await store([...logged, ...alsoLogged, ...stay, ...young, ...gone]);
    expect(await round()).toEqual({ ...NOTHING, eventsLogged: 1_202, eventsDeleted: 3 });
    expect(await idsIn("events")).toEqual(sorted([...stay, ...young]));
    expect(await idsIn("event_log")).toEqual(sorted([...logged, ...alsoLogged]));
    expect(await idsIn("all_events")).toHaveLength(1_206);
    expect(await round()).toEqual(NOTHING);
  });

  it("drops the partitions of old events and steps, and creates those of coming days", async () => {
    const { kysely } = database();
    const old = [eventOf("processed", 29 * DAY_MS), eventOf("processed", 5 * DAY_MS)];
    await store(old);
    expect(await round()).toMatchObject({ eventsLogged: 2 });
    const step = { step_id: newId(), provider_id, trace_id: "t", step: "event", code: "requeued" } as const;
    const steps = [0, 1, 2].map((days) => ({
      ...step,
      step_id: newId(),
      at: new Date(clock + days * DAY_MS),
    }));
    await kysely.insertInto("trace_steps").values(steps).execute();
    const rest = await sql`select from trace_steps_rest`.execute(kysely);
    expect(rest.rows).toEqual([]);
    clock += 20 * DAY_MS;
    expect(await round()).toMatchObject({ eventsLogged: 0 });
    expect(await idsIn("event_log")).toEqual([old[1]?.event_id]);
    expect(await kysely.selectFrom("trace_steps").select("step_id").execute()).toHaveLength(3);
    clock += 12 * DAY_MS;
    expect((await round()).daysDropped).toBeGreaterThan(10);
    expect(await kysely.selectFrom("trace_steps").select("step_id").execute()).toHaveLength(1);
    expect(await idsIn("event_log")).toEqual([]);
  });

  it("moves steps that were written before their day had a partition into it, and drops them with it", async () => {
    const { kysely } = database();
    await round();
    clock += 10 * DAY_MS;
    const step = { provider_id, trace_id: "late", step: "event", code: "requeued" } as const;
    const steps = [0, 1, 1].map((days) => ({
      ...step,
      step_id: newId(),
      at: new Date(clock + days * DAY_MS),
    }));
    await kysely.insertInto("trace_steps").values(steps).execute();
    const unplaced = async () => (await sql`select from trace_steps_rest`.execute(kysely)).rows.length;
    expect(await unplaced()).toBe(3);
    clock += 3 * DAY_MS;
    expect((await round()).daysMade).toBeGreaterThan(7);
    expect(await unplaced()).toBe(0);
    const stored = () =>
      kysely.selectFrom("trace_steps").select("step_id").where("trace_id", "=", "late").execute();
    expect(await stored()).toHaveLength(3);
    clock += 30 * DAY_MS;
    await round();
    expect(await stored()).toEqual([]);
  });

  it("keeps everything for the configured number of days", async () => {
    const events = [
      eventOf("processed", 39 * DAY_MS),
      eventOf("failed", 39 * DAY_MS),
      eventOf("failed", 41 * DAY_MS),
    ];
    await store(events);
    const report = await createUpkeep(deps(), { retention: { events: 40 } }).run();
    expect(report).toMatchObject({ eventsLogged: 1, eventsDeleted: 1 });
    expect(await idsIn("all_events")).toEqual(sorted(events.slice(0, 2)));
  });

  it("deletes old jobs with everything that belongs to them, except unsettled ones", async () => {
    const { kysely } = database();
    const integration = { kind: "probe", name: "n", base_url: "https://example.com", provider_token: "t" };
    await kysely
      .insertInto("integrations")
      .values({ provider_id, ...integration })
      .execute();
    const candidate_id = randomUUID();
    const person = { first_name: "A", last_name: "B", email: "e", phone: "p" };
    await kysely
      .insertInto("candidates")
      .values({ candidate_id, ...person })
      .execute();
    const jobOf = (ageMs: number) => ({
      ...({ provider_id, job_id: newId(), shift_id: randomUUID(), status: "expired", variant: "a" } as const),
      start_time: new Date(clock - ageMs - HOUR_MS),
      end_time: new Date(clock - ageMs),
      positions: 1,
      outlet_id: "o",
      role_id: "r",
      trace_id: "t",
    });
    // The first is settled, the next in doubt, the next due, and the last too young.
    const jobs = [731, 731, 731, 729].map((days) => jobOf(days * DAY_MS));
    await kysely.insertInto("jobs").values(jobs).execute();
    const bookingOf = (job_id = "", at_provider: "no" | "maybe" = "no") => ({
      ...({
        provider_id,
        booking_id: newId(),
        job_id,
        candidate_id,
        status: "released",
        trace_id: "t",
      } as const),
      at_provider,
    });
    await kysely
      .insertInto("bookings")
      .values([bookingOf(jobs[0]?.job_id), bookingOf(jobs[1]?.job_id, "maybe"), bookingOf(jobs[3]?.job_id)])
      .execute();
    await kysely
      .insertInto("notifications")
      .values(
        jobs.map(({ job_id }) => ({
          ...({ provider_id, notification_id: newId(), candidate_id, job_id, kind: "job_offered" } as const),
          change_key: "k",
          content: "{}",
          trace_id: "t",
          created_at: new Date(clock),
        })),
      )
      .execute();
    await kysely
      .insertInto("shifts")
      .values(jobs.map(({ shift_id }) => ({ provider_id, shift_id })))
      .execute();
    const work = { provider_id, kind: "shift" as const, key: jobs[2]?.shift_id ?? "", priority: 2 };
    await kysely.insertInto("work").values(work).execute();
    expect(await round()).toEqual({ ...NOTHING, jobsDeleted: 1 });
    const left = jobs.slice(1).map(({ job_id }) => job_id);
    for (const table of ["jobs", "notifications"] as const) {
      const rows = await kysely.selectFrom(table).select("job_id").orderBy("job_id").execute();
      expect(rows.map(({ job_id }) => job_id)).toEqual([...left].sort());
    }
    expect(await kysely.selectFrom("shifts").selectAll().execute()).toHaveLength(3);
    expect(await kysely.selectFrom("bookings").selectAll().execute()).toHaveLength(2);
  });

  it("deletes notifications of past shifts before their jobs, and keeps those of later shifts", async () => {
    const { kysely } = database();
    const age = RETENTION.notifications * DAY_MS;
    const integration = { kind: "probe", name: "n", base_url: "https://example.com", provider_token: "t" };
    await kysely
      .insertInto("integrations")
      .values({ provider_id, ...integration })
      .execute();
    const candidate_id = randomUUID();
    const person = { first_name: "A", last_name: "B", email: "e", phone: "p" };
    await kysely
      .insertInto("candidates")
      .values({ candidate_id, ...person })
      .execute();
    const jobOf = (endAgeMs: number) => ({
      ...({ provider_id, job_id: newId(), shift_id: newId(), status: "expired", variant: "a" } as const),
      start_time: new Date(clock - endAgeMs - HOUR_MS),
      end_time: new Date(clock - endAgeMs),
      positions: 1,
      outlet_id: "o",
      role_id: "r",
      trace_id: "t",
    });
    const [over, later] = [jobOf(age + HOUR_MS), jobOf(age - HOUR_MS)];
    await kysely.insertInto("jobs").values([over, later]).execute();
    const notification = ({ job_id }: { job_id: string }, ageMs: number) => ({
      ...({ provider_id, candidate_id, job_id, kind: "job_offered" } as const),
      notification_id: createIdGenerator({ now: () => clock - ageMs })(),
      change_key: newId(),
      content: "{}",
      trace_id: "t",
      created_at: new Date(clock - ageMs),
    });
    const [old, ...kept] = [
      notification(over, age + 2 * HOUR_MS),
      notification(over, age - 1),
      notification(later, age + 2 * HOUR_MS),
    ];
    await kysely
      .insertInto("notifications")
      .values([old, ...kept])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, notificationsDeleted: 1 });
    const left = await kysely.selectFrom("notifications").select("notification_id").execute();
    expect(left.map((row) => row.notification_id).sort()).toEqual(
      kept.map((row) => row.notification_id).sort(),
    );
    expect(await kysely.selectFrom("jobs").select("job_id").execute()).toHaveLength(2);
  });

  it("deletes figures that are too old to be queried", async () => {
    const { kysely } = database();
    const provider_id = randomUUID();
    const figure = (age: number, nth: number) => ({
      minute: new Date(clock - age),
      name: `n${nth}`,
      provider_id,
      value: 1,
    });
    const old = Array.from({ length: 1_200 }, (_, nth) => figure(7 * DAY_MS + 1, nth));
    await kysely
      .insertInto("figures")
      .values([...old, figure(7 * DAY_MS, 0), figure(0, 0)])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, figuresDeleted: 1_200 });
    const left = await kysely.selectFrom("figures").select("minute").orderBy("minute").execute();
    expect(left.map(({ minute }) => minute.getTime())).toEqual([clock - 7 * DAY_MS, clock]);
    expect(await round()).toEqual(NOTHING);
  });

  it("deletes old resolved issues, and no open ones", async () => {
    const { kysely } = database();
    const issue = (resolvedAgeMs?: number) => ({
      ...({
        issue_id: newId(),
        provider_id,
        code: "provider_quiet",
        first_at: new Date(0),
        last_at: new Date(0),
      } as const),
      subject: JSON.stringify({ kind: "provider", id: newId() }),
      trace_id: null,
      resolved_at: resolvedAgeMs === undefined ? null : new Date(clock - resolvedAgeMs),
    });
    const age = RETENTION.issues * DAY_MS;
    const [old, young, open] = [issue(age + 1), issue(age), issue()];
    await kysely.insertInto("issues").values([old, young, open]).execute();
    expect(await round()).toEqual({ ...NOTHING, issuesDeleted: 1 });
    const left = await kysely.selectFrom("issues").select("issue_id").orderBy("issue_id").execute();
    expect(left).toEqual([{ issue_id: young.issue_id }, { issue_id: open.issue_id }]);
  });

  it("deletes tombstones of shifts without a job, unless a reading is planned", async () => {
    const { kysely } = database();
    const shift = (goneAgeMs: number, next_read_at: Date | null = null) => ({
      provider_id,
      shift_id: newId(),
      missing_since: new Date(clock - goneAgeMs),
      next_read_at,
    });
    const age = RETENTION.jobs * DAY_MS;
    const [old, due, young] = [shift(age + 1), shift(age + 1, new Date(clock)), shift(age)];
    await kysely.insertInto("shifts").values([old, due, young]).execute();
    expect(await round()).toEqual({ ...NOTHING, shiftsDeleted: 1 });
    const left = await kysely.selectFrom("shifts").select("shift_id").orderBy("shift_id").execute();
    expect(left).toEqual([{ shift_id: due.shift_id }, { shift_id: young.shift_id }]);
  });

  it("deletes hourly figures once no rhythm is compared with them", async () => {
    const { kysely } = database();
    const figure = (ageMs: number) => ({ name: "webhooks", hour: new Date(clock - ageMs), value: 1 });
    await kysely
      .insertInto("hourly_figures")
      .values([figure(35 * DAY_MS + 1), figure(35 * DAY_MS)])
      .execute();
    expect(await round()).toMatchObject({ hoursDeleted: 1 });
    const left = await kysely
      .selectFrom("hourly_figures")
      .select("hour")
      .where("name", "=", "webhooks")
      .execute();
    expect(left).toEqual([{ hour: new Date(clock - 35 * DAY_MS) }]);
  });

  it("deletes webhook counts that are an hour old", async () => {
    const { kysely } = database();
    const count = (age: number) => ({ provider_id: randomUUID(), minute: new Date(clock - age), count: 7 });
    await kysely
      .insertInto("webhook_counts")
      .values([count(HOUR_MS + 1), count(HOUR_MS), count(0)])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, countsDeleted: 1 });
    expect(await kysely.selectFrom("webhook_counts").select("minute").execute()).toHaveLength(2);
  });

  it("deletes sessions that have ended by their time", async () => {
    const { kysely } = database();
    const session = (createdAgo: number, usedAgo: number) => ({
      session_hash: randomUUID(),
      token_hash: null,
      created_at: new Date(clock - createdAgo),
      used_at: new Date(clock - usedAgo),
    });
    const kept = session(7 * DAY_MS, 12 * HOUR_MS);
    await kysely
      .insertInto("console_sessions")
      .values([session(7 * DAY_MS + 1, 0), session(DAY_MS, 12 * HOUR_MS + 1), kept])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, sessionsDeleted: 2 });
    const left = await kysely.selectFrom("console_sessions").select("session_hash").execute();
    expect(left).toEqual([{ session_hash: kept.session_hash }]);
  });

  it("deletes operations whose echo is no longer expected, and none that waits for the provider", async () => {
    const { kysely } = database();
    const provider_id = randomUUID();
    const integration = { kind: "probe", name: "n", base_url: "https://example.com", provider_token: "t" };
    await kysely
      .insertInto("integrations")
      .values({ provider_id, ...integration })
      .execute();
    const operation = (ageMs: number, confirmed: boolean) => ({
      operation_id: newId(),
      operation: "delete" as const,
      provider_id,
      shift_id: randomUUID(),
      trace_id: "t",
      expires_at: new Date(clock - ageMs),
      ...(confirmed && { confirmed_at: new Date(clock - DAY_MS) }),
    });
    const stay = [operation(DAY_MS, false), operation(-1, true)];
    await kysely
      .insertInto("pending_operations")
      .values([operation(1, true), ...stay])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, operationsDeleted: 1 });
    const left = await kysely.selectFrom("pending_operations").select("operation_id").execute();
    const ids = (rows: readonly { operation_id: string }[]) => rows.map((row) => row.operation_id).sort();
    expect(ids(left)).toEqual(ids(stay));
  });

  it("continues with the other steps when one fails", async () => {
    const log = { ...silent, error: vi.fn(), info: vi.fn() };
    const minute = new Date(clock - 8 * DAY_MS);
    await database()
      .kysely.insertInto("figures")
      .values({ minute, name: "n", provider_id: randomUUID(), value: 1 })
      .execute();
    const { now } = deps();
    const failing = vi.fn(now).mockImplementationOnce(() => {
      throw new Error("no clock");
    });
    const report = await createUpkeep(deps({ log, now: failing })).run();
    expect(report).toEqual({ ...NOTHING, figuresDeleted: 1 });
    expect(log.error).toHaveBeenCalledOnce();
  });

  it("runs at intervals until it is stopped", async () => {
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
