import type { BookingReason } from "../../generated/operations/types.ts";
import { HOUR_MS, wholeMinute } from "../../src/contract/timestamp.ts";
import type { Allowed } from "./allowed.ts";
import { LOADED_FOR_MS } from "./load-state.ts";
import { findFree } from "./notice-invariants.ts";
import type { ProviderPerson, ProviderShift } from "./provider.ts";
import type { BookingRow, JobRow, Store } from "./store.ts";
import type { SimulatedSystem } from "./system.ts";

/** Checks that both sides agree on every shift, after the end of the faults and one periodic reading. */
export function checkAgreement(system: SimulatedSystem) {
  const ids = new Set([...system.records.shiftIds, ...system.store.jobs.keys()]);
  for (const id of ids) checkShift(system, id);
}

function checkShift(system: SimulatedSystem, id: string) {
  const { store, records, now, invariants } = system;
  const shift = records.current(id);
  const job = store.jobs.get(id);
  const isThere = shift !== undefined && !shift.isCancelled;
  if (store.integration.heldSince !== null && !isThere && job?.status !== "cancelled")
    return invariants.allowed.count("mass_disappearance");
  checkAtRest(system, id);
  if (!isThere) return checkGone(system, id, job);
  if (!job) return checkUnknown(system, id);
  if (shift.start <= now || job.startTime <= now) return checkStarted(system, id, job);
  if (job.status === "cancelled") return checkCancelledByPlatform(system, id, job);
  checkFacts(system, shift, job);
  checkPeople(system, shift, job);
  checkOffers(system, job);
}

function checkUnknown({ invariants, webhooks, network, records }: SimulatedSystem, id: string) {
  if ((webhooks.announcedAt.get(id) ?? 0) < records.appearedAt(id))
    return invariants.allowed.count("unannounced");
  invariants.failUnless("one_route_missing", network.lackingRoutes.has("read"), `${id} has no job`);
}

function failUnlessAllowed(system: SimulatedSystem, allowance: Allowed, applies: boolean, violation: string) {
  system.invariants.failUnless(allowance, applies, violation);
}

/** Checks that nothing of the shift is in doubt, requested or waiting. */
function checkAtRest({ store, invariants, now }: SimulatedSystem, id: string) {
  const job = store.jobs.get(id);
  const isCancelled = job?.status === "cancelled";
  for (const booking of store.bookingsOf(id)) {
    const { bookingId, status, atProvider, isWithdrawn } = booking;
    const isLive = status === "pending" || status === "confirmed";
    const isUndone =
      status === "pending" || (isLive && isWithdrawn) || (!isCancelled && atProvider === "maybe");
    if (isUndone)
      invariants.fail(`${bookingId} on ${id} is ${status}, ${atProvider} at the provider, permanently`);
  }
  if (!isCancelled && store.isBeingCancelled(id)) invariants.fail(`the cancellation of ${id} never ends`);
  if (store.changes.some(({ shiftId, status }) => shiftId === id && status === "pending"))
    invariants.fail(`a change of ${id} never ends`);
  const queued = store.events.find(({ shiftId, status }) => shiftId === id && status === "queued");
  if (queued) invariants.fail(`${queued.event} of ${id} (${queued.traceId}) stays queued`);
  const work = store.work.get(`shift ${id}`);
  const isMuchLater = !work || work.dueAt > now || work.priority === 2;
  if (!isMuchLater) invariants.fail(`${id} is always due`);
}

function checkGone({ invariants, now, store }: SimulatedSystem, id: string, job: JobRow | undefined) {
  if (!job || job.status === "cancelled") {
    const booked = store.seatsOf(id);
    if (booked.length > 0) invariants.fail(`${id} is cancelled, and ${booked.length} are booked on it`);
    return;
  }
  if (job.startTime <= now) return;
  invariants.fail(`${id} is gone at the provider, and its job is ${job.status}`);
}

function checkStarted({ invariants, now }: SimulatedSystem, id: string, job: JobRow) {
  if (job.status === "expired" || job.status === "cancelled") return;
  invariants.fail(
    `${id} has started, and its job, which starts at ${job.startTime - now} ms from now, is ${job.status}`,
  );
}

/** A shift that reappears reopens its job, unless the platform cancelled it (decisions). */
function checkCancelledByPlatform(system: SimulatedSystem, id: string, job: JobRow) {
  const { records, store } = system;
  const isByPlatform = job.cancelledBy === "employer" && records.wasGone(id, 0);
  const hasIssue = store.hasOpenIssue("delete_not_confirmed", { kind: "shift", shiftId: id });
  if (isByPlatform && hasIssue) return system.invariants.allowed.count("cancelled_by_platform");
  // The only webhook since then may be the late echo of the DELETE, which is skipped.
  const isSeen = (store.shifts.get(id)?.foundAt ?? 0) >= records.appearedAt(id);
  if (isByPlatform && !isSeen) return system.invariants.allowed.count("unannounced");
  const { lackingRoutes } = system.network;
  const isHidden =
    job.cancelledBy === "employer" && (lackingRoutes.has("cancel") || lackingRoutes.has("read"));
  failUnlessAllowed(
    system,
    "one_route_missing",
    isHidden,
    `${id} is there, and its job was cancelled by ${job.cancelledBy}`,
  );
}

function checkFacts({ invariants }: SimulatedSystem, shift: ProviderShift, job: JobRow) {
  const here = [job.startTime, job.endTime, job.positions, job.outletId, job.roleId].join(" ");
  const there = [shift.start, shift.end, shift.positions, shift.outletId, shift.roleId].join(" ");
  if (here !== there) invariants.fail(`${shift.id} is ${there} at the provider, and ${here} on the platform`);
}

/** Checks that exactly the platform's candidates on the provider's list are booked. */
function checkPeople(system: SimulatedSystem, shift: ProviderShift, job: JobRow) {
  const { store, records } = system;
  const seats = store.seatsOf(shift.id);
  const candidateOf = (personId: string) => seatedAs(records.person(personId), seats);
  const listed = shift.entries.map(({ personId }) => candidateOf(personId));
  for (const { candidateId, missingSince } of seats)
    if (!listed.includes(candidateId) && missingSince !== null && store.integration.heldSince !== null)
      system.invariants.allowed.count("mass_disappearance");
    else if (!listed.includes(candidateId))
      failUnlessAllowed(
        system,
        "removed_unseen",
        !store.integration.listsBooked,
        `${candidateId} is booked on ${shift.id}, but not assigned`,
      );
  for (const { personId, by, assignedAs = personId } of shift.entries) {
    const candidateId = candidateOf(personId);
    if (by === "provider" || seats.some((seat) => seat.candidateId === candidateId)) continue;
    const names = namesOf(records.person(personId));
    const isEnded = (has: (booking: BookingRow) => boolean) =>
      store.bookingsOf(shift.id).some((each) => names.includes(each.candidateId) && has(each));
    const hasIssue = (type: "booking_overlaps" | "unassign_failed" | "assigned_as_another") =>
      names.some((name) =>
        store.hasOpenIssue(type, { kind: "booking", shiftId: shift.id, candidateId: name ?? "" }),
      );
    // The shift came back, and the person is booked elsewhere: the platform leaves them on it as the provider's own.
    if (hasIssue("booking_overlaps")) continue;
    // A look-up does not find alone the one whom the acknowledgement names: they were merged once more, or created twice.
    if (hasIssue("assigned_as_another")) {
      system.invariants.allowed.count("assigned_as_another");
      continue;
    }
    // A list that lacked the person, who was also on another shift, was read as a move: the person is on this one by the provider's decision.
    if (isEnded(({ reason }) => reason === "moved_by_provider")) continue;
    // Lists that showed no one have hidden that an assignment took effect late: two minutes later, the person is the provider's own.
    const { emptyAt } = system.network;
    const nextReadAt = (emptyAt ?? Number.NEGATIVE_INFINITY) + 1.1 * HOUR_MS;
    if (emptyAt !== undefined && isEnded(({ reason }) => reason === "withdrawn")) continue;
    // They have hidden someone until the booking, which had ended, decided nothing any more.
    if (isEnded(({ status, updatedAt }) => status === "released" && updatedAt + LOADED_FOR_MS < nextReadAt))
      continue;
    // The shift was gone, and back without the person: only the provider has put them on it since.
    if (isEnded(hasLeftWithShift)) continue;
    if (names.some((name) => isMergedSince(store, shift.id, { personId, assignedAs }, name))) continue;
    // The shift was gone before the withdrawal was settled, and is back with the person under another id: only people who are booked are looked up again.
    const hasReturned = ({ reason, leftAt }: BookingRow) =>
      reason === "withdrawn" && leftAt !== null && records.wasGone(shift.id, leftAt);
    if (assignedAs !== personId && isEnded(hasReturned)) continue;
    // They have withdrawn and are on the list under a new id, which look-ups did not show.
    const isHidden =
      system.network.hasHiddenPeople &&
      assignedAs !== personId &&
      isEnded(({ reason }) => reason === "withdrawn");
    if (isHidden) {
      system.invariants.allowed.count("look_up_by_gateway");
      continue;
    }
    const isRefused = hasIssue("unassign_failed");
    const isRestored = records.unassignedWhileLost.has(shift.id);
    const allowance = isRefused ? "unassign_failed" : "backup_restored";
    failUnlessAllowed(
      system,
      allowance,
      isRefused || isRestored,
      `${candidateId} is assigned to ${shift.id}, but not booked`,
    );
  }
  const twice = listed.find((one, index) => one !== undefined && listed.indexOf(one) !== index);
  if (twice !== undefined)
    return failUnlessAllowed(
      system,
      "look_up_by_gateway",
      system.network.hasHiddenPeople,
      `${twice} is on the list of ${shift.id} twice`,
    );
  checkSeats(system, shift, job, seats, listed);
}

/** Returns as whom the person is on a list: as the candidate with the same number, or as one whom the provider takes for this person. */
function seatedAs(person: ProviderPerson | undefined, seats: readonly BookingRow[]): string | undefined {
  const names = namesOf(person);
  const seated = seats.filter(({ candidateId }) => names.includes(candidateId));
  const assigned = seated.find(({ providerCandidateId }) => providerCandidateId === person?.id) ?? seated[0];
  return assigned?.candidateId ?? person?.candidateId;
}

const namesOf = (person: ProviderPerson | undefined): (string | undefined)[] =>
  person ? [person.candidateId, ...person.foundFor] : [];

const hasEnded = (
  store: Store,
  shiftId: string,
  candidateId: string | undefined,
  reason: BookingReason,
): boolean =>
  store.bookingsOf(shiftId).some((each) => each.candidateId === candidateId && each.reason === reason);

const hasLeftWithShift = ({ reason, leftAt }: BookingRow): boolean =>
  leftAt !== null && (reason === "shift_deleted" || reason === "shift_cancelled");

/** Why a booking ended although the person had not withdrawn: the lists lacked them, or the shift was gone. */
const LOST: readonly BookingReason[] = [
  "removed_by_provider",
  "assignment_refused",
  "candidate_not_found",
  "shift_deleted",
  "shift_cancelled",
];

/** Someone whose assignment was acknowledged as that of another is looked up before the booking fails. */
const isLost = ({ reason, status }: BookingRow): boolean =>
  reason !== null && LOST.includes(reason) && !(reason === "assignment_refused" && status === "failed");

/**
 * Whether the provider lists the person under an id that the platform did not know when it assigned them, or when the booking ended. Only people who are booked are looked up again
 * (decisions, "people whom the provider merges"), so the person is one of the provider's own.
 */
const isMergedSince = (
  store: Store,
  shiftId: string,
  { personId, assignedAs }: { personId: string; assignedAs: string },
  candidateId: string | undefined,
): boolean =>
  (assignedAs !== personId ||
    store.bookingsOf(shiftId).every(({ providerCandidateId }) => providerCandidateId !== personId)) &&
  store.bookingsOf(shiftId).some((each) => each.candidateId === candidateId && isLost(each)) &&
  !hasEnded(store, shiftId, candidateId, "withdrawn");

function checkSeats(
  system: SimulatedSystem,
  { id }: ProviderShift,
  job: JobRow,
  seats: BookingRow[],
  listed: (string | undefined)[],
) {
  const { invariants, network } = system;
  const booked = seats.map(({ candidateId }) => candidateId);
  const own = listed.filter((candidateId) => !booked.includes(candidateId ?? "-"));
  // A person whom the provider has merged counts twice while a gateway hides the new id.
  if (own.length !== job.ownPeopleCount)
    return failUnlessAllowed(
      system,
      "look_up_by_gateway",
      network.hasHiddenPeople && own.length < job.ownPeopleCount,
      `the provider's own people on ${id} are ${own.length}, and ${job.ownPeopleCount} on the platform`,
    );
  const isFull = seats.length + own.length >= job.positions;
  const status = isFull ? "filled" : "open";
  if (job.status !== status) invariants.fail(`the job of ${id} is ${job.status}, and should be ${status}`);
}

/** Checks that an open job is offered to every free candidate with its current times, and any other job to no one. */
function checkOffers({ store, invariants }: SimulatedSystem, job: JobRow) {
  const { shiftId } = job;
  const offers = store.notifications.filter(
    (row) => row.shiftId === shiftId && row.kind === "job_offered" && !row.isWithdrawn,
  );
  if (job.status !== "open" && offers.length > 0)
    invariants.fail(`${shiftId} is ${job.status}, and still offered`);
  const isOther = offers.some(
    ({ startTime, endTime }) =>
      wholeMinute(startTime) !== wholeMinute(job.startTime) ||
      wholeMinute(endTime) !== wholeMinute(job.endTime),
  );
  if (isOther) invariants.fail(`${shiftId} is offered with other times`);
  if (job.status !== "open") return;
  for (const candidateId of findFree(store, job))
    if (!offers.some((offer) => offer.candidateId === candidateId))
      invariants.fail(`${shiftId} is open, and ${candidateId} holds no offer`);
}
