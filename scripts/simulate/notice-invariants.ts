import { MINUTE_MS, wholeMinute } from "../../src/contract/timestamp.ts";
import type { Write } from "../../src/platform/shifts/plan/writes.ts";
import type { Checked } from "./checked.ts";
import { isLive, type JobRow, type NotificationRow, type Store } from "./store.ts";

/** Kinds that reset the known facts of a candidate: a later offer may have other times, and a change may restore the earlier ones. */
const ENDING = new Set<string>(["shift_cancelled", "booking_released", "job_offered"]);

/** Checks what candidates are notified of. */
export class NoticeInvariants {
  readonly #parts: Checked;
  /** By shift and candidate. */
  readonly #lastFacts = new Map<string, string>();
  readonly #lastCancelled = new Map<string, number>();
  /** How many changes each candidate was notified of, by shift and candidate. */
  readonly #changes = new Map<string, number>();

  constructor(parts: Checked) {
    this.#parts = parts;
  }

  notified(row: NotificationRow) {
    const { log } = this.#parts;
    const { kind, candidateId, shiftId, reason } = row;
    log(() => `platform  notifies ${candidateId}: ${kind} ${reason ?? ""} (${shiftId})`);
    if (kind === "job_offered") this.#checkOffered(row);
    if (kind === "booking_confirmed") this.#checkConfirmed(row);
    if (kind === "shift_cancelled") this.#checkCancelled(row);
    if (kind === "shift_changed") this.#checkChanged(row);
    if (reason === "removed_by_provider") this.#checkHeld(row);
    if (kind === "shift_cancelled" || reason === "removed_by_provider") this.#checkNotMoved(row);
    if (ENDING.has(kind)) this.#lastFacts.delete(`${shiftId} ${candidateId}`);
    if (kind === "shift_changed") this.#lastFacts.set(`${shiftId} ${candidateId}`, this.#factsOf(shiftId));
  }

  /** The same offer is made once, and again only after a confirmed booking has ended. */
  #checkOffered(row: NotificationRow) {
    const { notifications, bookings } = this.#parts.store;
    const isSame = (each: NotificationRow) =>
      each !== row &&
      (["shiftId", "candidateId", "kind", "startTime", "endTime"] as const).every(
        (of) => each[of] === row[of],
      );
    const before = notifications.findLast(isSame);
    if (!before) return;
    const wasConfirmed = (bookingId: string) =>
      notifications.some((each) => each.kind === "booking_confirmed" && each.changeKey === bookingId);
    const isRenewed = bookings.some(
      ({ shiftId, bookingId, status, updatedAt, isMoved }) =>
        shiftId === row.shiftId &&
        status === "released" &&
        updatedAt >= before.at &&
        (isMoved || wasConfirmed(bookingId)),
    );
    const wasBooked = (candidateId: string, until: number) =>
      bookings.some(
        (each) => each.isMoved && each.shiftId === row.shiftId && each.candidateId === candidateId,
      ) ||
      notifications.some(
        (each) =>
          each.kind === "booking_confirmed" &&
          each.shiftId === row.shiftId &&
          each.candidateId === candidateId &&
          each.at <= until,
      );
    // A booking that ended with its shift, and was confirmed again when the shift came back.
    const isRestored = notifications.some(
      (ended) =>
        ended.kind === "shift_cancelled" &&
        ended.shiftId === row.shiftId &&
        ended.at >= before.at &&
        wasBooked(ended.candidateId, ended.at),
    );
    if (!isRenewed && !isRestored)
      this.#parts.fail(`${row.candidateId} was offered ${row.shiftId} twice at the same times`);
  }

  #checkConfirmed({ shiftId, candidateId, changeKey }: NotificationRow) {
    const { store, records } = this.#parts;
    const since = store.bookings.find(({ bookingId }) => bookingId === changeKey)?.createdAt ?? 0;
    // Only a booking whose shift was cancelled, and is back, is confirmed again.
    const isAgain = since === 0;
    if (!this.#lastCancelled.delete(`${shiftId} ${candidateId}`) && isAgain)
      this.#parts.fail(`${candidateId} was notified twice of a confirmation on ${shiftId}`);
    this.#checkOnePerson(shiftId, candidateId);
    if (records.wasListed(shiftId, candidateId, since - this.#parts.staleMs())) return;
    this.#parts.fail(`${candidateId} was notified of a confirmation on ${shiftId}, but was never assigned`);
  }

  /** An id at the provider belongs to one candidate. */
  #checkOnePerson(shiftId: string, candidateId: string) {
    const seats = this.#parts.store.seatsOf(shiftId).filter(({ status }) => status === "confirmed");
    const id = seats.find((seat) => seat.candidateId === candidateId)?.providerCandidateId;
    const other = seats.find((seat) => seat.candidateId !== candidateId && seat.providerCandidateId === id);
    if (id && other)
      this.#parts.fail(
        `${candidateId} was confirmed on ${shiftId} as ${id}, who is ${other.candidateId} there`,
      );
  }

  #checkCancelled({ shiftId, candidateId }: NotificationRow) {
    const { store, records, now } = this.#parts;
    const key = `${shiftId} ${candidateId}`;
    const booking = store.bookingsOf(shiftId).findLast((each) => each.candidateId === candidateId);
    const since = booking?.createdAt ?? 0;
    if ((this.#lastCancelled.get(key) ?? -1) >= since)
      this.#parts.fail(`${candidateId} was notified twice that ${shiftId} is cancelled`);
    this.#lastCancelled.set(key, now());
    if (records.wasGone(shiftId, since - this.#parts.staleMs())) return;
    const by = this.#parts.network();
    const isHidden = by?.lackingRoutes.has("read") === true || by?.lackingRoutes.has("cancel") === true;
    this.#parts.failUnless(
      "one_route_missing",
      isHidden,
      `${candidateId} was notified that ${shiftId} is cancelled, but it was not`,
    );
  }

  /** A candidate who is known to have been moved to another shift at that time is not notified of the end of the booking. */
  #checkNotMoved({ shiftId, candidateId, startTime, endTime }: NotificationRow) {
    const { store, now } = this.#parts;
    const booking = store.bookingsOf(shiftId).findLast((each) => each.candidateId === candidateId);
    const isKnown = store.notifications.some(
      ({ kind, changeKey }) => kind === "booking_confirmed" && changeKey === booking?.bookingId,
    );
    const isOther = !booking || booking.isWithdrawn || booking.missingSince !== null || !isKnown;
    if (isOther || store.operations.some((each) => each.shiftId === shiftId)) return;
    const isMoved = [...store.jobs.values()].some(
      (job) =>
        job.shiftId !== shiftId &&
        isLive(job) &&
        job.startTime > now() &&
        job.startTime < endTime &&
        job.endTime > startTime &&
        (store.ownSince.get(`${job.shiftId} ${candidateId}`) ?? 0) > now() - 120 * MINUTE_MS,
    );
    if (isMoved)
      this.#parts.fail(`${candidateId} was notified of the end of a booking on ${shiftId}, but was moved`);
  }

  /** Of a list with at least three of the platform's people that becomes empty, no one is released (decisions, "a booked person is not on the list"). */
  #checkHeld({ shiftId, candidateId }: NotificationRow) {
    const { store, records, network, now } = this.#parts;
    const isEmptied = network()?.hasEmptyLists === true;
    const versions = records.versionsSince(shiftId, now() - 10 * MINUTE_MS);
    const isSeat = (seat: string) =>
      store.bookingsOf(shiftId).some((each) => each.candidateId === seat && !each.isWithdrawn);
    const listed = [...store.competences.keys()].filter((each) =>
      versions.every((shift) => shift !== undefined && records.lists(shift, each)),
    );
    const others = listed.filter((each) => each !== candidateId && isSeat(each));
    if (isEmptied && listed.includes(candidateId) && others.length >= 2)
      this.#parts.fail(`${candidateId} was released from ${shiftId}, whose list was suddenly empty`);
  }

  #checkChanged({ shiftId, candidateId, changeKey, startTime, endTime }: NotificationRow) {
    const versions = this.#parts.records.versionsOf(shiftId);
    const isReal = versions.some(({ shift }) => shift?.start === startTime && shift.end === endTime);
    if (!isReal) this.#parts.fail(`${candidateId} was notified of times that ${shiftId} never had`);
    // A move is a change, also one back to a shift that the candidate was notified of before.
    if (this.#parts.store.bookings.some(({ bookingId }) => bookingId === changeKey)) return;
    this.#checkCount(shiftId, candidateId);
    if (this.#lastFacts.get(`${shiftId} ${candidateId}`) === this.#factsOf(shiftId))
      this.#parts.fail(`${candidateId} was notified twice of the same change of ${shiftId}`);
  }

  /** A candidate hears no oftener of changes than the provider has made some that a person would read: in minutes, of the place, or of the role. */
  #checkCount(shiftId: string, candidateId: string) {
    const key = `${shiftId} ${candidateId}`;
    const count = (this.#changes.get(key) ?? 0) + 1;
    this.#changes.set(key, count);
    const read = this.#parts.records
      .bodiesOf(shiftId)
      .map(({ start, end, outletId, roleId }) =>
        [wholeMinute(start), wholeMinute(end), outletId, roleId].join(" "),
      );
    const made = read.filter((text, index) => index > 0 && text !== read[index - 1]).length;
    // While replicas disagree, a version that two readings in a row show is settled, even if it is the older one (decisions, "how old a reading may be").
    const isDisputed = this.#parts.network()?.lags.some(({ replicas }) => replicas > 1);
    if (count > made && !isDisputed)
      this.#parts.fail(
        `${candidateId} was notified of ${count} changes of ${shiftId}, of which ${made} can be read`,
      );
  }

  #factsOf(shiftId: string): string {
    const job = this.#parts.store.jobs.get(shiftId);
    return `${job?.startTime} ${job?.endTime} ${job?.outletId} ${job?.roleId}`;
  }
}

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
