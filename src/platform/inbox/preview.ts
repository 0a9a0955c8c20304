import { problem } from "../../contract/problem.ts";
import type { Integration, StoredEvent } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import { type Change, changesBetween, readJobState } from "../jobs/changes.ts";
import { versionOf } from "../jobs/job.ts";
import type { Trx, Write } from "../queue/task.ts";
import { judge } from "./judge.ts";
import { findEvent } from "./process.ts";
import { canBeProcessed } from "./replay.ts";

export interface ReplayPreview {
  /** One sentence. */
  verdict: string;
  /** Of the shift's job. */
  changes: Change[];
}

/**
 * What would a replay of this event change, now? Asks the provider and decides with the code that a replay runs, in a transaction
 * that is rolled back: so it cannot say anything else than what a replay would do.
 * @throws ProblemError event_not_found; provider_unavailable when the provider gives no usable answer.
 */
export async function previewReplay(deps: Deps, eventId: string): Promise<ReplayPreview> {
  const stored = await findEvent(deps.database.kysely, eventId);
  if (!stored) throw problem("event_not_found", { detail: "There is no event with this eventId." });
  if (!canBeProcessed(stored)) return nothing("It would stay ignored: the contract has no such event.");
  const integration = await findIntegration(deps.database.kysely, stored.provider_id);
  if (!integration) return nothing("It would wait: no integration has its providerId any longer.");
  if (integration.state !== "active")
    return nothing(`It would wait: the integration is ${integration.state}, not active.`);
  return tryOut(deps, integration, { ...stored, absences: 0, replayed_at: deps.now() });
}

const nothing = (verdict: string): ReplayPreview => ({ verdict, changes: [] });

async function tryOut(deps: Deps, integration: Integration, event: StoredEvent): Promise<ReplayPreview> {
  const version = await versionOf(deps.database.kysely, event);
  const startedAt = performance.now();
  const call = { traceId: event.trace_id };
  const outcome = await deps.clientFor(integration).getShift(event.shift_id, call);
  if (outcome.kind === "unavailable")
    throw problem("provider_unavailable", { detail: `The shift could not be read: ${outcome.reason}.` });
  const ms = performance.now() - startedAt;
  const reading = { event, integration, outcome, together: [], version, attempt: 1, ms };
  const end = await judge(deps, reading);
  if (end.end === "done") return rolledBack(deps, (trx) => outcomeOf(trx, event, end.write));
  // A 404 is asked about again: what comes of it if it stays so?
  const absences = deps.timing.absenceRetriesMs.length;
  const last = await judge(deps, { ...reading, event: { ...event, absences } });
  const again = `It would be tried again: ${end.reason}.`;
  if (last.end !== "done") return nothing(again);
  const { verdict, changes } = await rolledBack(deps, (trx) => outcomeOf(trx, event, last.write));
  return { verdict: `${again} If that stays so: ${verdict}`, changes };
}

async function outcomeOf(trx: Trx, event: StoredEvent, write: Write | undefined): Promise<ReplayPreview> {
  const before = await readJobState(trx, event);
  await write?.(trx);
  const changes = changesBetween(before, await readJobState(trx, event));
  const after = await findEvent(trx, event.event_id);
  const came = after?.verdict ?? "the job is up to date";
  const verdict = `It would end as ${after?.status ?? "processed"}: ${came.replace(/\.$/, "")}.`;
  return { verdict, changes };
}

/** Takes the result out of a transaction of which nothing stays. */
async function rolledBack<T>({ database }: Deps, work: (trx: Trx) => Promise<T>): Promise<T> {
  const result: { value?: T } = {};
  const undo = new Error("undone on purpose");
  try {
    await database.kysely.transaction().execute(async (trx) => {
      result.value = await work(trx);
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return result.value as T;
}
