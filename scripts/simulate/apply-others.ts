import type { Write } from "../../src/platform/shifts/plan/writes.ts";
import { notify, type Target } from "./notices.ts";
import { isLive, type JobRow, newBooking, type Store } from "./store.ts";

// What a run about one shift writes about the provider's other shifts, as record/others.ts does.

/** Works as `bookMoved` of record/others.ts. */
export function book(
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
export function readBooked(target: Target, candidateIds: readonly string[]) {
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
export function sample(target: Target, count: number) {
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
export function noteOwn({ ownSince }: Store, { shiftId, ownPeople }: JobRow, now: number) {
  const keys = new Set(ownPeople.flatMap(({ candidateId }) => candidateId && `${shiftId} ${candidateId}`));
  for (const key of ownSince.keys())
    if (key.startsWith(`${shiftId} `) && !keys.has(key)) ownSince.delete(key);
  for (const key of keys) if (key && !ownSince.has(key)) ownSince.set(key, now);
}
