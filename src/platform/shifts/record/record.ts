import { sql, type Updateable } from "kysely";
import type { Params } from "../../../../generated/operations/types.ts";
import type { BookingsTable, Job, ShiftChangesTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { begin, end, holdDeletions, recordRoute, resumeDeletions } from "../../integrations/conditions.ts";
import { raiseIssue, resolveIssues } from "../../issues.ts";
import { contentOf, notify } from "../../notifications/notify.ts";
import { offerJob, withdrawOffers } from "../../notifications/offers.ts";
import { markPersonDue } from "../../people/rows.ts";
import { publish } from "../../stream.ts";
import { recordSteps, signal, type Trx, writeRows } from "../../transaction.ts";
import type { ShiftKey } from "../observe/load.ts";
import type { ShiftState } from "../plan/state.ts";
import type { BookingPatch, ChangePatch, Write } from "../plan/writes.ts";
import { toRow } from "../stored.ts";
import { forgetOperation, requeueEcho, writeEvents, writeOperation, writeShift } from "./events.ts";
import { resolveMapping, writeJob } from "./job.ts";
import { bookMoved, markFreed, readBooked, sample } from "./others.ts";

/** Returns the topic that signals a change of a booking. */
export const bookingTopic = (bookingId: string): string => `booking:${bookingId}`;
/** Returns the topic that signals that a change was confirmed or refused. */
export const changeTopic = (changeId: string): string => `change:${changeId}`;

/**
 * Writes the job and the bookings of a plan, in the transaction in which it was made. Returns what writes the rest: a transaction that decides several
 * shifts locks the bookings of all before the issues of any.
 */
export async function record(
  trx: Trx,
  deps: Deps,
  state: ShiftState,
  writes: readonly Write[],
): Promise<() => Promise<void>> {
  const { providerId, shiftId } = state;
  const key = { providerId, shiftId };
  writeShift(trx, deps, key, state.shift, writes);
  const job = await writeJob(trx, deps, state, writes);
  markFreed(trx, deps, state, job, writes);
  const target = { key, job };
  for (const [bookingId, patch] of mergedBookings(writes))
    await writeBooking(trx, deps, target, bookingId, patch);
  return async () => {
    for (const write of writes) await apply(trx, deps, target, write);
  };
}

interface Target {
  key: ShiftKey;
  job: Job | undefined;
}

/** Applies a write that is not merged with others. Writes that read rows of earlier writes flush them first. */
async function apply(trx: Trx, deps: Deps, target: Target, write: Write): Promise<unknown> {
  const { key, job } = target;
  const { providerId } = key;
  switch (write.write) {
    case "shift":
    case "job":
    case "booking":
      return;
    case "events":
      return writeEvents(trx, deps, key, write);
    case "operation":
      return writeOperation(trx, deps, providerId, write.operationId, write.patch);
    case "forget_operation":
      return forgetOperation(trx, providerId, write.operationId);
    case "requeue_echo":
      await writeRows(trx);
      return requeueEcho(trx, deps, key, write.eventId);
    case "change":
      return writeChange(trx, deps, providerId, write.changeId, write.patch);
    case "issue": {
      const { code, subject, params, traceId } = write;
      return raiseIssue(trx, deps, { providerId, code, subject, params, traceId: traceId || undefined });
    }
    case "resolve_issues":
      return resolve(trx, deps, key, write);
    case "step": {
      const { write: _, ...step } = write;
      return recordSteps(trx, [{ ...step, ...key, ...(job && { jobId: job.jobId }) }]);
    }
    case "notify":
      return job && notifyAbout(trx, deps, job, write);
    case "book":
      await writeRows(trx);
      return bookMoved(trx, deps, target, write);
    case "read_booked":
      await writeRows(trx);
      return job && readBooked(trx, deps, job, write.candidateIds);
    case "offer":
      return job && offerJob(trx, { deps, job, isNewlyOpen: write.isNewlyOpen, traceId: write.traceId });
    case "withdraw_offers":
      return job && withdrawOffers(trx, job, deps.now());
    case "identify":
      return markPersonDue(trx, deps, { providerId, ...write });
    case "route":
      return recordRoute(trx, deps, providerId, write);
    case "pause":
      return begin(trx, deps, providerId, "token_rejected", { params: { status: write.status } });
    case "health":
      return (write.health === "implausible" ? begin : end)(trx, deps, providerId, "implausible");
    case "hold":
      await writeRows(trx);
      if (await holdDeletions(trx, deps, providerId, write.params)) return;
      return void (await sql`update shifts set next_read_at = now()
        where provider_id = ${providerId} and shift_id = ${key.shiftId}`.execute(trx));
    case "end_hold":
      await writeRows(trx);
      return resumeDeletions(trx, deps, providerId);
    case "listsBooked":
      return void (await sql`update integrations set lists_booked = true
        where provider_id = ${providerId} and not lists_booked`.execute(trx));
    case "sample":
      return sample(trx, deps, key, write.count);
  }
}

function mergedBookings(writes: readonly Write[]): Map<string, BookingPatch> {
  const merged = new Map<string, BookingPatch>();
  for (const write of writes)
    if (write.write === "booking")
      merged.set(write.bookingId, { ...merged.get(write.bookingId), ...write.patch });
  return merged;
}

/** Writes a booking. Nothing else updates bookings that a run works on. */
async function writeBooking(
  trx: Trx,
  deps: Deps,
  { key, job }: Target,
  bookingId: string,
  patch: BookingPatch,
): Promise<void> {
  const at = deps.now();
  const { isWithdrawn, ...columns } = patch;
  const { status, atProvider } = columns;
  const row = await trx
    .updateTable("bookings")
    .set({
      ...toRow<Updateable<BookingsTable>>(columns),
      updatedAt: at,
      ...(isWithdrawn === false && { withdrawnAt: null }),
      ...(atProvider !== undefined && { doubtSince: atProvider === "maybe" ? at : null }),
    })
    .where("providerId", "=", key.providerId)
    .where("bookingId", "=", bookingId)
    .returning(["candidateId", "status"])
    .executeTakeFirst();
  signal(trx, bookingTopic(bookingId));
  if (!row || !job || (status ?? isWithdrawn ?? atProvider) === undefined) return;
  const { jobId } = job;
  publish(trx, { type: "booking", bookingId, jobId, candidateId: row.candidateId, status: row.status });
}

async function writeChange(
  trx: Trx,
  { now }: Deps,
  providerId: string,
  changeId: string,
  patch: ChangePatch,
): Promise<void> {
  const columns = {
    ...toRow<Updateable<ShiftChangesTable>>(patch),
    // A deadline depends on it, so it is on the database's clock.
    ...(typeof patch.sentAt === "number" && { sentAt: sql<Date>`now()` }),
    updatedAt: now(),
  };
  const update = trx.updateTable("shiftChanges").set(columns);
  await update.where("providerId", "=", providerId).where("changeId", "=", changeId).execute();
  if (patch.status) signal(trx, changeTopic(changeId));
}

async function resolve(
  trx: Trx,
  deps: Deps,
  { providerId, shiftId }: ShiftKey,
  { codes, subject }: Extract<Write, { write: "resolve_issues" }>,
): Promise<void> {
  // Other shifts may share the cause.
  if (subject.kind === "outlet" || subject.kind === "role")
    return resolveMapping(trx, { deps, providerId, subject });
  await resolveIssues(trx, deps, { providerId, ...(codes ? { codes, subject } : { shiftId }) });
}

async function notifyAbout(
  trx: Trx,
  deps: Deps,
  job: Job,
  { kind, candidateIds, changeKey, reason, traceId }: Extract<Write, { write: "notify" }>,
): Promise<void> {
  const { providerId, jobId, shiftId } = job;
  const content = { ...contentOf(job), ...(reason !== undefined && { reason }) };
  // Each observed change is notified once: the job's lock ensures that one run observes it.
  const key = changeKey === "" ? deps.newId() : changeKey;
  const count = await notify(trx, deps, candidateIds, {
    providerId,
    jobId,
    kind,
    changeKey: key,
    content,
    traceId,
  });
  const params: Params = { kind, count };
  if (count > 0)
    recordSteps(trx, [
      { step: "notification", code: "notified", params, traceId, providerId, shiftId, jobId },
    ]);
}
