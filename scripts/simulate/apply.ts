import { GONE, NO_BELIEF } from "../../src/platform/shifts/plan/believe.ts";
import type { ShiftState } from "../../src/platform/shifts/plan/state.ts";
import type { BookingPatch, ShiftPatch, Write } from "../../src/platform/shifts/plan/writes.ts";
import {
  endHold,
  hold,
  isAwaited,
  noteImplausible,
  noteReachable,
  pause,
  raiseIssue,
  recordRoute,
  resolveIssues,
} from "./integration.ts";
import { type Notified, notify, notifyAll, offer, type Target, withdrawOffers } from "./notice-invariants.ts";
import { isLive, type JobRow, newBooking, type Store } from "./store.ts";

/** Applies the writes as record.ts does: first the merged ones of shift, job and bookings, then all others in their order. */
export function apply(
  store: Store,
  state: ShiftState,
  writes: readonly Write[],
  now: number,
  invariants: Notified,
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
    believedAt: now,
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

function writeBooking(store: Store, bookingId: string, patch: BookingPatch, now: number) {
  const booking = store.bookings.find((each) => each.bookingId === bookingId);
  if (!booking) return;
  Object.assign(booking, patch, { updatedAt: now });
}

function applyOne(target: Target, write: Write) {
  const { store, shiftId, now } = target;
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
            isRead: write.isRead,
          });
      return;
    case "operation":
      return writeOperation(target, write);
    case "forget_operation":
      store.operations = store.operations.filter(({ operationId }) => operationId !== write.operationId);
      return;
    case "requeue_echo": {
      const echo = store.events.find(({ eventId }) => eventId === write.eventId);
      if (echo?.status === "skipped_echo") Object.assign(echo, { status: "queued", isRead: false });
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
      if (isAwaited(store, write.subject)) return;
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
      return recordRoute(store, write, now);
    case "hold":
      return hold(store, shiftId, now);
    case "end_hold":
      return endHold(store, now);
    case "listsBooked":
      store.integration.listsBooked = true;
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

function identify(
  { store, now }: Target,
  { candidateId, forget, keep }: Extract<Write, { write: "identify" }>,
) {
  const row = store.people.get(candidateId);
  if (!row)
    store.people.set(candidateId, {
      id: null,
      knownAs: 0,
      createSentAt: null,
      idempotencyKey: null,
      fault: null,
    });
  else if (forget) {
    const before = row.id ?? (row.fault?.kind === "forgotten" ? row.fault.id : null);
    const since = new Date(now).toISOString();
    Object.assign(row, { id: null, fault: { kind: "forgotten", since, ...(keep && { id: before }) } });
  }
  store.markDue("person", candidateId, 0, now);
}

// What a run about one shift writes about the provider's other shifts, as record/others.ts does.

/** Works as `bookMoved` of record/others.ts. */
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
    job.updatedAt = now;
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

/** Works as `readBooked` of record/others.ts. */
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

/** Notes since when candidates are among the provider's own people. */
function noteOwn({ ownSince }: Store, { shiftId, ownPeople }: JobRow, now: number) {
  const keys = new Set(ownPeople.flatMap(({ candidateId }) => candidateId && `${shiftId} ${candidateId}`));
  for (const key of ownSince.keys())
    if (key.startsWith(`${shiftId} `) && !keys.has(key)) ownSince.delete(key);
  for (const key of keys) if (key && !ownSince.has(key)) ownSince.set(key, now);
}
