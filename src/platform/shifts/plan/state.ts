import type {
  BookingReason,
  BookingStatus,
  IntegrationState,
  JobStatus,
  Params,
  ProviderPerson,
} from "../../../../generated/operations/types.ts";
import type { Refused, Unavailable } from "../../../clients/provider/answer.ts";
import type { ShiftOutcome } from "../../../clients/provider/shifts.ts";
import type { RetryPolicy, Timing } from "../../../clients/retry-policy.ts";
import type { Shift } from "../../../contract/shift.ts";
import { wholeMinute } from "../../../contract/timestamp.ts";
import type { Job, PersonFault, Rejection, Routes, ShiftChange, ShiftValues } from "../../db/schema.ts";
import type { Belief } from "./believe.ts";

// The plain values that a run works with. Times are milliseconds since 1970. Nothing here depends on the database, HTTP, or a clock.

/** Everything that is stored about one shift and its surroundings. */
export interface ShiftState {
  providerId: string;
  shiftId: string;
  integration: {
    state: IntegrationState;
    isImplausible: boolean;
    isPaused: boolean;
    /** Many shifts disappeared at once, and no operator has confirmed it. */
    isHeld: boolean;
    /** Whether a list has shown a booked person. A provider whose lists have other ids never does. */
    listsBooked: boolean;
    routes: Routes;
  };
  shift: KnownShift;
  job: JobState | undefined;
  /** Oldest first: those that hold a seat, those whose person may still be on the shift, and those that ended recently. */
  bookings: BookingState[];
  /** The employer's cancellation, not confirmed yet. */
  cancellation: CancellationState | undefined;
  /** The platform's DELETEs whose echo may still arrive, oldest first. */
  echoes: string[];
  /** Not confirmed yet, oldest first. */
  changes: ChangeState[];
  /** Waiting, oldest first. */
  events: EventState[];
  surroundings: Surroundings;
}

/** What is known about the shift at its provider. */
export interface KnownShift {
  nextReadAt: number | null;
  belief: Belief;
  /** Whether an issue about it, or about a booking on it, is open. */
  hasIssues: boolean;
}

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;

/** A row under the names of the operations API. Its times are milliseconds since 1970. */
type Plain<Row> = {
  [Column in keyof Row as Camel<Column & string>]: Row[Column] extends Date
    ? number
    : Row[Column] extends Date | null
      ? number | null
      : Row[Column];
};

/** What readings decide of a job: what a shift says of it, and what follows. */
export type JobState = Pick<
  Plain<Job>,
  | (keyof Shift & keyof Job)
  | ("jobId" | "status" | "traceId" | "workplaceId" | "competenceId" | "overfilled" | "cancelledBy")
  | ("ownPeople" | "ownPeopleCount" | "offerRound" | "renewedRound" | "announced")
>;

export interface BookingState {
  bookingId: string;
  candidateId: string;
  status: BookingStatus;
  /** Why it ended. */
  reason: BookingReason | null;
  reasonParams: Params;
  isWithdrawn: boolean;
  atProvider: "no" | "maybe" | "yes";
  /** The id that the last call used. */
  providerCandidateId: string | null;
  sentAt: number | null;
  rejection: Rejection | null;
  /** The first reading in a row whose list should show the person, and does not. */
  missingSince: number | null;
  isReassigned: boolean;
  /** An assignment was sent whose outcome was unknown: it may take effect late. */
  mayActLate: boolean;
  /** When the provider confirmed that the person is off the shift. */
  leftAt: number | null;
  /** The ids by which the provider, or its lists, did not know the person, and which were looked up again: each once, until a list shows the person. */
  soughtIds: string[];
  /** Since the provider answered a call about the person as if it had no route: how often the route had recovered before. */
  routeDoubt: number | null;
  /** The person at the provider. */
  person: { id: string | null; fault: PersonFault | null };
  traceId: string;
}

/** A booking, as an accept makes it. */
export const NEW_BOOKING: Omit<BookingState, "bookingId" | "candidateId" | "person" | "traceId"> = {
  status: "pending",
  reason: null,
  reasonParams: {},
  isWithdrawn: false,
  atProvider: "no",
  providerCandidateId: null,
  sentAt: null,
  rejection: null,
  missingSince: null,
  isReassigned: false,
  mayActLate: false,
  leftAt: null,
  soughtIds: [],
  routeDoubt: null,
};

export interface CancellationState {
  operationId: string;
  traceId: string;
  sentAt: number | null;
  /** The event that was skipped as its echo. */
  consumedBy: string | null;
}

export type ChangeState = Pick<
  Plain<ShiftChange>,
  "changeId" | "traceId" | "startTime" | "endTime" | "positions" | "named" | "base" | "sentAt" | "createdAt"
>;

export interface EventState {
  eventId: string;
  event: string;
  traceId: string;
  isReplayed: boolean;
  isDead: boolean;
  /** By the clock of the process that stored it. */
  receivedAt: number;
  /** Whether the provider has responded to a reading that covered it. */
  isRead: boolean;
}

/** What the database knows beyond the shift itself. After a reading, it refers to the shift as it was read. */
export interface Surroundings {
  /** What the outlet and the role are mapped to. */
  workplaceId: string | null;
  competenceId: string | null;
  /** The provider's list, each id once. A person may have several. */
  listed: ProviderPerson[];
  /** The candidates on the list, known by their ids, whose entries have another personal number. */
  renumbered?: string[];
  /** Booked people who work on another job at that time, and those who lack the competence. */
  overlaps: { candidateId: string; otherJobId: string }[];
  lacking: string[];
  /** The provider's future shifts that disappeared within the last minutes, out of all known. */
  vanished: { missing: number; known: number };
  /** The people booked on the provider's other future shifts, and how many of them lists have lacked within the last minutes. Only if this list lacks someone. */
  removed?: { missing: number; booked: number };
  /** The other shifts on which the provider has put people booked on this one, not long ago. Only if this list lacks someone, or the shift is gone. */
  moved?: MovedPerson[];
  /** The people on the list whose bookings on other shifts of the provider have just ended: with the shift, or because the provider took them off. */
  arrived?: string[];
}

/** A person booked on this shift, and the nearest other shift of the provider on which the provider has put them. */
export interface MovedPerson
  extends Pick<JobState, "jobId" | "startTime" | "endTime" | "outletId" | "roleId"> {
  candidateId: string;
  providerCandidateId: string;
  shiftId: string;
  /** A third job at that time, on which the person is booked. */
  otherJobId: string | null;
  /** Another run works on that shift, or its times are not settled. */
  isBusy: boolean;
}

/** More missing shifts, or people, than this, and more than a fifth of those on future shifts, are a loss of data rather than decisions. */
export const MAX_MISSING = 5;

/** The response to a reading of the shift. */
export interface Reading {
  outcome: ShiftOutcome;
  /** The events that waited when the request was sent. */
  covers: readonly string[];
  /** After a 404: whether another call to the provider succeeded at the same time. */
  witness?: "good" | "bad";
  /** Milliseconds. */
  durationMs: number;
}

export type ChangeValues = { startTime: string; endTime: string; positions: number };

interface BookingCall {
  bookingId: string;
  providerCandidateId: string;
  /** Whether an earlier call was sent whose outcome is unknown. */
  isRetry: boolean;
  traceId: string;
}

/** A call that changes something at the provider. */
export type Call =
  | ({ do: "assign" } & BookingCall)
  | ({ do: "unassign" } & BookingCall)
  | { do: "cancel"; operationId: string; traceId: string }
  /** `base`: the values that the shift has now, by a reading in the same run. */
  | { do: "change"; changeId: string; values: ChangeValues; base: ShiftValues; traceId: string };

export type CallOutcome =
  | { kind: "done" }
  | Extract<ShiftOutcome, { kind: "shift" | "unusable" | "absent" }>
  | Refused
  | Unavailable;

/** A call that was made, and its outcome. */
export interface Made {
  call: Call;
  outcome: CallOutcome;
  durationMs: number;
}

/** What this run has done so far. */
export interface RunSoFar {
  /** The response to apply now: at most one of the two. */
  reading?: Reading;
  made?: Made;
  /** Whether this run has done nothing yet. */
  isFirst: boolean;
  /** Whether this run has read the shift, and made no call since. */
  hasRead?: boolean;
  /** Whether this run has found that another call succeeds while the shift is not found. */
  isWitnessed?: boolean;
  /** Bookings, operations and changes whose call failed in this run. */
  failed: ReadonlySet<string>;
  /** The last failure of this run. */
  unavailable?: Unavailable;
  /** Failed attempts in a row, this run included. */
  attempts: number;
  /** The trace of steps that belong to no event, job, or booking. */
  traceId: string;
}

/** The delays and limits that a plan applies. */
export type Rules = Pick<Timing, "ladderMs" | "reconcileMs" | "answerWithinMs"> & Pick<RetryPolicy, "tries">;

/** What the run does next. */
export type Next =
  | { do: "read"; traceId: string }
  | { do: "witness"; traceId: string }
  | Call
  | {
      do: "rest";
      /** Milliseconds until the shift is due without a hint; undefined when nothing is left to do. */
      afterMs: number | undefined;
      priority: 0 | 1 | 2;
      /** The run failed. The retry policy and `retryAfterMs` bound the time of the next attempt. */
      failed?: Pick<Unavailable, "retryAfterMs" | "notAsked">;
    };

export interface StatusFacts {
  isMapped: boolean;
  /** Milliseconds since 1970. */
  startTime: number;
  positions: number;
  /** Bookings that hold a seat, plus people assigned by the provider. */
  taken: number;
}

/** Returns the status of a job that is not cancelled (decisions, "shift status"). */
export function jobStatus({ isMapped, startTime, positions, taken }: StatusFacts, now: number): JobStatus {
  if (startTime <= now) return "expired";
  if (!isMapped) return "blocked_mapping";
  return taken >= positions ? "filled" : "open";
}

interface MaterialFacts {
  startTime: number;
  endTime: number;
  outletId: string;
  roleId: string;
}

/** Whether the times as people read them, the outlet, or the role changed, which booked people have to know. */
export function isMaterialChange(before: MaterialFacts, after: MaterialFacts): boolean {
  return (
    wholeMinute(before.startTime) !== wholeMinute(after.startTime) ||
    wholeMinute(before.endTime) !== wholeMinute(after.endTime) ||
    before.outletId !== after.outletId ||
    before.roleId !== after.roleId
  );
}
