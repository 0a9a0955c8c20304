import { PROVIDER_RETRIES, TIMING } from "../../../../src/clients/retry-policy.ts";
import type { Shift } from "../../../../src/contract/shift.ts";
import { DAY_MS, HOUR_MS } from "../../../../src/contract/timestamp.ts";
import { type Belief, GONE, NO_BELIEF } from "../../../../src/platform/shifts/plan/believe.ts";
import { type Plan, plan } from "../../../../src/platform/shifts/plan/plan.ts";
import { seenIn } from "../../../../src/platform/shifts/plan/seen.ts";
import {
  type BookingState,
  type Call,
  type CallOutcome,
  type CancellationState,
  type EventState,
  type JobState,
  NEW_BOOKING,
  type Reading,
  type Rules,
  type RunSoFar,
  type ShiftState,
  type Surroundings,
} from "../../../../src/platform/shifts/plan/state.ts";
import type { Write } from "../../../../src/platform/shifts/plan/writes.ts";

export const NOW = Date.UTC(2026, 0, 5, 6);
export const START = NOW + DAY_MS;

export const RULES: Rules = { ...TIMING, tries: PROVIDER_RETRIES.tries };

/** What the plan makes of the state and the response. */
export const planned = (state: ShiftState, run: RunSoFar, now = NOW): Plan => plan(state, run, now, RULES);

export const aJob = (patch: Partial<JobState> = {}): JobState => ({
  jobId: "job",
  status: "open",
  variant: "a",
  startTime: START,
  endTime: START + 8 * HOUR_MS,
  positions: 2,
  outletId: "outlet",
  outletName: null,
  roleId: "role",
  roleName: null,
  breakMinutes: null,
  description: null,
  workplaceId: "workplace",
  competenceId: "competence",
  overfilled: false,
  warnings: [],
  cancelledBy: null,
  ownPeople: [],
  ownPeopleCount: 0,
  offerRound: 0,
  renewedRound: 0,
  announced: null,
  traceId: "trace-of-job",
  ...patch,
});

export const aBooking = (patch: Partial<BookingState> = {}): BookingState => ({
  ...NEW_BOOKING,
  bookingId: "booking",
  candidateId: "candidate",
  person: { id: "person", fault: null },
  traceId: "trace-of-booking",
  ...patch,
});

/** The assignment of the booking was sent, and its outcome is not known. */
export const inDoubt = (patch: Partial<BookingState> = {}): BookingState =>
  aBooking({ atProvider: "maybe", providerCandidateId: "person", sentAt: NOW - 1_000, ...patch });

export const confirmed = (patch: Partial<BookingState> = {}): BookingState =>
  aBooking({
    status: "confirmed",
    atProvider: "yes",
    providerCandidateId: "person",
    sentAt: NOW - HOUR_MS,
    ...patch,
  });

export const anEvent = (event: string, patch: Partial<EventState> = {}): EventState => ({
  eventId: `id of ${event}`,
  event,
  traceId: `trace of ${event}`,
  isReplayed: false,
  isDead: false,
  receivedAt: NOW - 10,
  isRead: false,
  ...patch,
});

/** An employer's cancellation, and its call. */
export const aCancellation = (patch: Partial<CancellationState> = {}): CancellationState => ({
  operationId: "operation",
  traceId: "trace",
  sentAt: null,
  consumedBy: null,
  ...patch,
});

export const cancel: Call = { do: "cancel", operationId: "operation", traceId: "trace" };

/** The shift of `aJob`, as it was read an hour ago. */
export const aBelief = (patch: Partial<Belief> = {}): Belief => ({
  ...NO_BELIEF,
  ...seenIn(aShift(), []),
  since: NOW - HOUR_MS,
  isConfirmed: true,
  ...patch,
});

/** The shift is to be read again now. `ms`: since when it has been missing. */
export const missedFor = (ms: number) => ({
  belief: aBelief({ missingSince: NOW - ms }),
  nextReadAt: NOW,
});

/** The shift is known to be gone for so long. */
export const goneFor = (ms: number, patch: Partial<Belief> = {}): Belief =>
  aBelief({ version: GONE, shown: GONE, since: NOW - ms, missingSince: NOW - ms, ...patch });

type Parts = Partial<Omit<ShiftState, "shift" | "integration" | "surroundings">> & {
  shift?: Partial<ShiftState["shift"]>;
  integration?: Partial<ShiftState["integration"]>;
  surroundings?: Partial<Surroundings>;
};

/** An open job with two positions, nothing under way, and no reading due. */
export const aState = ({ shift, integration, surroundings, ...parts }: Parts = {}): ShiftState => ({
  providerId: "provider",
  shiftId: "shift",
  job: aJob(),
  bookings: [],
  cancellation: undefined,
  echoes: [],
  changes: [],
  events: [],
  ...parts,
  integration: {
    state: "active",
    isImplausible: false,
    isPaused: false,
    isHeld: false,
    listsBooked: true,
    routes: {},
    ...integration,
  },
  shift: {
    nextReadAt: NOW + HOUR_MS,
    belief: aBelief(),
    hasIssues: false,
    ...shift,
  },
  surroundings: {
    workplaceId: "workplace",
    competenceId: "competence",
    listed: [],
    overlaps: [],
    lacking: [],
    vanished: { missing: 1, known: 20 },
    ...surroundings,
  },
});

/** The list of the shift as it was read. */
export const listing = (...ids: string[]): Pick<Surroundings, "listed"> => ({
  listed: ids.map((providerCandidateId) => ({ providerCandidateId })),
});

/** The shift of `aJob`. */
export const aShift = (patch: Partial<Shift> = {}): Shift => ({
  id: "shift",
  variant: "a",
  positions: 2,
  assigned: [],
  cancelled: false,
  warnings: [],
  startTime: new Date(START).toISOString(),
  endTime: new Date(START + 8 * HOUR_MS).toISOString(),
  outletId: "outlet",
  outletName: undefined,
  roleId: "role",
  roleName: undefined,
  breakMinutes: undefined,
  description: undefined,
  ...patch,
});

const first: RunSoFar = { isFirst: true, failed: new Set(), attempts: 1, traceId: "trace of the run" };
export const firstStep = first;

export function afterReading(outcome: Reading["outcome"], patch: Partial<Reading> = {}): RunSoFar {
  const unavailable = outcome.kind === "unavailable" ? { unavailable: outcome } : {};
  const reading = { outcome, covers: [], durationMs: 20, ...patch };
  return { ...first, isFirst: false, reading, ...unavailable };
}

export const afterSeeing = (shift: Partial<Shift> = {}, patch: Partial<Reading> = {}): RunSoFar => ({
  ...afterReading({ kind: "shift", shift: aShift(shift) }, patch),
  hasRead: true,
});

export const afterAbsence = (patch: Partial<Reading> & { code?: string; final?: boolean } = {}): RunSoFar => {
  const { code, final = false, ...rest } = patch;
  return afterReading({ kind: "absent", final, code }, rest);
};

export function afterCall(call: Call, outcome: CallOutcome): RunSoFar {
  const made = { call, outcome, durationMs: 20 };
  if (outcome.kind !== "unavailable") return { ...first, isFirst: false, made };
  return { ...first, isFirst: false, made, failed: new Set(["booking"]), unavailable: outcome };
}

export const assign = (isRetry = false): Call => ({
  do: "assign",
  bookingId: "booking",
  providerCandidateId: "person",
  isRetry,
  traceId: "trace-of-booking",
});

export const refusal = (status: number, code?: string) => ({ kind: "refused", status, code }) as const;
export const cut = {
  kind: "unavailable",
  failure: "connection_failed",
  reason: "the connection was cut",
} as const;

/** The writes of one kind. */
export const writesOf = <Kind extends Write["write"]>(
  writes: readonly Write[],
  kind: Kind,
): Extract<Write, { write: Kind }>[] =>
  writes.filter((write): write is Extract<Write, { write: Kind }> => write.write === kind);

/** The kinds of the notifications. */
export const notified = (writes: readonly Write[]): string[] =>
  writesOf(writes, "notify").map(({ kind }) => kind);

/** The codes of the issues. */
export const issues = (writes: readonly Write[]): string[] =>
  writesOf(writes, "issue").map(({ code }) => code);

/** The booking as the writes leave it. */
export const patchOf = (writes: readonly Write[]): Record<string, unknown> =>
  Object.assign({}, ...writesOf(writes, "booking").map(({ patch }) => patch));

/** The job as the writes leave it. */
export const jobOf = (writes: readonly Write[]): Partial<JobState> =>
  Object.assign({}, ...writesOf(writes, "job").map(({ patch }) => patch));

/** What is believed, as the writes leave it. */
export const beliefOf = (writes: readonly Write[]): Belief | undefined =>
  Object.assign({}, ...writesOf(writes, "shift").map(({ patch }) => patch)).belief;

/** When the shift is read next, as the writes leave it. */
export const nextReadAt = (writes: readonly Write[]): number | null | undefined =>
  Object.assign({}, ...writesOf(writes, "shift").map(({ patch }) => patch)).nextReadAt;
