import { describe, expect, it } from "vitest";
import { evaluate } from "../../scripts/chaos/check.ts";
import type { Reading } from "../../scripts/chaos/reading.ts";
import {
  assignedAgain,
  call,
  calls,
  correctReading,
  due,
  echoes,
  failedTry,
  issue,
  mailedAgain,
  notified,
  ofBooking,
  ofIntegration,
  ofJob,
  ofShift,
  record,
  type Spoil,
  storedAs,
} from "./correct-reading.ts";

const SEAT = { jobId: "job-of-shift-1", candidateId: "candidate" };
const deletion = call("DELETE", "/shifts/shift-1", 204);
const unassign = call("PUT", "/shifts/shift-1/unassign/at-provider");
const released = ofBooking({ status: "released", reason: "withdrawn" });
const open = ofJob({ status: "open" });
const positions = (count: number) => ofShift((shift) => Object.assign(shift, { positions: count }));

/** A violation, and the one finding that it must cause. */
const VIOLATIONS: [what: string, spoils: Spoil[], finding: RegExp][] = [
  ["an event that is not stored", [({ stored }) => stored.events.shift()], /^lost: .* is not stored$/],
  ["an event that waits", [storedAs("queued")], /^lost: .* is queued/],
  ["a dead event", [storedAs("dead")], /^lost: .* is dead/],
  ["a failed event", [storedAs("failed")], /^lost: .* is failed/],
  ["an event that is ignored although it is known", [storedAs("ignored")], /^lost: .* is ignored/],
  [
    "an accepted booking that is not stored",
    [record({ accepted: [...correctReading().record.accepted, { ...SEAT, candidateId: "other" }] })],
    /^lost: the accepted/,
  ],
  ["a withdrawal that did not happen", [record({ withdrawn: [SEAT] })], /^lost: the withdrawal/],
  ["a cancellation that did not happen", [record({ cancelled: [SEAT.jobId] })], /^lost: the cancellation/],
  [
    "a person created again",
    [calls(call("POST", "/candidates", 409))],
    /^doubled: .* asked 2 times to create 1 people$/,
  ],
  [
    "a person who exists twice",
    [
      (reading) =>
        Object.assign(reading, { createdPeople: [...reading.createdPeople, ...reading.createdPeople] }),
    ],
    /^doubled: the provider has one person 2 times$/,
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
    "an assignment asked for again long after a fault",
    [assignedAgain(2, 2)],
    /^doubled: shift shift-1 was assigned/,
  ],
  [
    "a deletion after the first was confirmed",
    [calls(deletion, call("DELETE", "/shifts/shift-1", 404))],
    /^doubled: shift shift-1 was deleted 1 times again/,
  ],
  [
    "a notification of a change that did not happen",
    [notified("shift_changed")],
    /^doubled: candidate was notified 1 times of 0 changes/,
  ],
  [
    "a notification that is not mailed",
    [notified("booking_released", { delivered_at: null, delivery_error: "mail_server_unreachable" })],
    /^lost: notification extra \(booking_released\) is not delivered: mail_server_unreachable$/,
  ],
  [
    "an offer that is not mailed",
    [
      notified("job_offered", { delivered_at: null, candidate_id: "other" }),
      ofJob({ positions: 2 }),
      positions(2),
      open,
    ],
    /^lost: notification extra \(job_offered\) is not delivered: not attempted$/,
  ],
  [
    "a notification without a channel",
    [notified("booking_released", { delivered_at: null, channel: null })],
    /^lost: notification extra \(booking_released\) was never to be mailed$/,
  ],
  [
    "a mail that is recorded as delivered and never arrived",
    [
      (reading) =>
        Object.assign(reading, {
          mails: reading.mails
            .slice(1)
            .concat(reading.mails.slice(1, 2).map((mail) => ({ ...mail, marks: 2 }))),
        }),
    ],
    /^lost: notification mail-shift-1 \(booking_confirmed\) is recorded as delivered/,
  ],
  ["a mail sent twice", [mailedAgain({})], /^doubled: the mail mail-shift-1 was sent again/],
  [
    "a mail sent twice long after a fault",
    [mailedAgain({ marks: 2 }, { marks: 2 })],
    /^doubled: the mail mail-shift-1 was sent again/,
  ],
  [
    "a mail sent again under another id after a lost answer",
    [mailedAgain({ isCut: true }, { id: "other" })],
    /^doubled: a mail was sent under other, which is the id of no notification or digest$/,
  ],
  [
    "a booking that only the provider has",
    [released],
    /^disagreeing: shift shift-1: the provider has at-provider, the platform has booked no one$/,
  ],
  [
    "a booking that only the platform has",
    [ofShift(({ assigned }) => assigned.clear())],
    /^disagreeing: shift shift-1: the provider has no one, the platform has booked at-provider$/,
  ],
  ["a booking that stays pending", [ofBooking({ status: "pending" })], /^disagreeing: .* pending forever$/],
  ["a shift without a job", [({ stored }) => stored.jobs.shift()], /^disagreeing: .* there is no job$/],
  [
    "a job without a shift",
    [ofJob({ shift_id: "other" }), ofShift((shift) => Object.assign(shift, { cancelled: true }))],
    /^disagreeing: job job-of-shift-1 belongs to a shift that the provider never had$/,
  ],
  ["other times", [ofJob({ start_time: new Date(0) })], /^disagreeing: .* the times are 1970/],
  ["another number of positions", [ofJob({ positions: 2 })], /^disagreeing: .* 2 positions$/],
  [
    "own people of the provider whom the platform does not know",
    [ofShift(({ assigned }) => assigned.set("own", ""))],
    /^disagreeing: .* the provider's own people are own, the platform has no one$/,
  ],
  [
    "own people whom the provider does not have",
    [ofJob({ own_people: [{ providerCandidateId: "own" }], own_people_count: 1 })],
    /^disagreeing: .* the provider's own people are no one, the platform has own$/,
  ],
  ["a job of another status", [open], /^disagreeing: .* is open, not filled$/],
  [
    "a booking that a temporary fault ended",
    [
      ofBooking({ status: "failed", reason: "provider_unavailable" }),
      ofShift(({ assigned }) => assigned.clear()),
      open,
    ],
    /^disagreeing: the booking of candidate on job job-of-shift-1 is failed: provider_unavailable/,
  ],
  [
    "a booking that ended with a cancellation that did not happen",
    [
      ofBooking({ status: "released", reason: "shift_cancelled" }),
      ofShift(({ assigned }) => assigned.clear()),
      open,
    ],
    /^disagreeing: the booking of candidate on job job-of-shift-1 is released: shift_cancelled/,
  ],
  [
    "an integration that is still paused",
    [ofIntegration({ paused_since: new Date(0) })],
    /^disagreeing: the integration is still paused$/,
  ],
  [
    "an integration whose deletions are still held",
    [ofIntegration({ held_since: new Date(0) })],
    /^disagreeing: deletions are still held$/,
  ],
  [
    "a provider that is still reported as unreachable",
    [ofIntegration({ health: "unreachable" })],
    /^disagreeing: the provider is still reported as unreachable$/,
  ],
  ["an issue that is still open", [issue("provider_down")], /^disagreeing: the issue provider_down/],
  [
    "a shift that never finishes its reconciliation",
    [due({ priority: 1 })],
    /^disagreeing: shift shift-1 still needs/,
  ],
  ["a shift whose last run failed", [due({ attempts: 3 })], /^disagreeing: .* after 3 failed attempts/],
  [
    "a booking that is still in doubt",
    [ofBooking({ at_provider: "maybe" })],
    /^disagreeing: whether candidate is on the shift of job job-of-shift-1 is still in doubt$/,
  ],
  [
    "no bookings confirmed",
    [({ stored }) => stored.notifications.map((each) => Object.assign(each, { kind: "booking_released" }))],
    /^too few: 0 bookings were confirmed; 1 at least/,
  ],
  [
    "fewer bookings accepted than needed",
    [({ record }) => record.accepted.splice(1)],
    /^too few: 1 bookings were accepted/,
  ],
  [
    "fewer mails than needed",
    [
      (reading) => {
        reading.mails = reading.mails.slice(1);
        const unsent = { kind: "job_offered", delivered_at: null, withdrawn_at: new Date(0) };
        Object.assign(reading.stored.notifications[0] ?? {}, unsent);
      },
    ],
    /^too few: 7 mails were accepted; 8 at least are needed$/,
  ],
];

/** An apparent violation that has an explanation. */
const ACCEPTABLE: [what: string, spoils: Spoil[]][] = [
  ["a shift that is overfilled, which an operator settles", [issue("shift_overfilled")]],
  ["the next reading of a shift", [due({})]],
  [
    "own people whom both sides have",
    [
      ofShift((shift) => {
        shift.assigned.set("own", "");
        shift.positions = 2;
      }),
      ofJob({ own_people: [{ providerCandidateId: "own" }], own_people_count: 1, positions: 2 }),
    ],
  ],
  [
    "a booking that failed because the shift was full",
    [
      ofBooking({ status: "released", reason: "shift_full" }),
      ofShift(({ assigned }) => assigned.clear()),
      open,
    ],
  ],
  ["a mail sent twice after a lost answer", [mailedAgain({ isCut: true })]],
  ["a mail sent twice after a fault", [mailedAgain({ marks: 0 }, { marks: 2 })]],
  ["a mail sent twice in a fault", [mailedAgain({ marks: 1 }, { marks: 1 })]],
  [
    "an offer that is withdrawn before it is mailed",
    [notified("job_offered", { delivered_at: null, withdrawn_at: new Date(0) })],
  ],
  [
    "an offer of a job that is filled",
    [notified("job_offered", { delivered_at: null, candidate_id: "other" })],
  ],
  ["an assignment again after a fault", [assignedAgain(0, 2)]],
  ["an assignment again that began in a fault", [assignedAgain(1, 1)]],
  ["an assignment again after a failed try", [assignedAgain(0, 0), failedTry("assign")]],
  ["an assignment again after it was taken back", [calls(unassign), assignedAgain(0, 0)]],
  ["a deletion again after a fault", [calls(deletion, deletion), record({ faults: [10, 10] })]],
  ["a deletion again after a failed try", [calls(deletion, deletion), failedTry("cancel")]],
  [
    "one notification of one change",
    [record({ retimed: new Map([["shift-1", 1]]) }), notified("shift_changed")],
  ],
  [
    "an event with an unknown name",
    [
      ({ stored }) =>
        stored.events.push({ event: "x", shift_id: "", trace_id: "", status: "ignored", verdict: null }),
    ],
  ],
];

const findings = (reading: Reading) => evaluate(reading).findings.map(({ kind, what }) => `${kind}: ${what}`);

describe("the check after chaos", () => {
  it("finds nothing in a correct run", () => {
    expect(evaluate(correctReading())).toEqual({ findings: [], jobs: 8, confirmed: 8, ownPeople: 0 });
  });

  it.each(VIOLATIONS)("finds %s", (_, spoils, finding) => {
    const reading = correctReading();
    for (const spoil of spoils) spoil(reading);
    expect(findings(reading)).toEqual([expect.stringMatching(finding)]);
  });

  it.each(ACCEPTABLE)("accepts %s", (_, spoils) => {
    const reading = correctReading();
    for (const spoil of spoils) spoil(reading);
    expect(findings(reading)).toEqual([]);
  });
});
