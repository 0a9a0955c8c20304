import { describe, expect, it } from "vitest";
import { judge } from "../../scripts/chaos/check.ts";
import type { Reading } from "../../scripts/chaos/reading.ts";
import {
  assignedAgain,
  call,
  calls,
  echoes,
  failedTry,
  issue,
  ofBooking,
  ofJob,
  type Spoil,
  said,
  seenAs,
  sound,
  told,
} from "./sound-reading.ts";

const SEAT = { jobId: "job-of-shift-1", candidateId: "ours" };
const deletion = call("DELETE", "/shifts/shift-1", 204);
const unassign = call("PUT", "/shifts/shift-1/unassign/theirs");
const nobody = ofBooking({ status: "released" });
const open = ofJob({ status: "open" });

/** What is wrong, and the one finding that must come of it. */
const BITES: [what: string, spoils: Spoil[], finding: RegExp][] = [
  ["an event that is not stored", [({ stored }) => stored.events.shift()], /^lost: .* is not stored$/],
  ["an event that waits", [seenAs("queued")], /^lost: .* is queued/],
  ["a dead event", [seenAs("dead"), issue("provider_gave_no_answer")], /^lost: .* is dead/],
  ["a failed event", [seenAs("failed"), issue("shift_unusable")], /^lost: .* is failed/],
  ["an event that is ignored although it is known", [seenAs("ignored")], /^lost: .* is ignored/],
  [
    "an accepted booking that is not stored",
    [said({ accepted: [...sound().said.accepted, { ...SEAT, candidateId: "other" }] })],
    /^lost: the accepted/,
  ],
  ["a withdrawal that was forgotten", [said({ withdrawn: [SEAT] })], /^lost: the withdrawal/],
  [
    "a withdrawal, whatever else is open",
    [said({ withdrawn: [SEAT] }), issue("booking_failed")],
    /^lost: the withdrawal/,
  ],
  ["a cancellation that was forgotten", [said({ cancelled: [SEAT.jobId] })], /^lost: the cancellation/],
  [
    "a cancellation, whatever else is open",
    [said({ cancelled: [SEAT.jobId] }), issue("unassign_failed")],
    /^lost: the cancellation/,
  ],
  [
    "a person created again",
    [calls(call("POST", "/candidates", 409))],
    /^doubled: .* asked 2 times to create 1 people$/,
  ],
  [
    "more assignments than bookings",
    [echoes(2)],
    /^doubled: shift shift-1 took 2 assignments for 1 bookings$/,
  ],
  [
    "an assignment asked for again",
    [assignedAgain(0, 0)],
    /^doubled: shift shift-1 was assigned 1 times again after 0/,
  ],
  [
    "an assignment asked for again long after a blow",
    [assignedAgain(2, 2)],
    /^doubled: shift shift-1 was assigned/,
  ],
  [
    "a deletion after the first was confirmed",
    [calls(deletion, call("DELETE", "/shifts/shift-1", 404))],
    /^doubled: shift shift-1 was deleted 1 times again/,
  ],
  ["a change told without one", [told("shift_changed")], /^doubled: ours was told 1 times of 0 changes/],
  [
    "a seat that only the provider has",
    [nobody, open],
    /^disagreeing: shift shift-1: the provider has theirs/,
  ],
  [
    "a seat, whatever else is open",
    [nobody, open, issue("provider_gave_no_answer")],
    /^disagreeing: shift shift-1: the provider has/,
  ],
  [
    "a booking that waits for ever",
    [ofBooking({ status: "pending" }), issue("booking_failed")],
    /^disagreeing: .* pending for ever$/,
  ],
  [
    "a shift without a job",
    [({ stored }) => stored.jobs.shift(), issue("booking_failed")],
    /^disagreeing: .* there is no job$/,
  ],
  [
    "other times",
    [ofJob({ start_time: new Date(0) }), issue("booking_failed")],
    /^disagreeing: .* the times are 1970/,
  ],
  ["another number of positions", [ofJob({ positions: 2 })], /^disagreeing: .* 2 positions$/],
  [
    "more excuses than a run may need",
    [said({ withdrawn: [SEAT, SEAT] }), issue("unassign_failed")],
    /^disagreeing: 2 are excused by an open issue, of at most 1$/,
  ],
  ["a job of another status", [open], /^disagreeing: .* is open, not filled$/],
  [
    "no bookings confirmed",
    [({ stored }) => stored.notifications.splice(0)],
    /^too few: 0 bookings were confirmed; 1 at least/,
  ],
  [
    "fewer bookings accepted than needed",
    [({ said }) => said.accepted.splice(1)],
    /^too few: 1 bookings were accepted/,
  ],
];

/** What looks wrong, and is explained. */
const FORGIVEN: [what: string, spoils: Spoil[], excused: number][] = [
  ["a seat that a failed call left in doubt", [nobody, open, issue("unassign_failed")], 1],
  ["a withdrawal that the provider refused", [said({ withdrawn: [SEAT] }), issue("unassign_failed")], 1],
  [
    "a cancellation that the provider refused",
    [said({ cancelled: [SEAT.jobId] }), issue("cancellation_refused")],
    1,
  ],
  ["an assignment again after a blow", [assignedAgain(0, 2)], 0],
  ["an assignment again that began in a blow", [assignedAgain(1, 1)], 0],
  ["an assignment again after a failed try", [assignedAgain(0, 0), failedTry("assign")], 0],
  ["an assignment again after it was taken back", [calls(unassign), assignedAgain(0, 0)], 0],
  ["a deletion again after a blow", [calls(deletion, deletion), said({ blows: [10, 10] })], 0],
  ["a deletion again after a failed try", [calls(deletion, deletion), failedTry("cancel")], 0],
  ["a change told once", [said({ retimed: new Map([["shift-1", 1]]) }), told("shift_changed")], 0],
  [
    "an event of a name that nobody knows",
    [
      ({ stored }) =>
        stored.events.push({ event: "x", shift_id: "", trace_id: "", status: "ignored", verdict: null }),
    ],
    0,
  ],
];

const findings = (reading: Reading) => judge(reading).findings.map(({ kind, what }) => `${kind}: ${what}`);

describe("the check after chaos", () => {
  it("finds nothing where all went right", () => {
    expect(judge(sound())).toEqual({ findings: [], jobs: 8, confirmed: 8, excused: 0 });
  });

  it.each(BITES)("finds %s", (_, spoils, finding) => {
    const reading = sound();
    for (const spoil of spoils) spoil(reading);
    expect(findings(reading)).toEqual([expect.stringMatching(finding)]);
  });

  it.each(FORGIVEN)("forgives %s", (_, spoils, excused) => {
    const reading = sound();
    for (const spoil of spoils) spoil(reading);
    expect(judge(reading)).toMatchObject({ findings: [], excused });
  });
});
