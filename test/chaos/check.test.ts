import { describe, expect, it } from "vitest";
import { evaluate } from "../../scripts/chaos/check.ts";
import type { Reading } from "../../scripts/chaos/reading.ts";
import { crashesOf, fewerThan, growthOf } from "../../scripts/chaos/table.ts";
import type { Target } from "../../scripts/chaos/target.ts";
import {
  assignedAgain,
  call,
  calls,
  condition,
  correctReading,
  due,
  echoes,
  issue,
  mailedAgain,
  notified,
  ofBooking,
  ofJob,
  ofShift,
  record,
  type Spoil,
  storedAs,
} from "./correct-reading.ts";

const SEAT = { jobId: "job-of-shift-1", candidateId: "candidate" };
const deletion = call("DELETE", "/shifts/shift-1", 204);
const released = ofBooking({ status: "released", reason: "withdrawn" });
const open = ofJob({ status: "open" });

/** A violation, and the one finding that it must cause. */
const VIOLATIONS: [what: string, spoils: Spoil[], finding: RegExp][] = [
  ["an event that is not stored", [({ stored }) => stored.events.shift()], /^lost: .* is not stored$/],
  ["a failed event", [storedAs("failed")], /^lost: .* is failed/],
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
    [notified("booking_released", { deliveredAt: null, deliveryError: "mail_server_unreachable" })],
    /^lost: notification extra \(booking_released\) is not delivered: mail_server_unreachable$/,
  ],
  [
    "a notification without a channel",
    [notified("booking_released", { deliveredAt: null, channel: null })],
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
    "a mail sent again under another id after a lost answer",
    [mailedAgain({ isCut: true }, { id: "other" })],
    /^doubled: a mail was sent under other, which is the id of no notification or digest$/,
  ],
  [
    "a booking that only the provider has",
    [released],
    /^disagreeing: shift shift-1: the provider has at-provider, the platform has booked no one$/,
  ],
  ["a booking that stays pending", [ofBooking({ status: "pending" })], /^disagreeing: .* pending forever$/],
  ["a shift without a job", [({ stored }) => stored.jobs.shift()], /^disagreeing: .* there is no job$/],
  [
    "a job without a shift",
    [ofJob({ shiftId: "other" }), ofShift((shift) => Object.assign(shift, { cancelled: true }))],
    /^disagreeing: job job-of-shift-1 belongs to a shift that the provider never had$/,
  ],
  ["other times", [ofJob({ startTime: new Date(0) })], /^disagreeing: .* the times are 1970/],
  ["another number of positions", [ofJob({ positions: 2 })], /^disagreeing: .* 2 positions$/],
  [
    "own people of the provider whom the platform does not know",
    [ofShift(({ assigned }) => assigned.set("own", ""))],
    /^disagreeing: .* the provider's own people are own, the platform has no one$/,
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
    "a condition that still holds",
    [condition("token_rejected")],
    /^disagreeing: the condition token_rejected still holds$/,
  ],
  ["an issue that is still open", [issue("provider_down")], /^disagreeing: the issue provider_down/],
  [
    "a shift that never finishes its reconciliation",
    [due({ priority: 1 })],
    /^disagreeing: shift shift-1 still needs/,
  ],
  [
    "a booking that is still in doubt",
    [ofBooking({ atProvider: "maybe" })],
    /^disagreeing: whether candidate is on the shift of job job-of-shift-1 is still in doubt$/,
  ],
  [
    "no bookings confirmed",
    [({ stored }) => stored.notifications.map((each) => Object.assign(each, { kind: "booking_released" }))],
    /^too few: 0 bookings were confirmed; 1 at least/,
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

  it("finds memory that grows, processes that ended, and too few faults", () => {
    const crashed = { crashes: ["exit code 1"] } as unknown as Target;
    expect([...growthOf([0, 0, 200]), ...crashesOf([crashed]), ...fewerThan(2, 1, "SIGKILLs")]).toEqual([
      { kind: "growing", what: "200 MB more within the second half of the malformed requests" },
      { kind: "lost", what: "the platform ended unexpectedly: exit code 1" },
      { kind: "too few", what: "1 of 2 SIGKILLs within the time" },
    ]);
  });
});
