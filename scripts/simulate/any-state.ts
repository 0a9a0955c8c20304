import fc from "fast-check";
import type { Shift } from "../../src/contract/shift.ts";
import type { Call, RunSoFar, ShiftState } from "../../src/platform/shifts/plan/state.ts";
import { RULES } from "./runs.ts";
import { START } from "./system.ts";

// Random states of the right type, including ones that the platform never reaches.

const id = fc.constantFrom("one", "two", "three");
const time = fc.integer({ min: -50, max: 50 }).map((hours) => START + hours * 3_600_000);
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const count = fc.nat(5);
const code = fc.option(
  fc.constantFrom("shift_not_found", "shift_full", "candidate_not_found", "shift_cancelled", "another"),
  { nil: undefined },
);
const person = fc.record(
  { providerCandidateId: id, candidateId: id },
  { requiredKeys: ["providerCandidateId"] },
);
const status = fc.constantFrom(200, 400, 401, 403, 404, 405, 409, 410, 418, 422);
const rejection = fc.record(
  { status, code: fc.constantFrom("shift_full", "other") },
  { requiredKeys: ["status"] },
);

const job = fc.record({
  jobId: id,
  variant: fc.constantFrom("a", "b"),
  startTime: time,
  endTime: time,
  positions: count,
  status: fc.constantFrom("blocked_mapping", "open", "filled", "cancelled", "expired"),
  outletId: id,
  outletName: orNull(id),
  roleId: id,
  roleName: orNull(id),
  workplaceId: orNull(id),
  competenceId: orNull(id),
  overfilled: fc.boolean(),
  warnings: fc.constant([]),
  ownPeople: fc.array(person, { maxLength: 3 }),
  ownPeopleCount: count,
  cancelledBy: fc.constantFrom("employer", "provider", "absence", null),
  offerRound: count,
  renewedRound: count,
  announced: orNull(fc.record({ startTime: time, endTime: time, outletId: id, roleId: id })),
  traceId: id,
});

const version = fc.constantFrom("gone", "cancelled", "one", "two");
const belief = fc.record({
  version: orNull(version),
  since: time,
  isConfirmed: fc.boolean(),
  missingSince: orNull(time),
  shown: orNull(id),
  earlier: fc.array(
    fc.record({ version, believedAt: time, olderSince: time }, { requiredKeys: ["version", "believedAt"] }),
    { maxLength: 2 },
  ),
  notices: fc.array(time, { maxLength: 3 }),
  expected: count,
  calledAt: orNull(time),
  doubtedAt: orNull(time),
  awaitsEcho: fc.boolean(),
  isContradicted: fc.boolean(),
  own: orNull(fc.record({ at: time, values: fc.record({ startTime: time }) })),
  basis: orNull(time),
});

const booking = fc.record({
  bookingId: id,
  candidateId: id,
  traceId: id,
  sentAt: orNull(time),
  missingSince: orNull(time),
  status: fc.constantFrom("pending", "confirmed", "released", "failed"),
  reason: fc.constantFrom(
    null,
    "withdrawn",
    "shift_deleted",
    "shift_cancelled",
    "removed_by_provider",
    "moved_by_provider",
  ),
  atProvider: fc.constantFrom("no", "maybe", "yes"),
  isWithdrawn: fc.boolean(),
  isReassigned: fc.boolean(),
  mayActLate: fc.boolean(),
  leftAt: orNull(time),
  soughtIds: fc.array(id, { maxLength: 2 }),
  routeDoubt: orNull(fc.integer({ min: 0, max: 2 })),
  providerCandidateId: orNull(id),
  rejection: orNull(rejection),
  person: fc.record({
    id: orNull(id),
    fault: orNull(
      fc.oneof(
        fc.record({ kind: fc.constant("ambiguous"), matches: count }),
        fc.record({ kind: fc.constant("forgotten") }),
        rejection.map((rest) => ({ kind: "refused", ...rest })),
      ),
    ),
  }),
});

const change = fc.record({
  changeId: id,
  traceId: id,
  startTime: time,
  endTime: time,
  positions: count,
  named: fc.subarray(["startTime", "endTime", "positions"]),
  base: orNull(fc.record({ startTime: time, endTime: time, positions: count })),
  sentAt: orNull(time),
  createdAt: time,
});

const event = fc.record({
  eventId: id,
  traceId: id,
  isReplayed: fc.boolean(),
  isDead: fc.boolean(),
  receivedAt: time,
  isRead: fc.boolean(),
  event: fc.constantFrom("shift.create", "shift.update", "shift.delete"),
});

const moved = fc.record({
  candidateId: id,
  providerCandidateId: id,
  jobId: id,
  shiftId: id,
  startTime: time,
  endTime: time,
  outletId: id,
  roleId: id,
  otherJobId: orNull(id),
  isBusy: fc.boolean(),
});

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

export const states = fc.record({
  providerId: id,
  shiftId: id,
  job: optional(job),
  bookings: fc.array(booking, { maxLength: 3 }),
  integration: fc.record({
    state: fc.constantFrom("draft", "active", "suspended"),
    health: fc.constantFrom("reachable", "unreachable", "rate_limited", "implausible"),
    isPaused: fc.boolean(),
    isHeld: fc.boolean(),
    listsBooked: fc.boolean(),
    routes: fc.dictionary(
      fc.constantFrom("assignCandidate", "unassignCandidate"),
      fc.record(
        { since: fc.constant("2026-01-05T06:00:00.000Z"), recoveries: count },
        { requiredKeys: ["recoveries"] },
      ),
    ),
  }),
  shift: fc.record({
    nextReadAt: orNull(time),
    belief,
    hasIssues: fc.boolean(),
  }),
  cancellation: optional(
    fc.record({ operationId: id, traceId: id, sentAt: orNull(time), consumedBy: orNull(id) }),
  ),
  echoes: fc.array(id, { maxLength: 2 }),
  changes: fc.array(change, { maxLength: 2 }),
  events: fc.array(event, { maxLength: 3 }),
  surroundings: fc.record({
    workplaceId: orNull(id),
    competenceId: orNull(id),
    listed: fc.array(person, { maxLength: 3 }),
    overlaps: fc.array(fc.record({ candidateId: id, otherJobId: id }), { maxLength: 2 }),
    lacking: fc.array(id, { maxLength: 2 }),
    vanished: fc.record({ missing: count, known: count }),
    moved: fc.array(moved, { maxLength: 2 }),
    arrived: fc.array(id, { maxLength: 2 }),
  }),
}) as fc.Arbitrary<ShiftState>;

const shift = fc.record({
  id,
  variant: fc.constantFrom("a", "b"),
  positions: count,
  cancelled: fc.boolean(),
  startTime: time.map((at) => new Date(at).toISOString()),
  endTime: time.map((at) => new Date(at).toISOString()),
  outletId: id,
  outletName: optional(id),
  roleId: id,
  roleName: optional(id),
  breakMinutes: fc.constant(undefined),
  description: fc.constant(undefined),
  assigned: fc.constant([]),
  warnings: fc.subarray(["positions_missing", "name_cut"]),
}) as fc.Arbitrary<Shift>;

const unavailable = fc.record(
  {
    kind: fc.constant("unavailable"),
    failure: fc.constantFrom("timeout", "http_error", "absence_unconfirmed", "route_missing"),
    reason: fc.constant("no response"),
    status: fc.constantFrom(404, 429, 503),
    retryAfterMs: fc.constant(30_000),
    notAsked: fc.constant(true),
  },
  { requiredKeys: ["kind", "failure", "reason"] },
);

const outcome = fc.oneof(
  fc.record({ kind: fc.constant("shift"), shift }),
  fc.record({
    kind: fc.constant("unusable"),
    unusable: fc.constant({ fault: "time_impossible", pointer: "/startTime" }),
  }),
  fc.record({ kind: fc.constant("absent"), final: fc.boolean(), code }),
  fc.record({ kind: fc.constant("refused"), status, code }),
  unavailable,
);

const values = {
  startTime: new Date(START).toISOString(),
  endTime: new Date(START).toISOString(),
  positions: 1,
};
const call = fc.oneof(
  fc.record({
    do: fc.constantFrom("assign", "unassign"),
    bookingId: id,
    providerCandidateId: id,
    isRetry: fc.boolean(),
    traceId: id,
  }),
  fc.record({ do: fc.constant("cancel"), operationId: id, traceId: id }),
  fc.record({ do: fc.constant("change"), changeId: id, values: fc.constant(values), traceId: id }),
) as fc.Arbitrary<Call>;

const reading = fc.record(
  {
    outcome,
    covers: fc.subarray(["one", "two", "three"]),
    witness: fc.constantFrom("good", "bad"),
    durationMs: count,
  },
  { requiredKeys: ["outcome", "covers", "durationMs"] },
);
const made = fc.record({
  call,
  outcome: fc.oneof(outcome, fc.constant({ kind: "done" })),
  durationMs: count,
});

export const runs = fc.record(
  {
    reading,
    made,
    isFirst: fc.boolean(),
    hasRead: fc.boolean(),
    attempts: fc.integer({ min: 1, max: RULES.tries + 2 }),
    failed: fc.subarray(["one", "two", "three"]).map((ids) => new Set(ids)),
    unavailable,
  },
  { requiredKeys: ["isFirst", "attempts", "failed"] },
) as unknown as fc.Arbitrary<RunSoFar>;
