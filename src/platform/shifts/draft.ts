import type {
  ChangeReason,
  EventStatus,
  IssueCode,
  NotificationKind,
  Outcome,
  OutcomeCode,
  Params,
  StepName,
  Subject,
} from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../contract/durations.ts";
import type { ProviderRoute } from "../db/schema.ts";
import {
  type Belief,
  type Believed,
  believe,
  called,
  isDisputed,
  isSettled,
  lagOf,
  noticed,
  type Seen,
  type Values,
} from "./believe.ts";
import type {
  BookingState,
  CancellationState,
  ChangeState,
  EventState,
  JobState,
  KnownShift,
  Reading,
  Rules,
  RunSoFar,
  ShiftState,
} from "./state.ts";

export interface PlannedStep {
  step: StepName;
  code: OutcomeCode;
  params?: Params;
  traceId: string;
  durationMs?: number;
}

/** One write of a run. All of a run's writes share a transaction. A write carries plain values, so applying it needs no rule. */
export type Write =
  | { write: "shift"; patch: ShiftPatch }
  /** For a new job, `patch` has all columns. */
  | { write: "job"; jobId: string | undefined; patch: Partial<JobState> }
  | { write: "booking"; bookingId: string; patch: BookingPatch }
  | { write: "events"; eventIds: readonly string[]; status: EventStatus; verdict: Outcome; attempts: number }
  | { write: "operation"; operationId: string; patch: OperationPatch }
  | { write: "forget_operation"; operationId: string }
  | { write: "requeue_echo"; eventId: string }
  | { write: "change"; changeId: string; patch: ChangePatch }
  | { write: "issue"; code: IssueCode; subject: Subject; params: Params; traceId: string }
  /** Without codes, resolves every issue of the shift. Those of an outlet or a role stay while another job has the cause. */
  | { write: "resolve_issues"; codes?: readonly IssueCode[]; subject: Subject }
  | ({ write: "step" } & PlannedStep)
  | {
      write: "notify";
      kind: NotificationKind;
      candidateIds: readonly string[];
      changeKey: string;
      reason?: string;
      traceId: string;
    }
  /** Books a person whom the provider has put on this shift, or moved to another one, and notifies them of it. */
  | {
      write: "book";
      candidateId: string;
      providerCandidateId: string;
      movedTo?: { jobId: string; shiftId: string };
      kind: NotificationKind | undefined;
    }
  /** The provider has put candidates on this shift: it may have taken them off others, on which they are booked, at the same time. */
  | { write: "read_booked"; candidateIds: readonly string[] }
  | { write: "offer"; isNewlyOpen: boolean; traceId: string }
  | { write: "withdraw_offers" }
  /**
   * Looks the person up at the provider, or creates them. `forget` drops the stored id, which the provider no longer knows; with `keep`, it stays the
   * person's id if the lookup finds no other.
   */
  | { write: "identify"; candidateId: string; forget: boolean; keep?: true }
  /** The provider answers calls of the route as if it had none, or as if it had it again. */
  | {
      write: "route";
      route: ProviderRoute;
      works: boolean;
      recoveries?: number;
      params: Params;
      traceId: string;
    }
  | { write: "pause"; status: number }
  | { write: "health"; health: "reachable" | "implausible" }
  /** Counts no shift as deleted until an operator confirms it. If one just has, the shift is read at once. */
  | { write: "hold"; params: Params }
  /** A list has shown a booked person, for the first time at this provider. */
  | { write: "lists_booked" }
  /** A shift has reappeared. The hold ends when no shift is missing. */
  | { write: "end_hold" }
  /** Reads `count` other future shifts of the provider, to distinguish one deletion from a loss of data. */
  | { write: "sample"; count: number };

export type ShiftPatch = Partial<KnownShift>;

export type BookingPatch = Partial<Omit<BookingState, "bookingId" | "candidateId" | "person" | "traceId">> & {
  reasonParams?: Params;
};

export type OperationPatch = Partial<Pick<CancellationState, "sentAt" | "consumedBy">> & {
  isConfirmed?: true;
};

export type ChangePatch = Partial<
  Pick<ChangeState, "sentAt" | "startTime" | "endTime" | "positions" | "base">
> & {
  status?: "confirmed" | "refused";
  reason?: ChangeReason | null;
  reasonParams?: Params;
};

/** The state as the plan changes it, with the writes that make those changes. */
export class Draft {
  readonly state: ShiftState;
  readonly now: number;
  readonly rules: Rules;
  readonly writes: Write[] = [];
  readonly #runTraceId: string;
  /** Whether the job's status is already up to date. */
  isRefreshed = false;
  isJobChanged = false;

  constructor(state: ShiftState, run: Pick<RunSoFar, "traceId">, now: number, rules: Rules) {
    this.state = structuredClone(state);
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

  push(write: Write): void {
    this.writes.push(write);
  }

  step(step: PlannedStep): void {
    this.push({ write: "step", ...step });
  }

  patchShift(patch: Partial<KnownShift>): void {
    const { shift } = this.state;
    const isChanged = Object.entries(patch).some(
      ([name, value]) => shift[name as keyof KnownShift] !== value,
    );
    Object.assign(shift, patch);
    if (isChanged) this.push({ write: "shift", patch });
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
    const news = covered.filter(({ isUnread, isReplayed }) => isUnread && !isReplayed);
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
    return (this.isNear && !isDisputed(this.belief)) || isSettled(this.belief, this.now, this.lag);
  }

  /** Whether another reading is needed before a call may build on what is believed. */
  get isUnsettled(): boolean {
    const { isContradicted, expected } = this.belief;
    return !this.isSettled || isContradicted || (!this.isNear && expected > 0);
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
  mayLag(time: number | null): boolean {
    return time !== null && this.now - time < this.lag;
  }

  /** Plans another reading after one that may be older than that time. Returns false if none can be. */
  readAfter(time: number | null): boolean {
    const next = this.rules.ladderMs.map((ms) => (time ?? 0) + ms).find((at) => at > this.now);
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
    this.push({ write: "job", jobId: this.job.jobId, patch });
  }

  patchBooking(booking: BookingState, patch: BookingPatch): void {
    const { reasonParams: _, ...rest } = patch;
    const wasConfirmed = booking.status === "confirmed";
    Object.assign(booking, rest);
    this.push({ write: "booking", bookingId: booking.bookingId, patch });
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
  endEvents(events: readonly EventState[], status: EventStatus, verdict: Outcome): void {
    if (events.length === 0) return;
    const eventIds = events.map(({ eventId }) => eventId);
    this.push({ write: "events", eventIds, status, verdict, attempts: 1 });
    for (const { traceId } of events)
      this.step({ step: "event", code: verdict.code, params: verdict.params, traceId });
    for (const event of events) event.isUnread = false;
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
