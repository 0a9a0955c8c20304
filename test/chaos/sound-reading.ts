import type { NotificationKind } from "../../generated/operations/types.ts";
import type { Accepted } from "../../scripts/chaos/mail.ts";
import type { Reading, Stored } from "../../scripts/chaos/reading.ts";

const [startTime, endTime] = ["2031-05-01T08:00:00.000Z", "2031-05-01T14:00:00.000Z"];
const NUMBER = "197209189294";
const VERDICT = { code: "job_updated", params: {} } as const;
const SHIFTS = [1, 2, 3, 4, 5, 6, 7, 8].map((nth) => `shift-${nth}`);
const events = ["create", "update", "delete"].flatMap((name) =>
  SHIFTS.map((shiftId) => ({
    event: `shift.${name}`,
    shiftId,
    traceId: `${name} ${shiftId}`,
    isEcho: false,
  })),
);

/** A run that went right: each of eight shifts has its one booking. */
export function sound(): Reading {
  return {
    said: {
      ...{ events: [], withdrawn: [], cancelled: [], retimed: new Map(), faults: [], done: new Map() },
      accepted: SHIFTS.map((shiftId) => ({ jobId: `job-of-${shiftId}`, candidateId: "ours" })),
    },
    acknowledged: [...events],
    shifts: SHIFTS.map(shiftAt),
    ownPeople: new Set(["own"]),
    hired: [{ personalNumber: NUMBER }],
    calls: [call("POST", "/candidates", 201), ...SHIFTS.map((shiftId) => call("PUT", seat(shiftId)))],
    assigned: SHIFTS.map((shiftId, index) => ({ shiftId, candidateId: "theirs", at: index + 1, marks: 0 })),
    mails: SHIFTS.map((shiftId) => mail(`mail-${shiftId}`)),
    stored: stored(),
  };
}

const mail = (id: string) => ({ id, to: "people@example.com", isCut: false, marks: 0 });

const notification = (id: string, shiftId: string, kind: NotificationKind) => ({
  ...{ notification_id: id, candidate_id: "ours", job_id: `job-of-${shiftId}`, kind },
  ...{ channel: "email", delivered_at: new Date(0), delivery_error: null, withdrawn_at: null },
});

const seat = (shiftId: string) => `/shifts/${shiftId}/assign/theirs`;
export const call = (method: string, path: string, status = 200) => ({ method, path, status, traceId: "t" });

function shiftAt(id: string): Reading["shifts"][number] {
  return {
    ...{ id, startTime, endTime, outletId: "outlet", roleId: "role", positions: 1, cancelled: false },
    ...{ breakMinutes: 0, description: null, createdAt: startTime, updatedAt: startTime },
    assigned: new Map([["theirs", startTime]]),
  };
}

function stored(): Stored {
  return {
    integration: { paused_since: null, held_since: null, health: "reachable" },
    events: events.map(({ event, shiftId, traceId }) => ({
      ...{ event, shift_id: shiftId, trace_id: traceId, status: "processed", verdict: VERDICT },
    })),
    jobs: SHIFTS.map((shiftId) => ({
      ...{ job_id: `job-of-${shiftId}`, shift_id: shiftId, status: "filled" as const, positions: 1 },
      ...{
        start_time: new Date(startTime),
        end_time: new Date(endTime),
        own_people: [],
        own_people_count: 0,
      },
    })),
    bookings: SHIFTS.map((shiftId) => ({
      ...{ job_id: `job-of-${shiftId}`, candidate_id: "ours", provider_candidate_id: "theirs" },
      ...{ status: "confirmed" as const, reason: null, reason_params: {}, at_provider: "yes" as const },
    })),
    notifications: SHIFTS.map((shiftId) => notification(`mail-${shiftId}`, shiftId, "booking_confirmed")),
    ...{ issues: [], steps: [], work: [] },
  };
}

/** The first shift of the provider. */
export const ofShift =
  (change: (shift: Reading["shifts"][number]) => unknown): Spoil =>
  ({ shifts }) => {
    const [shift] = shifts;
    if (shift) change(shift);
  };
export const ofIntegration =
  (change: Partial<Stored["integration"]>): Spoil =>
  ({ stored }) =>
    Object.assign(stored.integration, change);
export const due =
  (work: Partial<Stored["work"][number]>): Spoil =>
  ({ stored }) =>
    stored.work.push({ kind: "shift", key: "shift-1", priority: 2, attempts: 0, ...work });

/** Makes one thing wrong, or explains it. */
export type Spoil = (reading: Reading) => void;

export const seenAs =
  (status: string): Spoil =>
  ({ stored }) =>
    Object.assign(stored.events[0] ?? {}, { status });
export const ofJob =
  (change: object): Spoil =>
  ({ stored }) =>
    Object.assign(stored.jobs[0] ?? {}, change);
export const ofBooking =
  (change: object): Spoil =>
  ({ stored }) =>
    Object.assign(stored.bookings[0] ?? {}, change);
export const said =
  (change: Partial<Reading["said"]>): Spoil =>
  (reading) =>
    Object.assign(reading.said, change);
export const calls =
  (...more: Reading["calls"]): Spoil =>
  (reading) => {
    reading.calls = [...reading.calls, ...more];
  };
/** @param marks of faults that were begun or over before each of the two. */
export const assignedAgain =
  (...marks: [before: number, after: number]): Spoil =>
  (reading) => {
    const seat = { shiftId: "shift-1", candidateId: "theirs" };
    const [before, after] = marks;
    reading.assigned = [
      { ...seat, at: 1, marks: before },
      ...reading.assigned.slice(1),
      { ...seat, at: 10, marks: after },
    ];
  };
export const echoes =
  (count: number): Spoil =>
  (reading) => {
    for (let nth = 0; nth < count; nth += 1) {
      const traceId = `echo ${nth}`;
      const row = { event: "shift.update", shift_id: "shift-1", trace_id: traceId };
      reading.stored.events.push({ ...row, status: "processed", verdict: VERDICT });
      const sent = { event: "shift.update", shiftId: "shift-1", traceId, isEcho: true };
      reading.acknowledged = [...reading.acknowledged, sent];
    }
  };
export const issue =
  (code: string): Spoil =>
  ({ stored }) =>
    stored.issues.push({ code });
export const failedTry =
  (step: string): Spoil =>
  ({ stored }) =>
    stored.steps.push({ step, shift_id: "shift-1", code: "will_retry" });
/** One more notification about the first shift, which is mailed. */
export const told =
  (kind: NotificationKind, change: Partial<Stored["notifications"][number]> = {}): Spoil =>
  (reading) => {
    const told = { ...notification("told", "shift-1", kind), ...change };
    reading.stored.notifications.push(told);
    if (told.delivered_at) reading.mails = [...reading.mails, mail("told")];
  };
/** The first mail once more. */
export const mailedAgain =
  (before: Partial<Accepted>, again: Partial<Accepted> = {}): Spoil =>
  (reading) => {
    const [first, ...others] = reading.mails;
    if (first) reading.mails = [{ ...first, ...before }, ...others, { ...first, ...again }];
  };
