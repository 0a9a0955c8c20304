import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { changeTexts } from "../../../src/console/events/change-text.ts";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { changesBetween, readSnapshot } from "../../../src/platform/jobs/snapshot.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const later = (time: string) => new Date(Date.parse(time) + HOUR_MS).toISOString();

/** What happens at the provider without a word to the platform. */
const CASES: [string, (organisation: StartedOrganisation, job: Job) => void][] = [
  [
    "other times",
    ({ provider }, { shiftId, endTime }) => void provider.updateShift(shiftId, { endTime: later(endTime) }),
  ],
  [
    "an unknown outlet",
    ({ provider }, { shiftId }) => void provider.updateShift(shiftId, { outletId: "elsewhere" }),
  ],
  ["a deletion", ({ provider }, { shiftId }) => void provider.deleteShift(shiftId)],
];

describe.each(featureEngines)("the preview of a replay on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  /** The latest of the shift. */
  const eventOf = async (shiftId: string) => {
    const [event] = ok(await organisation.operations.listEvents({ params: { query: { shiftId } } })).items;
    if (!event) throw new Error("there is no such event");
    return event;
  };
  /** Without what the platform writes on its own schedule. */
  const rowsNow = async () =>
    (await organisation.dump())
      .split("\n")
      .filter((row) => !/^\S*(?:figures|field_uses|processes) /.test(row))
      .sort();
  const dueSoon = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from work where kind = 'shift' and due_at < now() + interval '1 minute'`.execute(
      database().kysely,
    );
    return rows[0]?.count;
  };
  const dialectNow = async () =>
    (await database().kysely.selectFrom("integrations").select("dialect").executeTakeFirstOrThrow()).dialect;
  const preview = async (eventId: string) =>
    ok(await organisation.operations.previewReplay({ params: { path: { eventId } } }));
  const replay = async (eventId: string) => {
    expect(ok(await organisation.operations.replayEvent({ params: { path: { eventId } } }))).toEqual({
      queued: 1,
    });
    await organisation.idle();
  };

  it.each(CASES)("of %s writes nothing and reports what the replay then does", async (_name, happen) => {
    const { open, addPerson, accept, idle } = organisation;
    const { candidateId } = await addPerson();
    const job = await open({ positions: 2 });
    expect(await accept(job, { candidateId })).toMatchObject({ code: "confirmed" });
    await idle();
    // What the responses have shown of the provider's dialect is saved beside the runs.
    await expect.poll(dialectNow).toHaveProperty("acknowledgement");
    // The last readings of the ladder.
    await expect.poll(dueSoon).toBe(0);
    happen(organisation, job);
    const { eventId } = await eventOf(job.shiftId);

    const before = await readSnapshot(database().kysely, job);
    const rows = await rowsNow();
    const foreseen = await preview(eventId);
    expect(await rowsNow()).toEqual(rows);

    await replay(eventId);
    const after = await readSnapshot(database().kysely, job);
    expect(foreseen.changes).toEqual(changesBetween(before, after));
    const { status, verdict } = await eventOf(job.shiftId);
    expect({ status, verdict }).toEqual({ status: foreseen.status, verdict: foreseen.verdict });
  });

  it("and the replay of an echo use up no pending cancellation", async () => {
    const { kysely } = database();
    const { open, provider, process, idle } = organisation;
    const { shiftId, jobId } = await open();
    await organisation.operations.cancelJob({ params: { path: { jobId } } });
    await idle();
    await process("shift.delete", shiftId);
    const { eventId, status } = await eventOf(shiftId);
    expect(status).toBe("skipped_echo");
    const operation = { operation_id: randomUUID(), operation: "delete", trace_id: "t" } as const;
    const expires_at = new Date(Date.now() + HOUR_MS);
    await kysely
      .insertInto("pending_operations")
      .values({
        ...operation,
        provider_id: provider.providerId,
        shift_id: shiftId,
        expires_at,
        confirmed_at: new Date(),
      })
      .execute();
    expect((await preview(eventId)).changes).toEqual([]);
    await replay(eventId);
    expect((await eventOf(shiftId)).status).toBe("processed");
    const left = await kysely
      .selectFrom("pending_operations")
      .selectAll()
      .where("operation_id", "=", operation.operation_id)
      .executeTakeFirstOrThrow();
    expect(left.consumed_at).toBeNull();
  });

  it("names the fields and lists the warnings as the console reads them", async () => {
    const { providerId, open } = organisation;
    const { shiftId } = await open();
    const { kysely } = database();
    const warnings = JSON.stringify(["name_cut", "positions_missing"]);
    await kysely.updateTable("jobs").set({ warnings }).execute();
    const changes = changesBetween(undefined, await readSnapshot(kysely, { providerId, shiftId }));
    const unnamed = changes.filter((change) =>
      changeTexts([change]).some(({ field }) => field === change.field),
    );
    expect(unnamed).toEqual([]);
    expect(changes.find(({ field }) => field === "warnings")?.to).toBe("name_cut; positions_missing");
  });
});
