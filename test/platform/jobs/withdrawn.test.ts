import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { SIGNALS } from "../../../src/platform/db/signals.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

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
