import { GONE, NO_BELIEF } from "../../src/platform/shifts/believe.ts";
import type { ShiftState } from "../../src/platform/shifts/state.ts";
import type { BookingPatch, ShiftPatch, Write } from "../../src/platform/shifts/writes.ts";
import { endHold, INTEGRATION, noteImplausible, noteReachable, noteRoute, pause } from "./integration.ts";
import { raiseIssue, resolveIssues } from "./issues.ts";
import { isLive, type JobRow, type NotificationRow, type Store } from "./store.ts";

/** Called with each new notification. */
export interface Applied {
  notified(row: NotificationRow): void;
}

/** Verdicts of events that wait although the provider has responded to their reading. */
const READ: readonly string[] = ["will_recheck", "disappearance_held"];

/** Applies the writes as record.ts does: first the merged ones of shift, job and bookings, then all others in their order. */
export function apply(
  store: Store,
  state: ShiftState,
  writes: readonly Write[],
  now: number,
  invariants: Applied,
) {
  writeShift(store, state.shiftId, writes, now);
  writeJob(store, state.shiftId, writes, now);
  const merged = new Map<string, BookingPatch>();
  for (const write of writes)
    if (write.write === "booking")
      merged.set(write.bookingId, { ...merged.get(write.bookingId), ...write.patch });
  for (const [bookingId, patch] of merged) writeBooking(store, bookingId, patch, now);
  for (const write of writes) applyOne({ store, shiftId: state.shiftId, now, invariants }, write);
}

function writeShift(store: Store, shiftId: string, writes: readonly Write[], now: number) {
  const patches = writes.flatMap((write) => (write.write === "shift" ? [write.patch] : []));
  if (patches.length === 0) return;
  const patch: ShiftPatch = Object.assign({}, ...patches);
  const before = store.shifts.get(shiftId);
  const row = before ?? {
    shiftId,
    nextReadAt: null,
    belief: NO_BELIEF,
    believedAt: 0,
    foundAt: 0,
  };
  Object.assign(row, patch, patch.belief && { believedAt: now });
  const isFound = patch.belief?.version !== GONE && patch.belief?.missingSince === null;
  if (isFound) row.foundAt = now;
  store.shifts.set(shiftId, row);
}

function writeJob(store: Store, shiftId: string, writes: readonly Write[], now: number) {
  const patches = writes.flatMap((write) => (write.write === "job" ? [write.patch] : []));
  if (patches.length === 0) return;
  const job = store.jobs.get(shiftId) ?? ({ shiftId } as JobRow);
  const { jobId: before } = job;
  Object.assign(job, ...patches, { updatedAt: now });
  job.jobId = before ?? store.newId("job");
  noteOwn(store, job, now);
  store.jobs.set(shiftId, job);
}

/** Notes since when candidates are among the provider's own people. */
function noteOwn({ ownSince }: Store, { shiftId, ownPeople }: JobRow, now: number) {
  const keys = new Set(ownPeople.flatMap(({ candidateId }) => candidateId && `${shiftId} ${candidateId}`));
  for (const key of ownSince.keys())
    if (key.startsWith(`${shiftId} `) && !keys.has(key)) ownSince.delete(key);
  for (const key of keys) if (key && !ownSince.has(key)) ownSince.set(key, now);
}

function writeBooking(store: Store, bookingId: string, patch: BookingPatch, now: number) {
  const booking = store.bookings.find((each) => each.bookingId === bookingId);
  if (!booking) return;
  Object.assign(booking, patch, { updatedAt: now });
}

interface Target {
  store: Store;
  shiftId: string;
  now: number;
  invariants: Applied;
}

function applyOne(target: Target, write: Write) {
  const { store, shiftId, now } = target;
  const { integration } = store;
  switch (write.write) {
    case "shift":
    case "job":
    case "booking":
    case "step":
      return;
    case "events":
      for (const event of store.events)
        if (write.eventIds.includes(event.eventId))
          Object.assign(event, {
            status: write.status,
            isUnread: !READ.includes(write.verdict.code),
          });
      return;
    case "operation":
      return writeOperation(target, write);
    case "forget_operation":
      store.operations = store.operations.filter(({ operationId }) => operationId !== write.operationId);
      return;
    case "requeue_echo": {
      const echo = store.events.find(({ eventId }) => eventId === write.eventId);
      if (echo?.status === "skipped_echo") Object.assign(echo, { status: "queued", isUnread: true });
      return;
    }
    case "change": {
      const change = store.changes.find(({ changeId }) => changeId === write.changeId);
      const { reason: _, reasonParams: __, ...patch } = write.patch;
      if (change) Object.assign(change, patch);
      return;
    }
    case "issue":
      return raiseIssue(store, write.code, write.subject);
    case "resolve_issues":
      return resolveIssues(store, write.codes ? { ...write, codes: write.codes } : { shiftId });
    case "notify":
      return notifyAll(target, write);
    case "book":
      return book(target, write);
    case "read_booked":
      return readBooked(target, write.candidateIds);
    case "offer":
      return offer(target);
    case "withdraw_offers":
      return withdrawOffers(store, shiftId);
    case "identify":
      return identify(target, write);
    case "pause":
      return pause(store, now);
    case "health":
      return write.health === "implausible" ? noteImplausible(store, now) : noteReachable(store, now);
    case "route":
      return noteRoute(store, write, now);
    case "hold":
      integration.heldSince ??= now;
      return raiseIssue(store, "mass_disappearance", INTEGRATION);
    case "end_hold":
      return endHold(store, now);
    case "lists_booked":
      integration.listsBooked = true;
      return;
    case "sample":
      return sample(target, write.count);
  }
}

function writeOperation(
  { store, now }: Target,
  { operationId, patch }: Extract<Write, { write: "operation" }>,
) {
  const row = store.operations.find((each) => each.operationId === operationId);
  if (!row) return;
  if (patch.sentAt !== undefined) row.sentAt = patch.sentAt;
  if (patch.consumedBy !== undefined) Object.assign(row, { consumedBy: patch.consumedBy, consumedAt: now });
  if (patch.isConfirmed) row.confirmedAt = now;
}

function notifyAll(
  target: Target,
  { candidateIds, kind, changeKey, reason }: Extract<Write, { write: "notify" }>,
) {
  const key = changeKey === "" ? target.store.newId("notice") : changeKey;
  for (const candidateId of candidateIds) notify(target, candidateId, kind, key, reason);
}

function notify(
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

/** Works as `bookMoved` of record-others.ts. */
function book(
  target: Target,
  { candidateId, providerCandidateId, movedTo, kind }: Extract<Write, { write: "book" }>,
) {
  const { store, now } = target;
  const shiftId = movedTo?.shiftId ?? target.shiftId;
  const job = store.jobs.get(shiftId);
  if (!job || store.seatsOf(shiftId).some((seat) => seat.candidateId === candidateId)) return;
  if (movedTo) {
    job.ownPeople = job.ownPeople.filter((person) => person.candidateId !== candidateId);
    job.ownPeopleCount -= 1;
    noteOwn(store, job, now);
    readNow(target, job);
  }
  const bookingId = store.newId("b");
  store.bookings.push({
    ...newBooking(job, candidateId, now),
    bookingId,
    isMoved: true,
    status: "confirmed",
    atProvider: "yes",
    providerCandidateId,
  });
  if (kind) notify({ ...target, shiftId }, candidateId, kind, bookingId);
}

/** A booking, as an accept makes it. */
export const newBooking = ({ shiftId, traceId }: JobRow, candidateId: string, now: number) => ({
  shiftId,
  candidateId,
  status: "pending" as const,
  isWithdrawn: false,
  atProvider: "no" as const,
  providerCandidateId: null,
  sentAt: null,
  rejection: null,
  reasonParams: {},
  missingSince: null,
  isReassigned: false,
  mayActLate: false,
  leftAt: null,
  isLookedUpAgain: false,
  routeDoubt: null,
  traceId,
  reason: null,
  createdAt: now,
  updatedAt: now,
});

/** Works as `readBooked` of record-others.ts. */
function readBooked(target: Target, candidateIds: readonly string[]) {
  const { store, shiftId, now } = target;
  const here = store.jobs.get(shiftId);
  for (const booking of store.bookings) {
    const job = store.jobs.get(booking.shiftId);
    const isSeat = booking.status === "pending" || booking.status === "confirmed";
    if (!here || !job || job === here || !isSeat || !candidateIds.includes(booking.candidateId)) continue;
    const isSameTime = job.startTime < here.endTime && job.endTime > here.startTime;
    if (isLive(job) && job.startTime > now && (booking.missingSince !== null || isSameTime))
      readNow(target, job);
  }
}

/** Makes another shift due for a reading, unless it is missing. */
const readNow = ({ store, now }: Target, { shiftId }: JobRow) => readSoon(store, shiftId, now, 1);

/** Returns the candidates who have the competence, are free at that time, and have not withdrawn from the job. */
export function findFree(store: Store, job: JobRow): string[] {
  return [...store.competences].flatMap(([candidateId, competences]) => {
    if (job.competenceId === null || !competences.has(job.competenceId)) return [];
    if (store.overlap(candidateId, job.startTime, job.endTime) !== undefined) return [];
    const hasLeft = store
      .bookingsOf(job.shiftId)
      .some(
        (each) =>
          each.candidateId === candidateId && each.status === "released" && each.reason === "withdrawn",
      );
    return hasLeft ? [] : [candidateId];
  });
}

function offer(target: Target) {
  const job = target.store.jobs.get(target.shiftId);
  if (!job) return;
  for (const candidateId of findFree(target.store, job))
    if (!restore(target.store, job, candidateId))
      notify(target, candidateId, "job_offered", `offer-${job.offerRound}`);
}

/** Restores an offer with the same times, unless a confirmed booking has ended since. Returns whether the candidate holds one now. */
function restore({ notifications }: Store, job: JobRow, candidateId: string): boolean {
  const roundOf = ({ changeKey }: NotificationRow) => Number(changeKey.slice("offer-".length));
  const same = notifications.findLast(
    (row) =>
      row.shiftId === job.shiftId &&
      row.candidateId === candidateId &&
      row.kind === "job_offered" &&
      roundOf(row) >= job.renewedRound &&
      row.startTime === job.startTime &&
      row.endTime === job.endTime,
  );
  if (same) Object.assign(same, { isWithdrawn: false, changeKey: `offer-${job.offerRound}` });
  return same !== undefined;
}

export function withdrawOffers(store: Store, shiftId: string) {
  for (const row of store.notifications)
    if (row.shiftId === shiftId && row.kind === "job_offered") row.isWithdrawn = true;
}

function identify(
  { store, now }: Target,
  { candidateId, forget, keep }: Extract<Write, { write: "identify" }>,
) {
  const row = store.people.get(candidateId);
  if (!row)
    store.people.set(candidateId, { id: null, createSentAt: null, idempotencyKey: null, fault: null });
  else if (forget) {
    const before = row.id ?? (row.fault?.kind === "forgotten" ? row.fault.id : null);
    Object.assign(row, { id: null, fault: { kind: "forgotten", ...(keep && { id: before }) } });
  }
  store.markDue("person", candidateId, 0, now);
}

/** Reads the provider's next other shifts. */
function sample(target: Target, count: number) {
  const { store, shiftId, now } = target;
  const others = [...store.jobs.values()]
    .filter((job) => job.shiftId !== shiftId && isLive(job) && job.startTime > now)
    .filter((job) => (store.shifts.get(job.shiftId)?.believedAt ?? 0) <= now - 60_000)
    .sort((one, other) => one.startTime - other.startTime)
    .slice(0, count);
  for (const other of others) readSoon(store, other.shiftId, now);
}

/** Makes the platform read a shift without a notice. */
export function readSoon(store: Store, shiftId: string, now: number, priority = 2) {
  const row = store.shifts.get(shiftId);
  if (row?.belief.missingSince === null) row.nextReadAt = now;
  store.markDue("shift", shiftId, priority, now);
}
