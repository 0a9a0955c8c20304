import { wholeMinute } from "../../src/contract/timestamp.ts";
import type { Write } from "../../src/platform/shifts/plan/writes.ts";
import type { JobRow, NotificationRow, Store } from "./store.ts";

// What candidates hear: notifications and offers.

/** Called with each new notification. */
export interface Notified {
  notified(row: NotificationRow): void;
}

export interface Target {
  store: Store;
  shiftId: string;
  now: number;
  invariants: Notified;
}

export function notifyAll(
  target: Target,
  { candidateIds, kind, changeKey, reason }: Extract<Write, { write: "notify" }>,
) {
  const key = changeKey === "" ? target.store.newId("notice") : changeKey;
  for (const candidateId of candidateIds) notify(target, candidateId, kind, key, reason);
}

export function notify(
  { store, shiftId, now, invariants }: Target,
  candidateId: string,
  kind: NotificationRow["kind"],
  changeKey: string,
  reason?: string,
) {
  const job = store.jobs.get(shiftId);
  const isKnown = store.notifications.some(
    (row) =>
      row.shiftId === shiftId &&
      row.candidateId === candidateId &&
      row.kind === kind &&
      row.changeKey === changeKey,
  );
  if (!job || isKnown) return;
  const { startTime, endTime } = job;
  const about = { shiftId, candidateId, kind, changeKey, startTime, endTime, reason };
  const row = { ...about, at: now, isWithdrawn: false };
  store.notifications.push(row);
  invariants.notified(row);
}

/** Returns the candidates who have the competence, are free at that time, and have not withdrawn from the job. */
export function findFree(store: Store, job: JobRow): string[] {
  return [...store.competences].flatMap(([candidateId, competences]) => {
    if (job.competenceId === null || !competences.has(job.competenceId)) return [];
    if (store.overlap(candidateId, job.startTime, job.endTime) !== undefined) return [];
    if (store.isOwnPerson(candidateId, job.startTime, job.endTime)) return [];
    const hasLeft = store
      .bookingsOf(job.shiftId)
      .some(
        (each) =>
          each.candidateId === candidateId && each.status === "released" && each.reason === "withdrawn",
      );
    return hasLeft ? [] : [candidateId];
  });
}

export function offer(target: Target) {
  const job = target.store.jobs.get(target.shiftId);
  if (!job) return;
  for (const candidateId of findFree(target.store, job))
    if (!restore(target.store, job, candidateId))
      notify(target, candidateId, "job_offered", `offer-${job.offerRound}`);
}

/** Restores the offer of this round, or one with the same times unless a confirmed booking has ended since. Returns whether the candidate holds one now. */
function restore({ notifications }: Store, job: JobRow, candidateId: string): boolean {
  const roundOf = ({ changeKey }: NotificationRow) => Number(changeKey.slice("offer-".length));
  const offers = notifications.filter(
    (row) => row.shiftId === job.shiftId && row.candidateId === candidateId && row.kind === "job_offered",
  );
  const times = ({ startTime, endTime }: Pick<JobRow, "startTime" | "endTime">) =>
    `${wholeMinute(startTime)} ${wholeMinute(endTime)}`;
  const isSame = (row: NotificationRow) => roundOf(row) >= job.renewedRound && times(row) === times(job);
  const same = offers.findLast((row) => roundOf(row) === job.offerRound) ?? offers.findLast(isSame);
  if (same) Object.assign(same, { isWithdrawn: false, changeKey: `offer-${job.offerRound}` });
  return same !== undefined;
}

export function withdrawOffers(store: Store, shiftId: string) {
  for (const row of store.notifications)
    if (row.shiftId === shiftId && row.kind === "job_offered") row.isWithdrawn = true;
}
