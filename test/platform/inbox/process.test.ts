import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { requestCancellation } from "../../../src/platform/cancellations/cancel.ts";
import { forgetDelete } from "../../../src/platform/cancellations/pending.ts";
import { newId } from "../../../src/platform/ids.ts";
import { eventTasks } from "../../../src/platform/inbox/process.ts";
import { replayEvent } from "../../../src/platform/inbox/replay.ts";
import type { TaskEnd } from "../../../src/platform/queue/task.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

describe.each(featureEngines)("the task of an event, on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  const eventOf = (eventId: string) =>
    database()
      .kysely.selectFrom("events")
      .selectAll()
      .where("event_id", "=", eventId)
      .executeTakeFirstOrThrow();
  /** A `shift.delete` that is dispatched, and what its task would do. */
  const deletionOf = async ({ providerId, shiftId }: Job) => {
    const event = { event_id: newId(), event: "shift.delete", trace_id: randomUUID() };
    const row = { ...event, provider_id: providerId, shift_id: shiftId, dispatched_at: new Date() };
    await database().kysely.insertInto("events").values(row).execute();
    const eventId = row.event_id;
    const data = { eventId, providerId, event: row.event, shiftId, traceId: row.trace_id };
    const task = { id: eventId, data, attempt: 1 };
    return { eventId, work: () => eventTasks(shop.deps).work(task, new AbortController().signal) };
  };
  const write = (end: TaskEnd) =>
    database()
      .kysely.transaction()
      .execute(async (trx) => end.write?.(trx));
  /** The employer cancelled the job, and the provider has not answered yet. */
  const cancelling = async () => {
    const job = await shop.open();
    shop.provider.setFault("slow", { operations: ["cancelShift"] });
    await requestCancellation(shop.deps, job.jobId);
    return job;
  };

  it("skips an echo in the transaction in which it leaves the queue", async () => {
    const { eventId, work } = await deletionOf(await cancelling());
    const end = await work();
    expect(await eventOf(eventId)).toMatchObject({ status: "queued" });
    await write(end);
    expect(await eventOf(eventId)).toMatchObject({ status: "skipped_echo" });
  });

  it("comes again when the DELETE that it seemed to echo was refused in the meantime", async () => {
    const job = await cancelling();
    const { eventId, work } = await deletionOf(job);
    const end = await work();
    const operation = await database()
      .kysely.selectFrom("pending_operations")
      .selectAll()
      .executeTakeFirstOrThrow();
    await database()
      .kysely.transaction()
      .execute((trx) => forgetDelete(trx, operation));
    await write(end);
    await expect.poll(async () => (await eventOf(eventId)).status).toBe("ignored");
    expect(await eventOf(eventId)).toMatchObject({ verdict: expect.stringMatching(/still shows the shift/) });
  });

  it("leaves its event to the dispatcher that was replayed while the task still stood in the way", async () => {
    const job = await shop.open();
    const { eventId, work } = await deletionOf(job);
    await database()
      .kysely.updateTable("events")
      .set({ status: "processed" })
      .where("event_id", "=", eventId)
      .execute();
    const end = await work();
    await replayEvent(shop.deps, eventId);
    // The dispatcher marked it, and its insert was ignored.
    await database()
      .kysely.updateTable("events")
      .set({ dispatched_at: new Date() })
      .where("event_id", "=", eventId)
      .execute();
    await write(end);
    expect(await eventOf(eventId)).toMatchObject({ status: "queued", dispatched_at: null });
  });
});
