import type { NotificationKind } from "../../generated/operations/types.ts";
import type { AcceptedMail } from "../../scripts/chaos/mail.ts";
import type { Reading, Stored } from "../../scripts/chaos/reading.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";

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

/** Returns the reading of a correct run: each of eight shifts has its one booking. */
export function correctReading(): Reading {
  return {
    record: {
      events: [],
      withdrawn: [],
      cancelled: [],
      retimed: new Map(),
      faults: [],
      done: new Map(),
      accepted: SHIFTS.map((shiftId) => ({ jobId: `job-of-${shiftId}`, candidateId: "candidate" })),
    },
    acknowledged: [...events],
    shifts: SHIFTS.map(shiftAt),
    ownPeople: new Set(["own"]),
    createdPeople: [{ personalNumber: NUMBER }],
    calls: [call("POST", "/candidates", 201), ...SHIFTS.map((shiftId) => call("PUT", seat(shiftId)))],
    assigned: SHIFTS.map((shiftId, index) => ({
      shiftId,
      candidateId: "at-provider",
      at: index + 1,
      marks: 0,
    })),
    mails: SHIFTS.map((shiftId) => mail(`mail-${shiftId}`)),
    stored: stored(),
  };
}

const mail = (id: string) => ({ id, to: "people@example.com", isCut: false, marks: 0 });

const notification = (id: string, shiftId: string, kind: NotificationKind) => ({
  notificationId: id,
  candidateId: "candidate",
  jobId: `job-of-${shiftId}`,
  kind,
  channel: "email",
  deliveredAt: new Date(0),
  deliveryError: null,
  withdrawnAt: null,
  digestId: null,
});

const seat = (shiftId: string) => `/shifts/${shiftId}/assign/at-provider`;
export const call = (method: string, path: string, status = 200) => ({ method, path, status, traceId: "t" });

function shiftAt(id: string): Reading["shifts"][number] {
  return {
    id,
    startTime,
    endTime,
    outletId: "outlet",
    roleId: "role",
    positions: 1,
    cancelled: false,
    breakMinutes: 0,
    description: null,
    createdAt: startTime,
    updatedAt: startTime,
    assigned: new Map([["at-provider", startTime]]),
  };
}

function stored(): Stored {
  return {
    conditions: [],
    events: events.map(({ event, shiftId, traceId }) => ({
      event,
      shiftId,
      traceId,
      status: "processed",
      verdict: VERDICT,
    })),
    jobs: SHIFTS.map((shiftId) => ({
      jobId: `job-of-${shiftId}`,
      shiftId,
      status: "filled" as const,
      positions: 1,
      startTime: new Date(startTime),
      endTime: new Date(endTime),
      ownPeople: [],
      ownPeopleCount: 0,
    })),
    bookings: SHIFTS.map((shiftId) => ({
      jobId: `job-of-${shiftId}`,
      candidateId: "candidate",
      providerCandidateId: "at-provider",
      status: "confirmed" as const,
      reason: null,
      reasonParams: {},
      atProvider: "yes" as const,
    })),
    notifications: SHIFTS.map((shiftId) => notification(`mail-${shiftId}`, shiftId, "booking_confirmed")),
    issues: [],
    steps: [],
    work: [],
  };
}

/** Changes the first shift of the provider. */
export const ofShift =
  (change: (shift: Reading["shifts"][number]) => unknown): Spoil =>
  ({ shifts }) => {
    const [shift] = shifts;
    if (shift) change(shift);
  };
export const condition =
  (code: string): Spoil =>
  ({ stored }) =>
    stored.conditions.push({ code });
export const due =
  (work: Partial<Stored["work"][number]>): Spoil =>
  ({ stored }) =>
    stored.work.push({ kind: "shift", key: "shift-1", priority: 2, attempts: 0, ...work });

/** Adds a violation, or its explanation. */
export type Spoil = (reading: Reading) => void;

export const storedAs =
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
export const record =
  (change: Partial<Reading["record"]>): Spoil =>
  (reading) =>
    Object.assign(reading.record, change);
export const calls =
  (...more: Reading["calls"]): Spoil =>
  (reading) => {
    reading.calls = [...reading.calls, ...more];
  };
/** @param marks the number of begins and ends of faults before each of the two. */
export const assignedAgain =
  (...marks: [before: number, after: number]): Spoil =>
  (reading) => {
    const seat = { shiftId: "shift-1", candidateId: "at-provider" };
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
      const row = { event: "shift.update", shiftId: "shift-1", traceId };
      reading.stored.events.push({ ...row, status: "processed", verdict: VERDICT });
      const sent = { event: "shift.update", shiftId: "shift-1", traceId, isEcho: true };
      reading.acknowledged = [...reading.acknowledged, sent];
    }
  };
export const issue =
  (code: string): Spoil =>
  ({ stored }) =>
    stored.issues.push({ code });
/** Adds a notification about the first shift, with its mail. */
export const notified =
  (kind: NotificationKind, change: Partial<Stored["notifications"][number]> = {}): Spoil =>
  (reading) => {
    const added = { ...notification("extra", "shift-1", kind), ...change };
    reading.stored.notifications.push(added);
    if (added.deliveredAt) reading.mails = [...reading.mails, mail("extra")];
  };
/** Repeats the first mail. */
export const mailedAgain =
  (before: Partial<AcceptedMail>, again: Partial<AcceptedMail> = {}): Spoil =>
  (reading) => {
    const [first, ...others] = reading.mails;
    if (first) reading.mails = [{ ...first, ...before }, ...others, { ...first, ...again }];
  };

/**
 * A platform that acknowledges every webhook and reports that it is idle, but makes few calls after its setup and never retries.
 */
const platform = await startPlatform(readConfig(process.env), {
  retries: { baseMs: HOUR_MS, capMs: HOUR_MS, random: () => 0.99 },
  calls: { perMinute: 8, perSecond: 3, waitMs: 1_000 },
});
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
process.on("message", (message) => {
  if (message === "idle") process.send?.("idle");
});
process.once("disconnect", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
