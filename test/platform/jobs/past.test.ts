import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { SIGNALS } from "../../../src/platform/db/signals.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

describe.each(featureEngines)("a past job on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  /** How far the platform's clock is ahead. Milliseconds. */
  let aheadMs = 0;
  const open = async (options: OrganisationOptions = {}) => {
    aheadMs = 0;
    organisation = await startOrganisation(database(), {
      now: () => new Date(Date.now() + aheadMs),
      ...options,
    });
  };
  afterEach(() => organisation.close());

  const itIs = (time: string, plusMs = 0) => {
    aheadMs = Date.parse(time) + plusMs - Date.now();
  };
  const cancel = async ({ jobId }: Job) => {
    const { response, error } = await organisation.operations.cancelJob({ params: { path: { jobId } } });
    await organisation.idle();
    return [response.status, error?.code];
  };
  const book = async () => {
    const { candidateId } = await organisation.addPerson();
    const job = await organisation.open({ positions: 2 });
    expect(await organisation.accept(job, { candidateId })).toMatchObject({ code: "confirmed" });
    return { job, candidateId };
  };
  /** The event is read shortly before the start, which the worker then waits for, unless `readMs` says how long after it. */
  const start = async (job: Job, readMs = -500) => {
    itIs(job.startTime, readMs);
    await organisation.process("shift.update", job.shiftId);
    await expect.poll(async () => (await organisation.job(job.shiftId)).status).toBe("expired");
  };

  it.each([
    ["one candidate booked", 1, -500],
    ["no one booked, although it is read only then", 0, 500],
  ])("expires once when its shift starts, with %s", async (_, booked, readMs) => {
    await open();
    const job = booked > 0 ? (await book()).job : await organisation.open();
    await start(job, readMs);
    await organisation.idle();
    const expired = (await organisation.steps(job.traceId ?? "")).filter(
      ({ verdict }) => verdict.code === "job_expired",
    );
    expect(expired).toMatchObject([{ step: "job", verdict: { params: { jobStatus: "open" } } }]);
    const { candidateId } = await organisation.addPerson();
    expect(await organisation.accept(job, { candidateId })).toEqual({ status: 409, code: "job_not_open" });
  });

  it("is not cancelled once it has started", async () => {
    await open();
    const job = await organisation.open();
    itIs(job.startTime);
    expect(await cancel(job)).toEqual([409, "job_not_open"]);
    expect(organisation.provider.shift(job.shiftId)).toMatchObject({ cancelled: false });
    const rows = await database().kysely.selectFrom("pendingOperations").selectAll().execute();
    expect(rows).toEqual([]);
  });

  it("keeps its bookings once it has started", async () => {
    await open();
    const { job, candidateId } = await book();
    itIs(job.startTime);
    expect(await organisation.withdraw(job, { candidateId })).toEqual({ status: 409, code: "job_not_open" });
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(1);
  });

  it("accepts another cancellation, which changes nothing", async () => {
    await open();
    const job = await organisation.open();
    expect(await cancel(job)).toEqual([202, undefined]);
    itIs(job.endTime);
    expect(await cancel(job)).toEqual([202, undefined]);
  });
});

const isAssign = (path: string) => path.includes("/assign/");
const isUnassign = (path: string) => path.includes("/unassign/");

describe.each(featureEngines)("a withdrawal on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  /** The candidate withdraws while the provider assigns. */
  const withdrawnMeanwhile = (seat: { shiftId: string; jobId: string; candidateId: string }) => {
    const withdrawn = Promise.withResolvers<unknown>();
    organisation.onTheWay = async ({ path }, pass) => {
      await pass();
      if (!isAssign(path)) return;
      withdrawn.resolve(organisation.withdraw(seat, seat));
      const isWithdrawing = async () => (await organisation.job(seat.shiftId)).bookings[0]?.withdrawing;
      await expect.poll(isWithdrawing).toBe(true);
    };
    return withdrawn.promise;
  };
  const kinds = async (job: Job) => (await organisation.notifications(job)).map(({ kind }) => kind);

  it("before the confirmation notifies the person of the release only", async () => {
    const { candidateId } = await organisation.addPerson();
    const job = await organisation.open();
    const seat = { ...job, candidateId };
    const withdrawn = withdrawnMeanwhile(seat);
    await organisation.accept(seat, seat);
    expect(await withdrawn).toEqual({ status: 204 });
    await organisation.idle();
    const { bookings } = await organisation.job(job.shiftId);
    expect(bookings).toMatchObject([{ status: "released", reason: "withdrawn" }]);
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect(await kinds(job)).toEqual(["job_offered", "booking_released"]);
  });

  /** As after a gap of the database's LISTEN: every request that waits reads again. */
  const wakeAll = () =>
    sql`select pg_notify(${SIGNALS}, 'booking:' || booking_id) from bookings`.execute(database().kysely);

  it.each([
    ["a withdrawal", isUnassign, 204],
    ["an accept", isAssign, 201],
  ] as const)("leaves %s waiting as long as the provider has not responded", async (what, isHeld, status) => {
    const [job, { candidateId }] = [await organisation.open(), await organisation.addPerson()];
    const seat = { ...job, candidateId };
    if (what === "a withdrawal") await organisation.accept(seat, seat);
    const [asked, responds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    organisation.onTheWay = async ({ path }, pass) => {
      if (isHeld(path)) {
        asked.resolve();
        await responds.promise;
      }
      await pass();
    };
    const request =
      what === "a withdrawal" ? organisation.withdraw(seat, seat) : organisation.accept(seat, seat);
    await asked.promise;
    await wakeAll();
    const other = organisation.job(job.shiftId).then(() => "another request was answered first");
    expect(await Promise.race([request, other])).toBe("another request was answered first");
    responds.resolve();
    expect(await request).toMatchObject({ status });
  });
});
