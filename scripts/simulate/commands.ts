import { resolveIssues } from "./integration.ts";
import { withdrawOffers } from "./notice-invariants.ts";
import { isLive, newBooking, type Store } from "./store.ts";

// The commands of candidates and operators, as src/platform/jobs implements them.

const ECHO_EXPECTED_MS = 86_400_000;

/** Returns why the command was rejected; undefined when it was accepted. */
export type Rejected = string | undefined;

export function accept(store: Store, shiftId: string, candidateId: string, now: number): Rejected {
  const job = store.jobs.get(shiftId);
  if (!job) return "job_not_found";
  const seats = store.seatsOf(shiftId);
  const before = seats.find((booking) => booking.candidateId === candidateId);
  if (before) return before.isWithdrawn ? "already_booked" : undefined;
  if (job.ownPeople.some((person) => person.candidateId === candidateId)) return "already_booked";
  if (job.startTime <= now) return "job_not_open";
  const isFull = seats.length + job.ownPeopleCount >= job.positions;
  if (job.status === "filled" || (job.status === "open" && isFull)) return "job_filled";
  if (job.status !== "open" || store.integration.state !== "active") return "job_not_open";
  if (store.isBeingCancelled(shiftId)) return "job_not_open";
  if (!store.competences.get(candidateId)?.has(job.competenceId ?? "")) return "competence_missing";
  if (store.overlap(candidateId, job.startTime, job.endTime) !== undefined) return "booking_overlaps";
  if (store.isOwnPerson(candidateId, job.startTime, job.endTime)) return "booking_overlaps";
  store.bookings.push({ bookingId: store.newId("b"), ...newBooking(job, candidateId, now) });
  const person = store.people.get(candidateId);
  if (person && person.fault?.kind !== "created") person.fault = null;
  store.markDue("shift", shiftId, 0, now);
  return undefined;
}

export function withdraw(store: Store, shiftId: string, candidateId: string, now: number): Rejected {
  const job = store.jobs.get(shiftId);
  const booking = store.seatsOf(shiftId).find((each) => each.candidateId === candidateId);
  if (!job || !booking) return "booking_not_found";
  if (job.startTime <= now) return "job_not_open";
  booking.isWithdrawn = true;
  store.markDue("shift", shiftId, 0, now);
  return undefined;
}

export function cancel(store: Store, shiftId: string, now: number): Rejected {
  const job = store.jobs.get(shiftId);
  if (!job) return "job_not_found";
  if (job.status === "cancelled" || store.isBeingCancelled(shiftId)) return undefined;
  if (job.startTime <= now) return "job_not_open";
  store.operations.push({
    operationId: store.newId("op"),
    shiftId,
    traceId: job.traceId,
    sentAt: null,
    expiresAt: now + ECHO_EXPECTED_MS,
    consumedAt: null,
    consumedBy: null,
    confirmedAt: null,
  });
  withdrawOffers(store, shiftId);
  store.markDue("shift", shiftId, 0, now);
  return undefined;
}

export function change(
  store: Store,
  shiftId: string,
  { byMs, positions }: { byMs: number | undefined; positions: number | undefined },
  now: number,
): Rejected {
  const job = store.jobs.get(shiftId);
  if (!job || job.status === "cancelled" || job.status === "expired") return "job_not_open";
  if (job.startTime <= now || store.isBeingCancelled(shiftId)) return "job_not_open";
  const pending = store.changes.findLast((each) => each.shiftId === shiftId && each.status === "pending");
  const before = pending ?? job;
  const values = {
    startTime: before.startTime + (byMs ?? 0),
    endTime: before.endTime + (byMs ?? 0),
    positions: positions ?? before.positions,
  };
  if (byMs !== undefined && values.startTime <= now) return "validation_failed";
  const times = byMs === undefined ? [] : (["startTime", "endTime"] as const);
  const named = [...times, ...(positions === undefined ? [] : (["positions"] as const))];
  if (named.length === 0) return "nothing to change";
  store.changes.push({
    changeId: store.newId("change"),
    shiftId,
    traceId: store.newId("trace"),
    ...values,
    named,
    base: null,
    sentAt: null,
    createdAt: now,
    status: "pending",
  });
  store.markDue("shift", shiftId, 0, now);
  return undefined;
}

/** Requeues the last event that has ended. */
export function replay(store: Store, now: number): Rejected {
  const event = store.events.findLast(({ status }) => status !== "queued");
  if (!event) return "event_not_found";
  Object.assign(event, { status: "queued", isRead: false, isReplayed: true });
  store.markDue("shift", event.shiftId, 1, now);
  return undefined;
}

export function mapOutlets(store: Store, now: number) {
  for (const [outletId, workplaceId] of store.outlets) {
    if (workplaceId === null) store.outlets.set(outletId, `w-${outletId}`);
    resolveIssues(store, { codes: ["outlet_not_mapped"], subject: { kind: "outlet", outletId } });
  }
  for (const job of store.jobs.values()) {
    const isOther = job.workplaceId !== (store.outlets.get(job.outletId) ?? null);
    if (isLive(job) && isOther) store.markDue("shift", job.shiftId, 1, now);
  }
}

export function suspend(store: Store) {
  store.integration.state = "suspended";
}

export function activate(store: Store, now: number) {
  if (store.integration.state === "active") return;
  store.integration.state = "active";
  for (const { status, shiftId } of store.events)
    if (status === "queued" || status === "dead") store.markDue("shift", shiftId, 1, now);
  for (const job of store.jobs.values()) if (isLive(job)) store.markDue("shift", job.shiftId, 1, now);
}
