import { findFree } from "./apply.ts";
import type { Excuse } from "./excuses.ts";
import type { ProviderShift } from "./provider.ts";
import type { BookingRow, JobRow } from "./store.ts";
import type { World } from "./world.ts";

/** Checks that both sides agree on every shift, once the faults have ended and the periodic reading has come round. */
export function agree(world: World) {
  const ids = new Set([...world.records.shiftIds, ...world.store.jobs.keys()]);
  for (const id of ids) agreeOn(world, id);
}

function agreeOn(world: World, id: string) {
  const { store, records, now, watch } = world;
  const shift = records.current(id);
  const job = store.jobs.get(id);
  const isThere = shift !== undefined && !shift.isCancelled;
  if (store.integration.heldSince !== null && !isThere && job?.status !== "cancelled")
    return watch.excuses.count("mass_disappearance");
  checkAtRest(world, id);
  if (!isThere) return checkGone(world, id, job);
  if (!job) return checkUnknown(world, id);
  if (shift.start <= now || job.startTime <= now) return checkStarted(world, id, job);
  if (job.status === "cancelled") return checkCancelledHere(world, id, job);
  checkFacts(world, shift, job);
  checkPeople(world, shift, job);
  checkOffers(world, job);
}

function checkUnknown({ watch, webhooks, network, records }: World, id: string) {
  if ((webhooks.announcedAt.get(id) ?? 0) < records.appearedAt(id)) return watch.excuses.count("unannounced");
  watch.failUnless("one_route_missing", network.lackingRoutes.has("read"), `${id} has no job`);
}

function excused(world: World, excuse: Excuse, applies: boolean, violation: string) {
  world.watch.failUnless(excuse, applies, violation);
}

/** Nothing is in doubt, asked for or waiting. */
function checkAtRest({ store, watch, now }: World, id: string) {
  const job = store.jobs.get(id);
  const isCancelled = job?.status === "cancelled";
  for (const booking of store.bookingsOf(id)) {
    const { bookingId, status, atProvider, isWithdrawn } = booking;
    const isLive = status === "pending" || status === "confirmed";
    const isUndone =
      status === "pending" || (isLive && isWithdrawn) || (!isCancelled && atProvider === "maybe");
    if (isUndone) watch.fail(`${bookingId} on ${id} is ${status}, ${atProvider} at the provider, for good`);
  }
  if (!isCancelled && store.isBeingCancelled(id)) watch.fail(`the cancellation of ${id} never ends`);
  if (store.changes.some(({ shiftId, status }) => shiftId === id && status === "pending"))
    watch.fail(`a change of ${id} never ends`);
  const queued = store.events.find(({ shiftId, status }) => shiftId === id && status === "queued");
  if (queued) watch.fail(`${queued.event} of ${id} (${queued.traceId}) is queued for good`);
  const work = store.work.get(`shift ${id}`);
  const isMuchLater = !work || work.dueAt > now || work.priority === 2;
  if (!isMuchLater) watch.fail(`${id} is due all the time`);
}

function checkGone({ watch, now, store }: World, id: string, job: JobRow | undefined) {
  if (!job || job.status === "cancelled") {
    const booked = store.seatsOf(id);
    if (booked.length > 0) watch.fail(`${id} is cancelled, and ${booked.length} are booked on it`);
    return;
  }
  if (job.startTime <= now) return;
  watch.fail(`${id} is gone at the provider, and its job is ${job.status}`);
}

function checkStarted({ watch, now }: World, id: string, job: JobRow) {
  if (job.status === "expired" || job.status === "cancelled") return;
  watch.fail(
    `${id} has started, and its job, which starts at ${job.startTime - now} ms from now, is ${job.status}`,
  );
}

/** Decided: a shift that reappears reopens its job, unless the platform cancelled it. */
function checkCancelledHere(world: World, id: string, job: JobRow) {
  const isOurs = job.cancelledBy === "employer" && world.records.wasGone(id, 0);
  const { lackingRoutes } = world.network;
  const isHidden =
    job.cancelledBy === "employer" && (lackingRoutes.has("cancel") || lackingRoutes.has("read"));
  if (isOurs) return world.watch.excuses.count("cancelled_here");
  excused(
    world,
    "one_route_missing",
    isHidden,
    `${id} is there, and its job was cancelled by ${job.cancelledBy}`,
  );
}

function checkFacts({ watch }: World, shift: ProviderShift, job: JobRow) {
  const here = [job.startTime, job.endTime, job.positions, job.outletId, job.roleId].join(" ");
  const there = [shift.start, shift.end, shift.positions, shift.outletId, shift.roleId].join(" ");
  if (here !== there) watch.fail(`${shift.id} is ${there} at the provider, and ${here} here`);
}

/** Booked are exactly those of the platform's people who are on the provider's list. */
function checkPeople(world: World, shift: ProviderShift, job: JobRow) {
  const { store, records } = world;
  const seats = store.seatsOf(shift.id);
  const candidateOf = (personId: string) => records.person(personId)?.candidateId;
  const listed = shift.entries.map(({ personId }) => candidateOf(personId));
  for (const { candidateId, isListed } of seats)
    if (!listed.includes(candidateId))
      excused(
        world,
        "removed_unseen",
        !isListed,
        `${candidateId} is booked on ${shift.id}, but not assigned`,
      );
  for (const { personId, by } of shift.entries) {
    const candidateId = candidateOf(personId);
    if (by === "provider" || seats.some((seat) => seat.candidateId === candidateId)) continue;
    const subject = { kind: "booking", shiftId: shift.id, candidateId: candidateId ?? "" } as const;
    const isRefused = store.hasOpenIssue("unassign_failed", subject);
    const isRestored = records.unassignedWhileLost.has(shift.id);
    const excuse = isRefused ? "unassign_failed" : "backup_restored";
    excused(
      world,
      excuse,
      isRefused || isRestored,
      `${candidateId} is assigned to ${shift.id}, but not booked`,
    );
  }
  const twice = listed.find((one, index) => one !== undefined && listed.indexOf(one) !== index);
  if (twice !== undefined)
    return excused(
      world,
      "look_up_by_gateway",
      world.network.hasHiddenPeople,
      `${twice} is on the list of ${shift.id} twice`,
    );
  checkSeats(world, shift, job, seats);
}

function checkSeats(
  { watch, records }: World,
  { id, entries }: ProviderShift,
  job: JobRow,
  seats: BookingRow[],
) {
  const ours = seats.map(({ candidateId }) => candidateId);
  const own = entries.filter(({ personId }) => !ours.includes(records.person(personId)?.candidateId ?? "-"));
  if (own.length !== job.ownPeopleCount)
    watch.fail(`the provider's own people on ${id} are ${own.length}, and ${job.ownPeopleCount} here`);
  const isFull = seats.length + own.length >= job.positions;
  const status = isFull ? "filled" : "open";
  if (job.status !== status) watch.fail(`the job of ${id} is ${job.status}, and should be ${status}`);
}

/** An open job is offered to everyone who is free, and to no one with other times; any other job to no one. */
function checkOffers({ store, watch }: World, job: JobRow) {
  const { shiftId } = job;
  const offers = store.notifications.filter(
    (row) => row.shiftId === shiftId && row.kind === "job_offered" && !row.isWithdrawn,
  );
  if (job.status !== "open" && offers.length > 0)
    watch.fail(`${shiftId} is ${job.status}, and still offered`);
  const isOther = offers.some(
    ({ startTime, endTime }) => startTime !== job.startTime || endTime !== job.endTime,
  );
  if (isOther) watch.fail(`${shiftId} is offered with other times`);
  if (job.status !== "open") return;
  for (const candidateId of findFree(store, job))
    if (!offers.some((offer) => offer.candidateId === candidateId))
      watch.fail(`${shiftId} is open, and ${candidateId} holds no offer`);
}
