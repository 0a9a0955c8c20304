import type {
  EventStatus,
  IssueCode,
  Outcome,
  Params,
  Subject,
} from "../../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../contract/timestamp.ts";
import { lagOf, nextRung } from "../../work/ladder.ts";
import {
  type Belief,
  type Believed,
  believe,
  called,
  isContested,
  isSettled,
  noticed,
  type Seen,
  type Values,
} from "./believe.ts";
import type {
  BookingState,
  ChangeState,
  EventState,
  JobState,
  Reading,
  Rules,
  RunSoFar,
  ShiftState,
} from "./state.ts";
import {
  type BookingPatch,
  type ChangePatch,
  type PlannedStep,
  rowsOf,
  type ShiftPatch,
  type Write,
} from "./writes.ts";

/** The state as the plan changes it, with the writes that make those changes. */
export class Draft {
  readonly state: ShiftState;
  readonly now: number;
  readonly rules: Rules;
  /** What is written beside the rows that differ. */
  readonly #writes: Write[] = [];
  readonly #before: ShiftState;
  readonly #runTraceId: string;
  /** Whether the job's status is already up to date. */
  isRefreshed = false;
  isJobChanged = false;

  constructor(state: ShiftState, run: Pick<RunSoFar, "traceId">, now: number, rules: Rules) {
    this.#before = state;
    this.state = structuredClone(state);
    // A belief is a value: another one was read at another time.
    this.state.shift.belief = state.shift.belief;
    this.#runTraceId = run.traceId;
    this.now = now;
    this.rules = rules;
  }

  get job(): JobState | undefined {
    return this.state.job;
  }

  get isLive(): boolean {
    return this.job !== undefined && this.job.status !== "cancelled";
  }

  get hasStarted(): boolean {
    return this.job !== undefined && this.job.startTime <= this.now;
  }

  /** The trace of a reading: that of the oldest event, else of the job, else of the run. */
  get traceId(): string {
    const [event] = this.state.events;
    return event?.traceId ?? this.job?.traceId ?? this.state.bookings[0]?.traceId ?? this.#runTraceId;
  }

  get subject(): Subject {
    return { kind: "shift", shiftId: this.state.shiftId };
  }

  bookingSubject({ candidateId }: BookingState): Subject {
    return { kind: "booking", shiftId: this.state.shiftId, candidateId };
  }

  /** The rows that differ, and what else is written. */
  get writes(): Write[] {
    return [...rowsOf(this.#before, this.state), ...this.#writes];
  }

  push(write: Write): void {
    this.#writes.push(write);
  }

  step(step: PlannedStep): void {
    this.push({ write: "step", ...step });
  }

  patchShift(patch: ShiftPatch): void {
    Object.assign(this.state.shift, patch);
  }

  /** Reads the shift again at that time, unless an earlier reading is planned. */
  readAt(at: number): void {
    const { nextReadAt } = this.state.shift;
    this.patchShift({ nextReadAt: nextReadAt === null ? at : Math.min(nextReadAt, at) });
  }

  /** No replica lags for longer, and no call takes effect later than this. */
  get lag(): number {
    return lagOf(this.rules.ladderMs);
  }

  get belief(): Belief {
    return this.state.shift.belief;
  }

  /** Decides what a reading means, and plans the next one. Returns `kept` if it changes nothing. */
  believe(seen: Seen): Pick<Believed, "verdict" | "nextReadAt"> {
    const { belief, verdict, nextReadAt } = believe(this.belief, seen, this.now, this.rules.ladderMs);
    this.patchShift({ belief });
    return { verdict, nextReadAt };
  }

  /**
   * Counts the changes that webhooks announced since the last reading. Those that one reading covers came in a burst, however old they are: it cannot show
   * what each of them announced. A replay announces nothing new.
   */
  countNotices(covered: readonly EventState[], { durationMs }: Reading): void {
    const news = covered.filter(({ isRead, isReplayed }) => !isRead && !isReplayed);
    // They came before the request was sent, whatever the clock of the process that stored them says.
    const askedAt = this.now - Math.max(1, Math.round(durationMs));
    const at = Math.min(askedAt, Math.max(...news.map(({ receivedAt }) => receivedAt)));
    for (const _ of news) this.patchShift({ belief: noticed(this.belief, at, this.rules.ladderMs) });
  }

  /** Notes that a call has changed the shift, or its people. `seen`: what it is now, by the response; `values`: what the call has set. */
  noteCalled(seen?: Seen, values?: Values): void {
    this.patchShift({ belief: called(this.belief, this.now, seen, values) });
  }

  /** A call has succeeded, and its response does not show the change: the provider may carry it out later, without a webhook. */
  expectMore(): void {
    const belief = noticed({ ...this.belief, awaitsEcho: false }, this.now, this.rules.ladderMs);
    this.patchShift({ belief });
    this.readAt(this.now + (this.rules.ladderMs[0] ?? 0));
  }

  /** Reads the shift again later: an attempt of the call that was cut may still take effect. */
  expectLateEffect(): void {
    this.patchShift({ belief: { ...this.belief, doubtedAt: this.now } });
    this.readAt(this.now + this.lag);
  }

  /**
   * Whether people may hear of what is believed, and calls may follow from it. Shortly before the start, no one can wait for another reading, unless readings
   * disagree: people would hear of each in turn.
   */
  get isSettled(): boolean {
    return (this.isNear && !isContested(this.belief)) || isSettled(this.belief, this.now, this.lag);
  }

  /** Whether another reading is needed before a call may build on what is believed. */
  get needsReading(): boolean {
    const { isContradicted, expected } = this.belief;
    return !this.isSettled || isContradicted || (!this.isNear && expected > 0);
  }

  /**
   * Whether another reading is needed before a change: it sends the whole shift, and what a replica that lags has shown would undo what the provider has
   * changed since. Shortly before the start too.
   */
  get needsReadingForChange(): boolean {
    return this.needsReading || !isSettled(this.belief, this.now, this.lag);
  }

  get isNear(): boolean {
    return this.job !== undefined && this.job.startTime - this.now < NEAR_MS;
  }

  /** Whether no reading is due. */
  get waits(): boolean {
    const { nextReadAt } = this.state.shift;
    return nextReadAt !== null && nextReadAt > this.now;
  }

  /** Whether a replica may still show the shift as it was before that time: none lags for two minutes. */
  isWithinLag(time: number | null): boolean {
    return time !== null && this.now - time < this.lag;
  }

  /** Plans another reading after one that may be older than that time. Returns false if none can be. */
  readAfter(time: number | null): boolean {
    const next = nextRung(time ?? 0, this.now, this.rules.ladderMs);
    if (next !== undefined) this.readAt(next);
    return next !== undefined;
  }

  pauseCalls(status: number): void {
    this.push({ write: "pause", status });
    this.state.integration.isPaused = true;
  }

  patchJob(patch: Partial<JobState>): void {
    if (!this.job) throw new Error("there is no job to change");
    Object.assign(this.job, patch);
    this.isJobChanged = true;
  }

  patchBooking(booking: BookingState, patch: BookingPatch): void {
    const wasConfirmed = booking.status === "confirmed";
    Object.assign(booking, patch);
    if (wasConfirmed && !holdsSeat(booking)) this.#renewOffers();
  }

  /** Makes offers of the job new ones after a confirmed booking. While the job is open, those that were made still hold. */
  #renewOffers(): void {
    if (!this.job || this.job.status === "open") return;
    const offerRound = this.job.offerRound + 1;
    this.patchJob({ offerRound, renewedRound: offerRound });
  }

  patchChange(change: ChangeState, patch: ChangePatch): void {
    this.push({ write: "change", changeId: change.changeId, patch });
    Object.assign(change, patch);
    if (patch.status) this.state.changes = this.state.changes.filter((each) => each !== change);
  }

  /** Ends events, and records each in its own trace. */
  endEvents(
    events: readonly EventState[],
    status: EventStatus,
    verdict: Outcome,
    { isRead = true }: { isRead?: boolean } = {},
  ): void {
    if (events.length === 0) return;
    const eventIds = events.map(({ eventId }) => eventId);
    this.push({ write: "events", eventIds, status, verdict, attempts: 1, isRead });
    for (const { traceId } of events)
      this.step({ step: "event", code: verdict.code, params: verdict.params, traceId });
    for (const event of events) event.isRead = isRead;
    if (status !== "queued") this.state.events = this.state.events.filter((event) => !events.includes(event));
  }

  issue(code: IssueCode, subject: Subject, params: Params, traceId = this.traceId): void {
    this.push({ write: "issue", code, subject, params, traceId });
    this.state.shift.hasIssues = true;
  }

  /** Resolves issues whose cause is gone: those with the codes or, without codes, all of the shift and its bookings. */
  resolveIssues(subject: Subject, codes?: readonly IssueCode[]): void {
    if (this.state.shift.hasIssues) this.push({ write: "resolve_issues", subject, ...(codes && { codes }) });
  }
}

/** A shift that starts within this time is near: what is read is announced at once. */
const NEAR_MS = 12 * HOUR_MS;

/** Whether a booking holds a seat. */
export const holdsSeat = ({ status }: Pick<BookingState, "status">): boolean =>
  status === "pending" || status === "confirmed";
