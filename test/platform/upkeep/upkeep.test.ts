import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStatus } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import type { Deps } from "../../../src/platform/deps.ts";
import { createIdGenerator, newId } from "../../../src/platform/ids.ts";
import { RETENTION } from "../../../src/platform/settings.ts";
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
  operationsDeleted: 0,
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
        (["events", "traceSteps", "notifications", "issues"] as const).map((table) =>
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

  const upper = () => randomUUID().toUpperCase();
  const endsFirst = () => ({
    id: upper(),
    startTime: new Date(Date.now() + 2 * HOUR_MS).toISOString(),
    endTime: new Date(Date.now() + HOUR_MS).toISOString(),
  });
  it.each<[what: string, event: string, shiftId: () => string]>([
    ["of an unknown event", "shift.moved", upper],
    ["that the provider does not have", "shift.update", upper],
    ["that cannot be read", "shift.update", () => organisation.provider.createShift(endsFirst()).shiftId],
  ])("keeps no row for ever of a shift %s, whose id is in capital letters", async (_, event, shiftId) => {
    await open();
    const id = shiftId();
    const traceId = randomUUID();
    // The second is a repetition.
    for (const _ of [1, 2]) {
      await organisation.send(event, id, traceId);
      await organisation.idle();
    }
    const later = new Date(Date.now() + 2 * RETENTION.jobs * DAY_MS);
    await createUpkeep(depsFor(database(), { now: () => later })).run();
    const { rows } = await sql`select shift_id from shifts
      where provider_id = ${organisation.providerId} and shift_id = ${id.toLowerCase()}`.execute(
      database().kysely,
    );
    expect(rows).toEqual([]);
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
  const providerId = randomUUID();
  const eventOf = (status: EventStatus, ageMs: number) => ({
    eventId: idOf(ageMs),
    providerId,
    event: "shift.create",
    shiftId: "s",
    traceId: randomUUID(),
    status,
    receivedAt: new Date(clock - ageMs),
  });
  const store = (events: readonly ReturnType<typeof eventOf>[]) =>
    database()
      .kysely.insertInto("events")
      .values([...events])
      .execute();
  const idsIn = async (table: "events" | "eventLog" | "allEvents") => {
    const rows = await database().kysely.selectFrom(table).select("eventId").orderBy("eventId").execute();
    return rows.map(({ eventId }) => eventId);
  };
  const sorted = (events: readonly { eventId: string }[]) => events.map(({ eventId }) => eventId).sort();

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
    expect(await idsIn("eventLog")).toEqual(sorted([...logged, ...alsoLogged]));
    expect(await idsIn("allEvents")).toHaveLength(1_206);
    expect(await round()).toEqual(NOTHING);
  });

  it("drops the partitions of old events and steps, and creates those of coming days", async () => {
    const { kysely } = database();
    const old = [eventOf("processed", 29 * DAY_MS), eventOf("processed", 5 * DAY_MS)];
    await store(old);
    expect(await round()).toMatchObject({ eventsLogged: 2 });
    const step = { stepId: newId(), providerId, traceId: "t", step: "event", code: "requeued" } as const;
    const steps = [0, 1, 2].map((days) => ({
      ...step,
      stepId: newId(),
      at: new Date(clock + days * DAY_MS),
    }));
    await kysely.insertInto("traceSteps").values(steps).execute();
    const rest = await sql`select from trace_steps_rest`.execute(kysely);
    expect(rest.rows).toEqual([]);
    clock += 20 * DAY_MS;
    expect(await round()).toMatchObject({ eventsLogged: 0 });
    expect(await idsIn("eventLog")).toEqual([old[1]?.eventId]);
    expect(await kysely.selectFrom("traceSteps").select("stepId").execute()).toHaveLength(3);
    clock += 12 * DAY_MS;
    expect((await round()).daysDropped).toBeGreaterThan(10);
    expect(await kysely.selectFrom("traceSteps").select("stepId").execute()).toHaveLength(1);
    expect(await idsIn("eventLog")).toEqual([]);
  });

  it("moves steps that were written before their day had a partition into it, and drops them with it", async () => {
    const { kysely } = database();
    await round();
    clock += 10 * DAY_MS;
    const step = { providerId, traceId: "late", step: "event", code: "requeued" } as const;
    const steps = [0, 1, 1].map((days) => ({
      ...step,
      stepId: newId(),
      at: new Date(clock + days * DAY_MS),
    }));
    await kysely.insertInto("traceSteps").values(steps).execute();
    const unplaced = async () => (await sql`select from trace_steps_rest`.execute(kysely)).rows.length;
    expect(await unplaced()).toBe(3);
    clock += 3 * DAY_MS;
    expect((await round()).daysMade).toBeGreaterThan(7);
    expect(await unplaced()).toBe(0);
    const stored = () =>
      kysely.selectFrom("traceSteps").select("stepId").where("traceId", "=", "late").execute();
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
    expect(await idsIn("allEvents")).toEqual(sorted(events.slice(0, 2)));
  });

  it("deletes old jobs with everything that belongs to them, except unsettled ones", async () => {
    const { kysely } = database();
    const integration = { kind: "probe", name: "n", baseUrl: "https://example.com", providerToken: "t" };
    await kysely
      .insertInto("integrations")
      .values({ providerId, ...integration })
      .execute();
    const candidateId = randomUUID();
    const person = { firstName: "A", lastName: "B", email: "e", phone: "p" };
    await kysely
      .insertInto("candidates")
      .values({ candidateId, ...person })
      .execute();
    const jobOf = (ageMs: number) => ({
      ...({ providerId, jobId: newId(), shiftId: randomUUID(), status: "expired", variant: "a" } as const),
      startTime: new Date(clock - ageMs - HOUR_MS),
      endTime: new Date(clock - ageMs),
      positions: 1,
      outletId: "o",
      roleId: "r",
      traceId: "t",
    });
    // The first is settled, the next in doubt, the next due, and the last too young.
    const jobs = [731, 731, 731, 729].map((days) => jobOf(days * DAY_MS));
    await kysely.insertInto("jobs").values(jobs).execute();
    const bookingOf = (jobId = "", atProvider: "no" | "maybe" = "no") => ({
      ...({
        providerId,
        bookingId: newId(),
        jobId,
        candidateId,
        status: "released",
        traceId: "t",
      } as const),
      atProvider,
    });
    await kysely
      .insertInto("bookings")
      .values([bookingOf(jobs[0]?.jobId), bookingOf(jobs[1]?.jobId, "maybe"), bookingOf(jobs[3]?.jobId)])
      .execute();
    await kysely
      .insertInto("notifications")
      .values(
        jobs.map(({ jobId }) => ({
          ...({ providerId, notificationId: newId(), candidateId, jobId, kind: "job_offered" } as const),
          changeKey: "k",
          content: "{}",
          traceId: "t",
          createdAt: new Date(clock),
        })),
      )
      .execute();
    await kysely
      .insertInto("shifts")
      .values(jobs.map(({ shiftId }) => ({ providerId, shiftId })))
      .execute();
    const work = { providerId, kind: "shift" as const, key: jobs[2]?.shiftId ?? "", priority: 2 };
    await kysely.insertInto("work").values(work).execute();
    expect(await round()).toEqual({ ...NOTHING, jobsDeleted: 1 });
    const left = jobs.slice(1).map(({ jobId }) => jobId);
    for (const table of ["jobs", "notifications"] as const) {
      const rows = await kysely.selectFrom(table).select("jobId").orderBy("jobId").execute();
      expect(rows.map(({ jobId }) => jobId)).toEqual([...left].sort());
    }
    expect(await kysely.selectFrom("shifts").selectAll().execute()).toHaveLength(3);
    expect(await kysely.selectFrom("bookings").selectAll().execute()).toHaveLength(2);
  });

  it("deletes notifications of past shifts before their jobs, and keeps those of later shifts", async () => {
    const { kysely } = database();
    const age = RETENTION.notifications * DAY_MS;
    const integration = { kind: "probe", name: "n", baseUrl: "https://example.com", providerToken: "t" };
    await kysely
      .insertInto("integrations")
      .values({ providerId, ...integration })
      .execute();
    const candidateId = randomUUID();
    const person = { firstName: "A", lastName: "B", email: "e", phone: "p" };
    await kysely
      .insertInto("candidates")
      .values({ candidateId, ...person })
      .execute();
    const jobOf = (endAgeMs: number) => ({
      ...({ providerId, jobId: newId(), shiftId: newId(), status: "expired", variant: "a" } as const),
      startTime: new Date(clock - endAgeMs - HOUR_MS),
      endTime: new Date(clock - endAgeMs),
      positions: 1,
      outletId: "o",
      roleId: "r",
      traceId: "t",
    });
    const [over, later] = [jobOf(age + HOUR_MS), jobOf(age - HOUR_MS)];
    await kysely.insertInto("jobs").values([over, later]).execute();
    const notification = ({ jobId }: { jobId: string }, ageMs: number) => ({
      ...({ providerId, candidateId, jobId, kind: "job_offered" } as const),
      notificationId: createIdGenerator({ now: () => clock - ageMs })(),
      changeKey: newId(),
      content: "{}",
      traceId: "t",
      createdAt: new Date(clock - ageMs),
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
    const left = await kysely.selectFrom("notifications").select("notificationId").execute();
    expect(left.map((row) => row.notificationId).sort()).toEqual(
      kept.map((row) => row.notificationId).sort(),
    );
    expect(await kysely.selectFrom("jobs").select("jobId").execute()).toHaveLength(2);
  });

  it("deletes what counts refused webhooks as late as their events", async () => {
    const { kysely } = database();
    const ages = [RETENTION.events * DAY_MS + 1, RETENTION.events * DAY_MS - 1];
    const rows = ages.map((ageMs) => {
      const at = new Date(clock - ageMs);
      const cause = { code: "forbidden", pointer: "", count: 1 };
      return { providerId, rejectionId: idOf(ageMs), hour: at, lastAt: at, ...cause };
    });
    await kysely.insertInto("rejectedWebhooks").values(rows).execute();
    expect(await round()).toEqual({ ...NOTHING, rejectionsDeleted: 1 });
    const left = await kysely.selectFrom("rejectedWebhooks").select("rejectionId").execute();
    expect(left).toEqual([{ rejectionId: rows[1]?.rejectionId }]);
  });

  it("deletes figures that are too old to be queried", async () => {
    const { kysely } = database();
    const providerId = randomUUID();
    const figure = (age: number, nth: number) => ({
      minute: new Date(clock - age),
      name: `n${nth}`,
      providerId,
      value: 1,
    });
    const old = Array.from({ length: 1_200 }, (_, nth) => figure(11 * DAY_MS + 1, nth));
    await kysely
      .insertInto("figures")
      .values([...old, figure(11 * DAY_MS, 0), figure(0, 0)])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, figuresDeleted: 1_200 });
    const left = await kysely.selectFrom("figures").select("minute").orderBy("minute").execute();
    expect(left.map(({ minute }) => minute.getTime())).toEqual([clock - 11 * DAY_MS, clock]);
    expect(await round()).toEqual(NOTHING);
  });

  it("deletes old resolved issues, and no open ones", async () => {
    const { kysely } = database();
    const issue = (resolvedAgeMs?: number) => ({
      ...({
        issueId: newId(),
        providerId,
        code: "provider_quiet",
        firstAt: new Date(0),
        lastAt: new Date(0),
      } as const),
      subject: JSON.stringify({ kind: "provider", id: newId() }),
      traceId: null,
      resolvedAt: resolvedAgeMs === undefined ? null : new Date(clock - resolvedAgeMs),
    });
    const age = RETENTION.issues * DAY_MS;
    const [old, young, open] = [issue(age + 1), issue(age), issue()];
    await kysely.insertInto("issues").values([old, young, open]).execute();
    expect(await round()).toEqual({ ...NOTHING, issuesDeleted: 1 });
    const left = await kysely.selectFrom("issues").select("issueId").orderBy("issueId").execute();
    expect(left).toEqual([{ issueId: young.issueId }, { issueId: open.issueId }]);
  });

  it("deletes tombstones of shifts without a job, unless a reading is planned", async () => {
    const { kysely } = database();
    const shift = (goneAgeMs: number, nextReadAt: Date | null = null) => ({
      providerId,
      shiftId: newId(),
      missingSince: new Date(clock - goneAgeMs),
      nextReadAt,
    });
    const age = RETENTION.jobs * DAY_MS;
    const [old, due, young] = [shift(age + 1), shift(age + 1, new Date(clock)), shift(age)];
    await kysely.insertInto("shifts").values([old, due, young]).execute();
    expect(await round()).toEqual({ ...NOTHING, shiftsDeleted: 1 });
    const left = await kysely.selectFrom("shifts").select("shiftId").orderBy("shiftId").execute();
    expect(left).toEqual([{ shiftId: due.shiftId }, { shiftId: young.shiftId }]);
  });

  it("deletes sessions that have ended by their time", async () => {
    const { kysely } = database();
    const session = (createdAgo: number, usedAgo: number) => ({
      sessionHash: randomUUID(),
      tokenHash: null,
      createdAt: new Date(clock - createdAgo),
      usedAt: new Date(clock - usedAgo),
    });
    const kept = session(7 * DAY_MS, 12 * HOUR_MS);
    await kysely
      .insertInto("consoleSessions")
      .values([session(7 * DAY_MS + 1, 0), session(DAY_MS, 12 * HOUR_MS + 1), kept])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, sessionsDeleted: 2 });
    const left = await kysely.selectFrom("consoleSessions").select("sessionHash").execute();
    expect(left).toEqual([{ sessionHash: kept.sessionHash }]);
  });

  it("deletes operations whose echo is no longer expected, and none that waits for the provider", async () => {
    const { kysely } = database();
    const providerId = randomUUID();
    const integration = { kind: "probe", name: "n", baseUrl: "https://example.com", providerToken: "t" };
    await kysely
      .insertInto("integrations")
      .values({ providerId, ...integration })
      .execute();
    const operation = (ageMs: number, confirmed: boolean) => ({
      operationId: newId(),
      operation: "delete" as const,
      providerId,
      shiftId: randomUUID(),
      traceId: "t",
      expiresAt: new Date(clock - ageMs),
      ...(confirmed && { confirmedAt: new Date(clock - DAY_MS) }),
    });
    const stay = [operation(DAY_MS, false), operation(-1, true)];
    await kysely
      .insertInto("pendingOperations")
      .values([operation(1, true), ...stay])
      .execute();
    expect(await round()).toEqual({ ...NOTHING, operationsDeleted: 1 });
    const left = await kysely.selectFrom("pendingOperations").select("operationId").execute();
    const ids = (rows: readonly { operationId: string }[]) => rows.map((row) => row.operationId).sort();
    expect(ids(left)).toEqual(ids(stay));
  });

  it("continues with the other steps when one fails", async () => {
    const log = { ...silent, error: vi.fn(), info: vi.fn() };
    const minute = new Date(clock - 12 * DAY_MS);
    await database()
      .kysely.insertInto("figures")
      .values({ minute, name: "n", providerId: randomUUID(), value: 1 })
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
