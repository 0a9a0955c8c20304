import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { SIGNALS } from "../../../src/platform/db/signals.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const isAssign = (path: string) => path.includes("/assign/");
const isUnassign = (path: string) => path.includes("/unassign/");

describe.each(featureEngines)("a withdrawal on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  /** The candidate withdraws while the provider assigns. */
  const withdrawnMeanwhile = (seat: { jobId: string; candidateId: string }) => {
    const withdrawn = Promise.withResolvers<unknown>();
    shop.onTheWay = async ({ path }, pass) => {
      await pass();
      if (!isAssign(path)) return;
      withdrawn.resolve(shop.withdraw(seat));
      const isWithdrawing = async () => (await shop.job(seat.jobId)).bookings[0]?.withdrawing;
      await expect.poll(isWithdrawing).toBe(true);
    };
    return withdrawn.promise;
  };
  const kinds = async (job: Job) => (await shop.notificationsOf(job)).map(({ kind }) => kind);

  it("before the confirmation notifies only of the release", async () => {
    const candidateId = await shop.addPerson(60);
    const job = await shop.open();
    const seat = { jobId: job.jobId, candidateId };
    const withdrawn = withdrawnMeanwhile(seat);
    await shop.accept(seat);
    expect(await withdrawn).toEqual({ status: 204 });
    await shop.idle();
    const { bookings } = await shop.job(job.jobId);
    expect(bookings).toMatchObject([{ status: "released", reason: "withdrawn" }]);
    expect(shop.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect(await kinds(job)).toEqual(["job_offered", "booking_released"]);
  });

  it("that the provider refuses leaves the person booked and notified", async () => {
    const candidateId = await shop.addPerson(61);
    const job = await shop.open();
    const seat = { jobId: job.jobId, candidateId };
    const withdrawn = withdrawnMeanwhile(seat);
    shop.provider.setFault("unassign-not-successful");
    await shop.accept(seat);
    await withdrawn;
    await shop.idle();
    expect((await shop.job(job.jobId)).bookings).toMatchObject([{ status: "confirmed" }]);
    expect(await kinds(job)).toEqual(["job_offered", "booking_confirmed"]);
  });

  /** As after a gap of the database's LISTEN: every request that waits reads again. */
  const wakeAll = () =>
    sql`select pg_notify(${SIGNALS}, 'booking:' || booking_id) from bookings`.execute(database().kysely);

  it.each([
    ["a withdrawal", isUnassign, 204],
    ["an accept", isAssign, 201],
  ] as const)("leaves %s waiting until the provider responds", async (what, isHeld, status) => {
    const [job, candidateId] = [await shop.open(), await shop.addPerson(62)];
    const seat = { jobId: job.jobId, candidateId };
    if (what === "a withdrawal") await shop.accept(seat);
    const [asked, responds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shop.onTheWay = async ({ path }, pass) => {
      if (isHeld(path)) {
        asked.resolve();
        await responds.promise;
      }
      await pass();
    };
    const request = what === "a withdrawal" ? shop.withdraw(seat) : shop.accept(seat);
    await asked.promise;
    await wakeAll();
    const other = shop.job(job.jobId).then(() => "another request was answered first");
    expect(await Promise.race([request, other])).toBe("another request was answered first");
    responds.resolve();
    expect(await request).toMatchObject({ status });
  });
});
