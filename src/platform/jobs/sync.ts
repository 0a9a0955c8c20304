import type { Shift } from "../../contract/shift.ts";
import type { Integration, Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue } from "../issues/issues.ts";
import { notify } from "../notifications/notify.ts";
import type { Trx } from "../queue/task.ts";
import { recordSteps } from "../traces/trace.ts";
import { closeJob } from "./close.ts";
import { liveBookings, lockJobOf, offerIfOpen, updateStatus } from "./job.ts";
import { isMaterialChange, jobStatus } from "./status.ts";

export interface ShiftRead {
  integration: Integration;
  shift: Shift;
  traceId: string;
  /** Of the job, from before the provider was asked; undefined without a job. */
  version: number | undefined;
}

/**
 * Brings the job of a shift up to date with the shift as the provider has it now. Answers what came of it; undefined when another answer
 * was taken over since this one was asked for: which of the two is newer is not known, so the shift has to be read again.
 */
export async function syncShift(trx: Trx, deps: Deps, read: ShiftRead): Promise<string | undefined> {
  const { integration, shift, traceId, version } = read;
  const key = { providerId: integration.provider_id, shiftId: shift.id };
  if (shift.cancelled) return closeJob(trx, deps, { ...key, traceId, reason: "shift_cancelled" });
  const mapping = await mappingOf(trx, key.providerId, shift);
  const before = await lockJobOf(trx, key.providerId, shift.id);
  if (before?.status === "cancelled") return "nothing changed: the job is cancelled";
  if (before?.version !== version) return undefined;
  await trx
    .deleteFrom("tombstones")
    .where("provider_id", "=", key.providerId)
    .where("shift_id", "=", shift.id)
    .execute();
  const job = await writeJob(trx, deps, read, mapping, before);
  await raiseMappingIssues(trx, deps, job);
  const after = before ? await updateStatus(trx, deps, job) : job;
  const verdict = `${before ? "job updated" : "job created"}: ${after.status}`;
  const step = { traceId, ...key, jobId: job.job_id };
  const detail = { warnings: shift.warnings, variant: shift.variant };
  await recordSteps(trx, [{ ...step, step: "job", verdict, detail }]);
  const told =
    before && isMaterialChange(before, job) ? await tellBooked(trx, deps, before, job, traceId) : 0;
  if (told > 0) {
    await recordSteps(trx, [{ ...step, step: "notification", verdict: `change told to ${told}` }]);
  }
  await offerIfOpen(trx, deps, after, { wasOpen: before?.status === "open" });
  return verdict;
}

async function writeJob(
  trx: Trx,
  deps: Deps,
  { integration, shift, traceId }: ShiftRead,
  mapping: Mapping,
  before?: Job,
): Promise<Job> {
  const facts = {
    variant: shift.variant,
    start_time: new Date(shift.startTime),
    end_time: new Date(shift.endTime),
    positions: shift.positions,
    outlet_id: shift.outletId,
    outlet_name: shift.outletName ?? null,
    role_id: shift.roleId,
    role_name: shift.roleName ?? null,
    warnings: JSON.stringify(shift.warnings),
    updated_at: deps.now(),
    ...mapping,
  };
  if (before) {
    const version = before.version + 1;
    const update = trx
      .updateTable("jobs")
      .set({ ...facts, version })
      .where("job_id", "=", before.job_id);
    return update.returningAll().executeTakeFirstOrThrow();
  }
  const key = {
    job_id: deps.newId(),
    provider_id: integration.provider_id,
    shift_id: shift.id,
    trace_id: traceId,
  };
  const now = deps.now();
  const isMapped = mapping.workplace_id !== null && mapping.competence_id !== null;
  const { start_time: startTime, positions } = facts;
  const status = jobStatus({ isCancelled: false, isMapped, startTime, positions, booked: 0 }, now);
  const insert = trx.insertInto("jobs").values({ ...key, ...facts, status, created_at: now });
  return insert.returningAll().executeTakeFirstOrThrow();
}

type Mapping = Pick<Job, "workplace_id" | "competence_id">;

/**
 * What the outlet and the role mean here; what was never heard of is noted, so that somebody can map it. Locked against a mapping
 * that is being made: it waits, and then finds the job, or it is waited for. Before the job, because a mapping locks in that order.
 */
async function mappingOf(trx: Trx, provider_id: string, shift: Shift): Promise<Mapping> {
  const { workplace_id } = (await lockOutlet(trx, provider_id, shift)) ?? { workplace_id: null };
  const { competence_id } = (await lockRole(trx, provider_id, shift)) ?? { competence_id: null };
  return { workplace_id, competence_id };
}

async function lockOutlet(trx: Trx, provider_id: string, { outletId, outletName }: Shift) {
  const lock = () =>
    trx
      .selectFrom("outlets")
      .select("workplace_id")
      .where("provider_id", "=", provider_id)
      .where("outlet_id", "=", outletId)
      .forShare()
      .executeTakeFirst();
  const known = await lock();
  if (known) return known;
  await trx
    .insertInto("outlets")
    .values({ provider_id, outlet_id: outletId, name: outletName ?? outletId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Somebody else may have been first, and have mapped it.
  return lock();
}

async function lockRole(trx: Trx, provider_id: string, { roleId, roleName }: Shift) {
  const lock = () =>
    trx
      .selectFrom("roles")
      .select("competence_id")
      .where("provider_id", "=", provider_id)
      .where("role_id", "=", roleId)
      .forShare()
      .executeTakeFirst();
  const known = await lock();
  if (known) return known;
  await trx
    .insertInto("roles")
    .values({ provider_id, role_id: roleId, name: roleName ?? roleId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return lock();
}

async function raiseMappingIssues(trx: Trx, deps: Deps, job: Job): Promise<void> {
  const about = { providerId: job.provider_id, traceId: job.trace_id };
  if (job.workplace_id === null) {
    const detail = `A shift is at outlet ${job.outlet_id}, which is mapped to no workplace.`;
    await raiseIssue(trx, deps, {
      ...about,
      code: "outlet_not_mapped",
      subject: `outlet ${job.outlet_id}`,
      detail,
    });
  }
  if (job.competence_id === null) {
    const detail = `A shift asks for role ${job.role_id}, which is mapped to no competence.`;
    await raiseIssue(trx, deps, {
      ...about,
      code: "role_not_mapped",
      subject: `role ${job.role_id}`,
      detail,
    });
  }
}

/** Those who worked are not told what of it was corrected. */
async function tellBooked(trx: Trx, deps: Deps, before: Job, job: Job, traceId: string): Promise<number> {
  const now = deps.now();
  if (before.end_time <= now && job.end_time <= now) return 0;
  const bookings = await liveBookings(trx, job.job_id);
  const content = {
    startTime: job.start_time,
    endTime: job.end_time,
    outletName: job.outlet_name,
    roleName: job.role_name,
  };
  const candidateIds = bookings.map((booking) => booking.candidate_id);
  return notify(trx, deps, candidateIds, {
    kind: "shift_changed",
    jobId: job.job_id,
    // A trace may tell of several changes: an event that is replayed finds what changed since. Each is seen once, under the job's lock.
    changeKey: deps.newId(),
    content,
    traceId,
  });
}
