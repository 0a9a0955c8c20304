import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { accept } from "../../../src/platform/bookings/accept.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { replayEvent } from "../../../src/platform/inbox/replay.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop, type WorkshopOptions } from "../workshop.ts";

const HOUR = 3_600_000;

describe.each(featureEngines)("a job that is past, on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  let now = new Date();
  const open = async (options: WorkshopOptions = {}) => {
    now = new Date();
    shop = await openWorkshop(database(), { now: () => now, ...options });
  };
  const reopen = async (options: WorkshopOptions) => {
    await shop.close();
    await open(options);
  };
  beforeEach(() => open());
  afterEach(() => shop.close());

  const told = async ({ jobId }: Job) => {
    const query = { jobId };
    const { data } = await shop.operations.listNotifications({ params: { query } });
    return data?.items.map(({ kind }) => kind).reverse();
  };
  const eventsOf = ({ shiftId }: Job) =>
    database()
      .kysely.selectFrom("events")
      .selectAll()
      .where("shift_id", "=", shiftId)
      .orderBy("event_id")
      .execute();
  const cancel = async ({ jobId }: Job) => {
    const { response, error } = await shop.operations.cancelJob({ params: { path: { jobId } } });
    await shop.deps.queue.idle();
    return [response.status, error?.code];
  };
  /** Somebody worked on it, and it is over. */
  const worked = async (nth: number) => {
    const job = await shop.open({ positions: 2 });
    const candidateId = await shop.addPerson(nth);
    await accept(shop.deps, { jobId: job.jobId, candidateId });
    await shop.deps.queue.idle();
    now = new Date(Date.parse(job.endTime));
    await createUpkeep(shop.deps, { onStored: () => undefined }).run();
    return job;
  };
  const asItWas = async (job: Job) => {
    expect(await shop.job(job.jobId)).toMatchObject({
      status: "expired",
      bookings: [{ status: "confirmed" }],
    });
    expect(await told(job)).toEqual(["job_offered", "booking_confirmed"]);
  };

  it("is not cancelled once it has started", async () => {
    const job = await shop.open();
    now = new Date(Date.parse(job.startTime));
    expect(await cancel(job)).toEqual([409, "job_not_open"]);
    expect(shop.provider.shift(job.shiftId)).toMatchObject({ cancelled: false });
    const rows = await database().kysely.selectFrom("pending_operations").selectAll().execute();
    expect(rows).toEqual([]);
  });

  it("may be cancelled once more, which changes nothing", async () => {
    const job = await shop.open();
    expect(await cancel(job)).toEqual([202, undefined]);
    now = new Date(Date.parse(job.endTime));
    expect(await cancel(job)).toEqual([202, undefined]);
  });

  it.each<[string, WorkshopOptions["dialect"]]>([
    ["404", { deleted: "404" }],
    ["410", { deleted: "410" }],
    ["its status", { variant: "b", deleted: "cancelled" }],
  ])("stays with those who worked when the provider deletes its shift (%s)", async (_, dialect) => {
    await reopen({ dialect });
    const job = await worked(70);
    shop.provider.deleteShift(job.shiftId);
    for (const event of ["shift.update", "shift.delete"]) {
      await shop.send(event, job.shiftId);
      await asItWas(job);
    }
    const events = await eventsOf(job);
    expect(events.map(({ status, verdict }) => [status, verdict])).toEqual([
      ["processed", "job created: open"],
      ["processed", "nothing changed: the shift is over"],
      ["processed", "nothing changed: the shift is over"],
    ]);
  });

  it("stays with those who worked when an event of it is replayed", async () => {
    const job = await worked(71);
    shop.provider.deleteShift(job.shiftId);
    const [created] = await eventsOf(job);
    await replayEvent(shop.deps, created?.event_id ?? "");
    await createDispatcher({ db: database(), queue: shop.deps.queue, log: silent }).run();
    await shop.deps.queue.idle();
    await asItWas(job);
  });

  it("takes over corrected times, of which those who worked are not told", async () => {
    const job = await worked(73);
    const endTime = new Date(Date.parse(job.endTime) - HOUR).toISOString();
    shop.provider.updateShift(job.shiftId, { endTime });
    await shop.send("shift.update", job.shiftId);
    expect(await shop.job(job.jobId)).toMatchObject({ endTime });
    await asItWas(job);
  });

  it("tells those who are booked when its shift is put off into the future", async () => {
    const job = await worked(74);
    const times = [job.startTime, job.endTime].map((time) =>
      new Date(Date.parse(time) + 48 * HOUR).toISOString(),
    );
    shop.provider.updateShift(job.shiftId, { startTime: times[0] ?? "", endTime: times[1] ?? "" });
    await shop.send("shift.update", job.shiftId);
    expect(await told(job)).toEqual(["job_offered", "booking_confirmed", "shift_changed"]);
  });

  it("is cancelled when it was asked for in time, and those who worked are left alone", async () => {
    const job = await shop.open();
    const candidateId = await shop.addPerson(75);
    await accept(shop.deps, { jobId: job.jobId, candidateId });
    await shop.deps.queue.idle();
    const { clientFor } = shop.deps;
    const [asked, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shop.deps.clientFor = (integration) => {
      const client = clientFor(integration);
      const cancelShift: typeof client.cancelShift = async (...call) => {
        asked.resolve();
        await answers.promise;
        return client.cancelShift(...call);
      };
      return { ...client, cancelShift };
    };
    const cancelled = cancel(job);
    await asked.promise;
    now = new Date(Date.parse(job.endTime));
    answers.resolve();
    expect(await cancelled).toEqual([202, undefined]);
    expect(await shop.job(job.jobId)).toMatchObject({
      status: "cancelled",
      bookings: [{ status: "confirmed" }],
    });
    expect(await told(job)).toEqual(["job_offered", "booking_confirmed"]);
  });
});
