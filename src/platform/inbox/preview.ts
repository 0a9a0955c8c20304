import type { Change, EventStatus, Outcome, ReplayPreview } from "../../../generated/operations/types.ts";
import { isShiftEvent } from "../../contract/shift-event.ts";
import type { StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { changesBetween, readSnapshot } from "../jobs/snapshot.ts";
import { previewReading } from "../shifts/preview.ts";
import { type Trx, transact } from "../transaction.ts";
import { requeueEvents, restoreFromLog, unknownEvent } from "./replay.ts";

/**
 * Returns what a replay of this event would change now. It reads the shift and runs the plan of a replay in a transaction that is rolled back.
 * @throws ProblemError event_not_found; provider_unavailable when the provider returns no usable response.
 */
export async function previewReplay(deps: Deps, eventId: string): Promise<ReplayPreview> {
  const { kysely } = deps.database;
  const event = await kysely
    .selectFrom("all_events")
    .selectAll()
    .where("event_id", "=", eventId)
    .executeTakeFirstOrThrow(unknownEvent);
  if (!isShiftEvent(event.event)) return nothing("ignored", "unknown_event");
  const { state } = await requireIntegration(kysely, event.provider_id);
  if (state !== "active") return nothing("queued", "stored");
  const key = { providerId: event.provider_id, shiftId: event.shift_id };
  const reading = await previewReading(deps, key, event);
  return rolledBack(deps, async (trx) => {
    const before = await readSnapshot(trx, key);
    await restoreFromLog(trx, event.provider_id, event.event_id);
    await requeueEvents(trx, deps, [event]);
    await reading.record(trx);
    return viewOf(trx, event, changesBetween(before, await readSnapshot(trx, key)));
  });
}

const nothing = (status: EventStatus, code: Outcome["code"]): ReplayPreview => ({
  status,
  verdict: { code, params: {} },
  changes: [],
});

async function viewOf(trx: Trx, { event_id }: StoredEvent, changes: Change[]): Promise<ReplayPreview> {
  const { status, verdict } = await trx
    .selectFrom("events")
    .select(["status", "verdict"])
    .where("event_id", "=", event_id)
    .executeTakeFirstOrThrow();
  return { status, verdict: verdict ?? { code: "stored", params: {} }, changes };
}

/** Returns the result of a transaction that is always rolled back. */
async function rolledBack<T>(deps: Deps, work: (trx: Trx) => Promise<T>): Promise<T> {
  const result: { value?: T } = {};
  const undo = new Error("rolled back on purpose");
  try {
    await transact(deps, async (trx) => {
      result.value = await work(trx);
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return result.value as T;
}
