import { describe, expect, it } from "vitest";
import { judge } from "../../scripts/chaos/check.ts";
import type { Reading } from "../../scripts/chaos/reading.ts";
import {
  assignedAgain,
  call,
  calls,
  due,
  echoes,
  failedTry,
  issue,
  mailedAgain,
  ofBooking,
  ofIntegration,
  ofJob,
  ofShift,
  type Spoil,
  said,
  seenAs,
  sound,
  told,
} from "./sound-reading.ts";

const SEAT = { jobId: "job-of-shift-1", candidateId: "ours" };
const deletion = call("DELETE", "/shifts/shift-1", 204);
const unassign = call("PUT", "/shifts/shift-1/unassign/theirs");
const nobody = ofBooking({ status: "released", reason: "withdrawn" });
const open = ofJob({ status: "open" });
const positions = (count: number) => ofShift((shift) => Object.assign(shift, { positions: count }));

/** What is wrong, and the one finding that must come of it. */
const BITES: [what: string, spoils: Spoil[], finding: RegExp][] = [
  ["an event that is not stored", [({ stored }) => stored.events.shift()], /^lost: .* is not stored$/],
  ["an event that waits", [seenAs("queued")], /^lost: .* is queued/],
  ["a dead event", [seenAs("dead")], /^lost: .* is dead/],
  ["a failed event", [seenAs("failed")], /^lost: .* is failed/],
  ["an event that is ignored although it is known", [seenAs("ignored")], /^lost: .* is ignored/],
  [
    "an accepted booking that is not stored",
    [said({ accepted: [...sound().said.accepted, { ...SEAT, candidateId: "other" }] })],
    /^lost: the accepted/,
  ],
  ["a withdrawal that was forgotten", [said({ withdrawn: [SEAT] })], /^lost: the withdrawal/],
  ["a cancellation that was forgotten", [said({ cancelled: [SEAT.jobId] })], /^lost: the cancellation/],
  [
    "a person created again",
    [calls(call("POST", "/candidates", 409))],
    /^doubled: .* asked 2 times to create 1 people$/,
  ],
  [
    "a person who is there twice",
    [(reading) => Object.assign(reading, { hired: [...reading.hired, ...reading.hired] })],
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
  ["a change told without one", [told("shift_changed")], /^doubled: ours was told 1 times of 0 changes/],
  [
    "a notification that is not mailed",
    [told("booking_released", { delivered_at: null, delivery_error: "mail_server_unreachable" })],
    /^lost: notification told \(booking_released\) is not delivered: mail_server_unreachable$/,
  ],
  [
    "an offer that is not mailed",
    [
      told("job_offered", { delivered_at: null, candidate_id: "other" }),
      ofJob({ positions: 2 }),
      positions(2),
      open,
    ],
    /^lost: notification told \(job_offered\) is not delivered: not attempted$/,
  ],
  [
    "a notification that is queued for no mail",
    [told("booking_released", { delivered_at: null, channel: null })],
    /^lost: notification told \(booking_released\) was never to be mailed$/,
  ],
  [
    "a mail that is said to be delivered",
    [
      (reading) =>
        Object.assign(reading, {
          mails: reading.mails
            .slice(1)
            .concat(reading.mails.slice(1, 2).map((mail) => ({ ...mail, marks: 2 }))),
        }),
    ],
    /^lost: notification mail-shift-1 \(booking_confirmed\) is said to be delivered/,
  ],
  ["a mail sent twice", [mailedAgain({})], /^doubled: notification mail-shift-1 was mailed again/],
  [
    "a mail sent twice long after a fault",
    [mailedAgain({ marks: 2 }, { marks: 2 })],
    /^doubled: notification mail-shift-1 was mailed again/,
  ],
  [
    "a mail sent again under another id after a lost answer",
    [mailedAgain({ isCut: true }, { id: "other" })],
    /^doubled: a mail was sent under other, which is the id of no notification$/,
  ],
  [
    "a seat that only the provider has",
    [nobody],
    /^disagreeing: shift shift-1: the provider has theirs, the platform has booked no one$/,
  ],
  [
    "a seat that only the platform has",
    [ofShift(({ assigned }) => assigned.clear())],
    /^disagreeing: shift shift-1: the provider has no one, the platform has booked theirs$/,
  ],
  ["a booking that waits for ever", [ofBooking({ status: "pending" })], /^disagreeing: .* pending for ever$/],
  ["a shift without a job", [({ stored }) => stored.jobs.shift()], /^disagreeing: .* there is no job$/],
  [
    "a job without a shift",
    [ofJob({ shift_id: "other" }), ofShift((shift) => Object.assign(shift, { cancelled: true }))],
    /^disagreeing: job job-of-shift-1 is about a shift that the provider never had$/,
  ],
  ["other times", [ofJob({ start_time: new Date(0) })], /^disagreeing: .* the times are 1970/],
  ["another number of positions", [ofJob({ positions: 2 })], /^disagreeing: .* 2 positions$/],
  [
    "own people of the provider whom the platform does not know of",
    [ofShift(({ assigned }) => assigned.set("own", ""))],
    /^disagreeing: .* the provider's own people are own, the platform knows of no one$/,
  ],
  [
    "own people whom the provider does not have",
    [ofJob({ own_people: [{ providerCandidateId: "own" }], own_people_count: 1 })],
    /^disagreeing: .* the provider's own people are no one, the platform knows of own$/,
  ],
  ["a job of another status", [open], /^disagreeing: .* is open, not filled$/],
  [
    "a booking that ended because of a fault that passed",
    [
      ofBooking({ status: "failed", reason: "provider_unavailable" }),
      ofShift(({ assigned }) => assigned.clear()),
      open,
    ],
    /^disagreeing: the booking of ours on job job-of-shift-1 is failed: provider_unavailable/,
  ],
  [
    "a booking whose shift is said to be cancelled, and is not",
    [
      ofBooking({ status: "released", reason: "shift_cancelled" }),
      ofShift(({ assigned }) => assigned.clear()),
      open,
    ],
    /^disagreeing: the booking of ours on job job-of-shift-1 is released: shift_cancelled/,
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
    "a provider that is still taken as unreachable",
    [ofIntegration({ health: "unreachable" })],
    /^disagreeing: the provider is still taken as unreachable$/,
  ],
  ["an issue that is still open", [issue("provider_down")], /^disagreeing: the issue provider_down/],
  ["a shift that is reconciled for ever", [due({ priority: 1 })], /^disagreeing: shift shift-1 still needs/],
  ["a shift whose last run failed", [due({ attempts: 3 })], /^disagreeing: .* after 3 attempts/],
  [
    "a booking that is still in doubt",
    [ofBooking({ at_provider: "maybe" })],
    /^disagreeing: whether ours is on the shift of job job-of-shift-1 is still in doubt$/,
  ],
  [
    "no bookings confirmed",
    [({ stored }) => stored.notifications.map((each) => Object.assign(each, { kind: "booking_released" }))],
    /^too few: 0 bookings were confirmed; 1 at least/,
  ],
  [
    "fewer bookings accepted than needed",
    [({ said }) => said.accepted.splice(1)],
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

/** What looks wrong, and is explained. */
const FORGIVEN: [what: string, spoils: Spoil[]][] = [
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
    "a seat that was lost to another",
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
    [told("job_offered", { delivered_at: null, withdrawn_at: new Date(0) })],
  ],
  ["an offer of a job that is filled", [told("job_offered", { delivered_at: null, candidate_id: "other" })]],
  ["an assignment again after a fault", [assignedAgain(0, 2)]],
  ["an assignment again that began in a fault", [assignedAgain(1, 1)]],
  ["an assignment again after a failed try", [assignedAgain(0, 0), failedTry("assign")]],
  ["an assignment again after it was taken back", [calls(unassign), assignedAgain(0, 0)]],
  ["a deletion again after a fault", [calls(deletion, deletion), said({ faults: [10, 10] })]],
  ["a deletion again after a failed try", [calls(deletion, deletion), failedTry("cancel")]],
  ["a change told once", [said({ retimed: new Map([["shift-1", 1]]) }), told("shift_changed")]],
  [
    "an event of a name that nobody knows",
    [
      ({ stored }) =>
        stored.events.push({ event: "x", shift_id: "", trace_id: "", status: "ignored", verdict: null }),
    ],
  ],
];

const findings = (reading: Reading) => judge(reading).findings.map(({ kind, what }) => `${kind}: ${what}`);

describe("the check after chaos", () => {
  it("finds nothing where all went right", () => {
    expect(judge(sound())).toEqual({ findings: [], jobs: 8, confirmed: 8, ownPeople: 0 });
  });

  it.each(BITES)("finds %s", (_, spoils, finding) => {
    const reading = sound();
    for (const spoil of spoils) spoil(reading);
    expect(findings(reading)).toEqual([expect.stringMatching(finding)]);
  });

  it.each(FORGIVEN)("accepts %s", (_, spoils) => {
    const reading = sound();
    for (const spoil of spoils) spoil(reading);
    expect(findings(reading)).toEqual([]);
  });
});
