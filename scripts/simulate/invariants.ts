import { MINUTE_MS } from "../../src/contract/durations.ts";
import { GONE } from "../../src/platform/shifts/believe.ts";
import type { Call, ChangeValues, JobState, Next, ShiftState } from "../../src/platform/shifts/state.ts";
import { type Allowed, AllowedCounts } from "./allowed.ts";
import type { Network } from "./network.ts";
import type { Observations } from "./observations.ts";
import type { ProviderRecords } from "./provider.ts";
import { type ChangeRow, isLive, type NotificationRow, type Store } from "./store.ts";

type ShiftBody = ReturnType<ProviderRecords["asRead"]>;

interface Parts {
  store: Store;
  records: ProviderRecords;
  now: () => number;
  log: (line: () => string) => void;
}

/** The most that passes between a response and what the platform does with it. Milliseconds. */
const ACTS_WITHIN_MS = 10_000;

/** Kinds that reset the known facts of a candidate: a later offer may have other times, and a change may restore the earlier ones. */
const ENDING = new Set<string>(["shift_cancelled", "booking_released", "job_offered"]);

/** Checks invariants during the simulation, and counts the calls and runs of each shift. */
export class Invariants {
  readonly violations: string[] = [];
  readonly allowed = new AllowedCounts();
  readonly runs = new Map<string, number>();
  readonly calls = new Map<string, number>();
  /** Calls with an effect, since the counts were reset. */
  readonly changes = new Map<string, number>();
  network: Network | undefined;
  observations: Observations | undefined;
  readonly #parts: Parts;
  /** By shift and candidate. */
  readonly #lastFacts = new Map<string, string>();
  readonly #lastCancelled = new Map<string, number>();
  /** The first call of each change that may have taken effect, by changeId. */
  /** The shift as it was when a change was first sent. */
  readonly #known = new Map<string, ShiftBody[]>();
  readonly #firstCalls = new Map<string, { values: ChangeValues; at: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  fail(violation: string) {
    this.#parts.log(() => `VIOLATION ${violation}`);
    this.violations.push(violation);
  }

  /** Records a violation unless the allowance applies. */
  failUnless(allowance: Allowed, applies: boolean, violation: string) {
    if (applies) this.allowed.count(allowance);
    else this.fail(violation);
  }

  /** Returns the result, and records a violation if the plan throws. */
  guard<Value>(make: () => Value): Value | undefined {
    try {
      return make();
    } catch (error) {
      this.fail(`the plan threw: ${(error as Error).stack ?? error}`);
      return undefined;
    }
  }

  runStarted(shiftId: string) {
    increase(this.runs, shiftId);
  }

  resetCounts() {
    for (const counts of [this.runs, this.calls, this.changes]) counts.clear();
  }

  called(shiftId: string, { do: what }: Next) {
    increase(this.calls, shiftId);
    if (what === "read" || what === "witness") return;
    increase(this.changes, shiftId);
    this.observations?.called(shiftId);
  }

  intended(shiftId: string, call: Call) {
    const job = this.#parts.store.jobs.get(shiftId);
    const hasStarted = !job || job.startTime <= this.#parts.now();
    if (hasStarted) this.fail(`${call.do} on ${shiftId} after its start`);
    if (call.do !== "change") return;
    this.#checkRepeated(shiftId, call);
    this.#checkUndone(shiftId, call);
    this.#checkOverwritten(shiftId, call);
  }

  /** A change sends no value that the provider has long replaced, unless it was asked for; and what was asked for only over the value that it was asked of. */
  #checkOverwritten(shiftId: string, { changeId, values }: Extract<Call, { do: "change" }>) {
    const { records, now } = this.#parts;
    const had = records
      .versionsSince(shiftId, now() - this.#staleMs)
      .flatMap((shift) => (shift ? [records.asRead(shift)] : []));
    const named = this.#change(changeId)?.named ?? [];
    // What the provider had before the platform's own change is believed again only after two minutes: a replica may show it.
    const last = records.requested(shiftId);
    const own = last && last.at > now() - 2 * MINUTE_MS ? last.values : undefined;
    const known = this.#known.get(changeId) ?? had;
    this.#known.set(changeId, known);
    for (const name of ["startTime", "endTime", "positions"] as const) {
      const isNamed = named.includes(name);
      const isOwn = own?.[name] === values[name];
      const isOld = !isNamed && !isOwn && !had.some((shift) => shift[name] === values[name]);
      const isKept = (shift: ShiftBody) =>
        shift[name] === values[name] || known.some((before) => before[name] === shift[name]);
      const isReplaced = isNamed && !had.some(isKept);
      if (isOld) this.fail(`${changeId} of ${shiftId} sends an old value of ${name}`);
      if (isReplaced) this.fail(`${changeId} of ${shiftId} overwrites the ${name} that the provider has set`);
    }
  }

  /** How old what the platform acts on may be: as far as a replica has lagged until now. */
  get #staleMs(): number {
    const lags = this.network?.lags.map(({ lagMs }) => lagMs) ?? [];
    return ACTS_WITHIN_MS + Math.max(0, ...lags);
  }

  /** A call that the provider did not get, or declined for now, is not the first call of its change. */
  hadNoEffect(call: Call) {
    if (call.do !== "change") return;
    const isFirst = this.#firstCalls.get(call.changeId)?.values === call.values;
    if (isFirst) this.#firstCalls.delete(call.changeId);
  }

  /** A repeated change sends other values only if the provider has had them since the first call. */
  #checkRepeated(shiftId: string, { changeId, values }: Extract<Call, { do: "change" }>) {
    const { records, now } = this.#parts;
    const first = this.#firstCalls.get(changeId);
    if (!first) return void this.#firstCalls.set(changeId, { values, at: now() });
    const had = records
      .versionsSince(shiftId, first.at)
      .flatMap((shift) => (shift ? [records.asRead(shift)] : []));
    for (const name of ["startTime", "endTime", "positions"] as const)
      if (values[name] !== first.values[name] && !had.some((shift) => shift[name] === values[name]))
        this.fail(`${changeId} of ${shiftId} was repeated with an old value of ${name}`);
  }

  /** A change leaves what the one before requested, if the provider has kept it. */
  #checkUndone(shiftId: string, { changeId, values }: Extract<Call, { do: "change" }>) {
    const { records } = this.#parts;
    const last = records.requested(shiftId);
    if (!last || last.changeId === changeId) return;
    const since = records
      .versionsSince(shiftId, last.at + 1)
      .map((shift) => (shift ? records.asRead(shift) : undefined));
    const named = this.#change(changeId)?.named ?? [];
    for (const name of this.#change(last.changeId)?.named ?? []) {
      const isKept = since.every((shift) => shift?.[name] === last.values[name]);
      if (isKept && !named.includes(name) && values[name] !== last.values[name])
        this.fail(`${changeId} of ${shiftId} undoes ${name} of ${last.changeId}`);
    }
  }

  #change(changeId: string): ChangeRow | undefined {
    return this.#parts.store.changes.find((change) => change.changeId === changeId);
  }

  /** Checks what a transaction made of the job. `before`: the state that it was planned with. */
  committed(shiftId: string, { job: before, shift }: Pick<ShiftState, "job" | "shift">) {
    const { version, missingSince } = shift.belief;
    this.#checkReopened(shiftId, before, version === GONE ? missingSince : null);
    this.#checkReturned(shiftId, before);
  }

  /** A shift that is known to be gone has a job again only if it has reappeared since. */
  #checkReopened(shiftId: string, before: JobState | undefined, goneAt: number | null) {
    const { store, records } = this.#parts;
    const isLive = (job: Pick<JobState, "status"> | undefined) =>
      job !== undefined && job.status !== "cancelled";
    if (goneAt === null || isLive(before) || !isLive(store.jobs.get(shiftId))) return;
    const versions = records.versionsSince(shiftId, goneAt);
    if (versions.every((shift) => shift === undefined || shift.isCancelled))
      this.fail(`${shiftId} has a job again, although it is gone`);
  }

  /** The job does not return to what it was before a confirmed change. */
  #checkReturned(shiftId: string, before: JobState | undefined) {
    const { store, records } = this.#parts;
    const job = store.jobs.get(shiftId);
    const last = records.requested(shiftId);
    if (!job || !last || this.#change(last.changeId)?.status !== "confirmed") return;
    const had = records
      .versionsSince(shiftId, last.at + 1)
      .flatMap((shift) =>
        shift ? [{ startTime: shift.start, endTime: shift.end, positions: shift.positions }] : [],
      );
    for (const name of this.#change(last.changeId)?.named ?? [])
      if (before?.[name] !== job[name] && !had.some((shift) => shift[name] === job[name]))
        this.fail(`the job of ${shiftId} returns to the ${name} before ${last.changeId}`);
  }

  created(candidateId: string) {
    const { records } = this.#parts;
    if (!records.people.some((person) => person.candidateId === candidateId)) return;
    const isHidden = this.network?.hasHiddenPeople === true;
    this.failUnless("look_up_by_gateway", isHidden, `${candidateId} was created twice at the provider`);
  }

  notified(row: NotificationRow) {
    const { log } = this.#parts;
    const { kind, candidateId, shiftId, reason } = row;
    log(() => `platform  notifies ${candidateId}: ${kind} ${reason ?? ""} (${shiftId})`);
    if (kind === "job_offered") this.#checkOffered(row);
    if (kind === "booking_confirmed") this.#checkConfirmed(row);
    if (kind === "shift_cancelled") this.#checkCancelled(row);
    if (kind === "shift_changed") this.#checkChanged(row);
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
    // A booking that ended with its shift, and was confirmed again when the shift came back.
    const isRestored = notifications.some(
      (ended) =>
        ended.kind === "shift_cancelled" &&
        ended.shiftId === row.shiftId &&
        ended.at >= before.at &&
        notifications.some(
          ({ kind, shiftId, candidateId, at }) =>
            kind === "booking_confirmed" &&
            shiftId === row.shiftId &&
            candidateId === ended.candidateId &&
            at <= ended.at,
        ),
    );
    if (!isRenewed && !isRestored)
      this.fail(`${row.candidateId} was offered ${row.shiftId} twice at the same times`);
  }

  #checkConfirmed({ shiftId, candidateId, changeKey }: NotificationRow) {
    const { store, records } = this.#parts;
    const since = store.bookings.find(({ bookingId }) => bookingId === changeKey)?.createdAt ?? 0;
    // Only a booking whose shift was cancelled, and is back, is confirmed again.
    const isAgain = since === 0;
    if (!this.#lastCancelled.delete(`${shiftId} ${candidateId}`) && isAgain)
      this.fail(`${candidateId} was notified twice of a confirmation on ${shiftId}`);
    if (records.wasListed(shiftId, candidateId, since - this.#staleMs)) return;
    this.fail(`${candidateId} was notified of a confirmation on ${shiftId}, but was never assigned`);
  }

  #checkCancelled({ shiftId, candidateId }: NotificationRow) {
    const { store, records, now } = this.#parts;
    const key = `${shiftId} ${candidateId}`;
    const booking = store.bookingsOf(shiftId).findLast((each) => each.candidateId === candidateId);
    const since = booking?.createdAt ?? 0;
    if ((this.#lastCancelled.get(key) ?? -1) >= since)
      this.fail(`${candidateId} was notified twice that ${shiftId} is cancelled`);
    this.#lastCancelled.set(key, now());
    if (records.wasGone(shiftId, since - this.#staleMs)) return;
    const by = this.network;
    const isHidden = by?.lackingRoutes.has("read") === true || by?.lackingRoutes.has("cancel") === true;
    this.failUnless(
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
      this.fail(`${candidateId} was notified of the end of a booking on ${shiftId}, but was moved`);
  }

  #checkChanged({ shiftId, candidateId, changeKey, startTime, endTime }: NotificationRow) {
    const versions = this.#parts.records.versionsOf(shiftId);
    const isReal = versions.some(({ shift }) => shift?.start === startTime && shift.end === endTime);
    if (!isReal) this.fail(`${candidateId} was notified of times that ${shiftId} never had`);
    // A move is a change, also one back to a shift that the candidate was notified of before.
    if (this.#parts.store.bookings.some(({ bookingId }) => bookingId === changeKey)) return;
    if (this.#lastFacts.get(`${shiftId} ${candidateId}`) === this.#factsOf(shiftId))
      this.fail(`${candidateId} was notified twice of the same change of ${shiftId}`);
  }

  #factsOf(shiftId: string): string {
    const job = this.#parts.store.jobs.get(shiftId);
    return `${job?.startTime} ${job?.endTime} ${job?.outletId} ${job?.roleId}`;
  }
}

const increase = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
