import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { previewReplay } from "../../../src/platform/inbox/preview.ts";
import { replayEvent } from "../../../src/platform/inbox/replay.ts";
import { changesBetween, readJobState } from "../../../src/platform/jobs/changes.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const HOUR = 3_600_000;
/** What the queue itself writes down every second. */
const BOOKKEEPING = /^pgboss\.(?:queue|version) /;
const later = (time: string) => new Date(Date.parse(time) + HOUR).toISOString();

/** What happens at the provider without a word to the platform. */
const CASES: [string, (workshop: Workshop, job: Job) => void][] = [
  ["nothing", () => undefined],
  ["more positions", ({ provider }, { shiftId }) => void provider.updateShift(shiftId, { positions: 5 })],
  ["too few positions", ({ provider }, { shiftId }) => void provider.updateShift(shiftId, { positions: 0 })],
  [
    "other times",
    ({ provider }, { shiftId, endTime }) => void provider.updateShift(shiftId, { endTime: later(endTime) }),
  ],
  [
    "an outlet that nobody knows",
    ({ provider }, { shiftId }) => void provider.updateShift(shiftId, { outletId: "elsewhere" }),
  ],
  ["a deletion", ({ provider }, { shiftId }) => void provider.deleteShift(shiftId)],
  ["times that cannot be", ({ provider }) => provider.setFault("end-before-start", { times: 2 })],
];

describe.each(featureEngines)("the preview of a replay on %s", (engine) => {
  const database = useEngine(engine);
  let workshop: Workshop;
  beforeEach(async () => {
    workshop = await openWorkshop(database());
  });
  afterEach(() => workshop.close());

  const eventOf = (shift_id: string) =>
    database()
      .kysely.selectFrom("events")
      .selectAll()
      .where("shift_id", "=", shift_id)
      .orderBy("event_id", "desc")
      .executeTakeFirstOrThrow();
  const rowsNow = async () =>
    (await workshop.dump())
      .split("\n")
      .filter((row) => !BOOKKEEPING.test(row))
      .sort();
  const processAll = async () => {
    const { deps } = workshop;
    await createDispatcher({ db: database(), queue: deps.queue, log: silent }).run();
    await deps.queue.idle();
  };

  it.each(CASES)("of %s writes nothing and says what the replay then does", async (_name, happen) => {
    const { deps, open, addPerson, operations } = workshop;
    const candidateId = await addPerson(0);
    const job = await open({ positions: 2 });
    await operations.acceptJob({ params: { path: { jobId: job.jobId } }, body: { candidateId } });
    await deps.queue.idle();
    happen(workshop, job);
    const { event_id } = await eventOf(job.shiftId);
    const shift = { provider_id: job.providerId, shift_id: job.shiftId };

    const before = await readJobState(database().kysely, shift);
    const rows = await rowsNow();
    const foreseen = await previewReplay(deps, event_id);
    expect(await rowsNow()).toEqual(rows);

    expect(await replayEvent(deps, event_id)).toBe(1);
    await processAll();
    const after = await readJobState(database().kysely, shift);
    expect(foreseen.changes).toEqual(changesBetween(before, after));
    const { status, verdict } = await eventOf(job.shiftId);
    expect(foreseen.verdict).toContain(`It would end as ${status}: ${verdict?.replace(/\.$/, "")}.`);
  });

  it("and the replay of an echo use up no pending cancellation", async () => {
    const { kysely } = database();
    const { deps, open, provider } = workshop;
    const { shiftId, jobId } = await open();
    await workshop.operations.cancelJob({ params: { path: { jobId } } });
    await deps.queue.idle();
    await workshop.send("shift.delete", shiftId);
    const event = await eventOf(shiftId);
    expect(event.status).toBe("skipped_echo");
    const operation = { operation_id: deps.newId(), operation: "delete", trace_id: "t" } as const;
    await kysely
      .insertInto("pending_operations")
      .values({
        ...operation,
        provider_id: provider.providerId,
        shift_id: shiftId,
        expires_at: new Date(Date.now() + HOUR),
      })
      .execute();
    expect((await previewReplay(deps, event.event_id)).changes).toEqual([]);
    await replayEvent(deps, event.event_id);
    await processAll();
    expect((await eventOf(shiftId)).status).toBe("processed");
    const left = await kysely
      .selectFrom("pending_operations")
      .selectAll()
      .where("operation_id", "=", operation.operation_id)
      .executeTakeFirstOrThrow();
    expect(left.consumed_at).toBeNull();
  });
});
