import type { Refused, Unavailable } from "../../clients/provider/answer.ts";
import type { ShiftOutcome } from "../../clients/provider/shifts.ts";
import type { RetryPolicy, Timing } from "../../clients/retry-policy.ts";
import type {
  BookingStatus,
  IntegrationState,
  Job,
  OwnPerson,
  PersonFault,
  Rejection,
  ShiftChange,
} from "../db/schema.ts";

// What a run works with, as plain values: times are milliseconds since 1970. Nothing here knows the database, HTTP or a clock.

/** Everything that is stored about one shift, and about what surrounds it. */
export interface ShiftState {
  providerId: string;
  shiftId: string;
  integration: {
    state: IntegrationState;
    health: "reachable" | "unreachable" | "rate_limited" | "implausible";
    isPaused: boolean;
    /** Many shifts are gone at once: an operator has to say that they are. */
    isHeld: boolean;
  };
  shift: KnownShift;
  job: JobState | undefined;
  /** Oldest first: those that hold a seat, those whose person may still be on the provider's shift, those that ended a short while ago. */
  bookings: BookingState[];
  /** The employer's, not confirmed yet. */
  cancellation: CancellationState | undefined;
  /** Operations of ours whose echo may still come, oldest first. */
  echoes: string[];
  /** Not confirmed yet, oldest first. */
  changes: ChangeState[];
  /** Waiting, oldest first. */
  events: EventState[];
  surroundings: Surroundings;
}

/** What is known of the shift at its provider. */
export interface KnownShift {
  nextReadAt: number | null;
  /** Readings in a row that contradicted the hint. */
  rechecks: number;
  /** Readings in a row that did not find it. */
  absences: number;
  /** When the first of them was. */
  absentSince: number | null;
  isGone: boolean;
  /** An issue about it, or about a booking on it, is open. */
  hasIssues: boolean;
}

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;

/** A row with the names of the operations API; its times are milliseconds since 1970. */
type Plain<Row> = {
  [Column in keyof Row as Camel<Column & string>]: Row[Column] extends Date
    ? number
    : Row[Column] extends Date | null
      ? number | null
      : Row[Column];
};

export type JobState = Omit<Plain<Job>, "providerId" | "shiftId" | "createdAt" | "updatedAt">;

export interface BookingState {
  bookingId: string;
  candidateId: string;
  status: BookingStatus;
  isWithdrawn: boolean;
  atProvider: "no" | "maybe" | "yes";
  /** As the last call named the person. */
  providerCandidateId: string | null;
  sentAt: number | null;
  rejection: Rejection | null;
  /** Readings in a row that did not list the person. */
  missing: number;
  isListed: boolean;
  isReassigned: boolean;
  isLookedUpAgain: boolean;
  /** The person at the provider. */
  person: { id: string | null; fault: PersonFault | null };
  traceId: string;
}

export interface CancellationState {
  operationId: string;
  traceId: string;
  sentAt: number | null;
  /** The event that was taken for its echo. */
  consumedBy: string | null;
}

export type ChangeState = Pick<
  Plain<ShiftChange>,
  "changeId" | "traceId" | "startTime" | "endTime" | "positions" | "named" | "sentAt" | "createdAt"
>;

export interface EventState {
  eventId: string;
  event: string;
  traceId: string;
  isReplayed: boolean;
  isDead: boolean;
  /** No reading has covered it yet. */
  isNew: boolean;
}

/** What the database knows beyond the shift itself; where a reading is given, of the shift as it was read. */
export interface Surroundings {
  /** What the outlet and the role are mapped to. */
  workplaceId: string | null;
  competenceId: string | null;
  /** Everyone on the provider's list once, the number of them all, and who the first ones are here. */
  listed: OwnPerson[];
  listedCount: number;
  /** Of those booked: who works on another job at that time, and who lacks the competence. */
  overlaps: { candidateId: string; otherJobId: string }[];
  lacking: string[];
  /** Future shifts of the provider that are missing now, or were for the last few minutes, out of all known. */
  vanished: { missing: number; known: number };
}

/** What the provider said when the shift was read. */
export interface Reading {
  outcome: ShiftOutcome;
  /** The events that waited when the shift was asked for. */
  covers: readonly string[];
  /** Of a 404: whether another call to the provider succeeded at the same time. */
  witness?: "good" | "bad";
  /** Milliseconds. */
  durationMs: number;
}

export type ChangeValues = { startTime: string; endTime: string; positions: number };

interface BookingCall {
  bookingId: string;
  providerCandidateId: string;
  /** An earlier call was sent, and its outcome was not known. */
  isRetry: boolean;
  traceId: string;
}

/** A call that changes something at the provider. */
export type Call =
  | ({ do: "assign" } & BookingCall)
  | ({ do: "unassign" } & BookingCall)
  | { do: "cancel"; operationId: string; traceId: string }
  | { do: "change"; changeId: string; values: ChangeValues; traceId: string };

export type CallOutcome =
  | { kind: "done" }
  | Extract<ShiftOutcome, { kind: "shift" | "unusable" | "absent" }>
  | Refused
  | Unavailable;

/** A call that was made, and what came back. */
export interface Made {
  call: Call;
  outcome: CallOutcome;
  durationMs: number;
}

/** What this run has done so far. */
export interface RunSoFar {
  /** To be concluded now; only one of the two. */
  reading?: Reading;
  made?: Made;
  /** Nothing was done yet in this run. */
  isFirst: boolean;
  /** Bookings, operations and changes whose call failed in this run. */
  failed: ReadonlySet<string>;
  /** The last failure of this run. */
  unavailable?: Unavailable;
  /** Of the work: in a row that failed, this run included. */
  attempts: number;
  /** For what belongs to no event, job or booking. */
  traceId: string;
}

/** The delays and limits that a plan applies. */
export type Rules = Pick<Timing, "absenceRetriesMs" | "recheckMs" | "reconcileMs" | "answerWithinMs"> &
  Pick<RetryPolicy, "tries">;

/** What the run does next. */
export type Next =
  | { do: "read"; traceId: string }
  | { do: "witness"; traceId: string }
  | Call
  | {
      do: "rest";
      /** Until the shift needs attention by itself; undefined: nothing is left to do. Milliseconds. */
      afterMs: number | undefined;
      priority: 0 | 1 | 2;
      /** The run failed: the next attempt is no sooner than the retry policy, or `retryAfterMs`, says. */
      failed?: Pick<Unavailable, "retryAfterMs" | "notAsked">;
    };
