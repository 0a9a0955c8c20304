import { randomUUID } from "node:crypto";
import { HOUR_MS } from "../../contract/durations.ts";
import type { StoredShift } from "../organisation.ts";
import { shiftBody } from "../shift-body.ts";
import { changeEntries, changeMembers, type Entry, isEntry, without } from "./entries.ts";
import {
  type Answer,
  type Call,
  type FaultSettings,
  type Faults,
  isSuccess,
  json,
  problemAnswer,
} from "./fault.ts";
import { UNASSIGN } from "./operations.ts";
import { organisationOf } from "./tenant.ts";

const WITH_SHIFT = ["getShift", "updateShift"] as const;
const OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;
const TIMES = ["startTime", "endTime", "createdAt", "updatedAt", "assignedAt"];

/** Faults in responses about shifts and assignments; the stored data is right. */
export const shiftResponseFaults = {
  "shift-lag": {
    summary: "404 for the first three reads of a shift, as from a lagging replica",
    operations: ["getShift"],
    times: 3,
    instead: () => problemAnswer("shift_not_found"),
  },
  "stale-reads": {
    summary: "a read returns the shift as of the previous read, as from a lagging replica",
    operations: ["getShift"],
    rewrite: asReadBefore,
  },
  "shift-of-another": {
    summary: "a read returns a shift with a different id",
    operations: ["getShift"],
    rewrite: (answer) => changeEntries(answer, (shift) => ({ ...shift, id: randomUUID() })),
  },
  "time-without-offset": {
    summary: "the times of a shift have no offset",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => time.replace(OFFSET, "")),
  },
  "time-not-iso": {
    summary: "the times of a shift are not in ISO 8601",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => new Date(time).toUTCString()),
  },
  "time-with-space": {
    summary: "the times of a shift have a space in place of the T",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => time.replace("T", " ")),
  },
  "time-with-named-zone": {
    summary: "the times of a shift have the name of the zone in place of the offset",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => time.replace(OFFSET, " Europe/Stockholm")),
  },
  "time-with-short-offset": {
    summary: "the offset of a shift's times has no colon",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => time.replace(/Z$/i, "+0000").replace(/:(\d{2})$/, "$1")),
  },
  "time-without-seconds": {
    summary: "the times of a shift have no seconds",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => time.replace(/(T\d{2}:\d{2}):[\d.]+/, "$1")),
  },
  "time-impossible": {
    summary: "a shift is on the 30th of February",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, (time) => time.replace(/-\d{2}-\d{2}T/, "-02-30T")),
  },
  "time-as-number": {
    summary: "the times of a shift are milliseconds",
    operations: WITH_SHIFT,
    rewrite: (answer) => withTimes(answer, Date.parse),
  },
  "break-of-days": {
    summary: "the break of a shift is in seconds, longer than a day in minutes",
    operations: WITH_SHIFT,
    rewrite: (answer) =>
      changeEntries(answer, (shift) => changeMembers(shift, ["breakMinutes"], () => 1_800)),
  },
  "updated-in-year-one": {
    summary: "updatedAt is a default value",
    operations: WITH_SHIFT,
    rewrite: (answer) =>
      changeEntries(answer, (shift) => changeMembers(shift, ["updatedAt"], () => "0001-01-01T00:00:00Z")),
  },
  "end-before-start": {
    summary: "a shift ends before it starts",
    operations: WITH_SHIFT,
    rewrite: (answer) =>
      changeEntries(answer, (shift) => ({ ...shift, startTime: shift.endTime, endTime: shift.startTime })),
  },
  "end-on-the-first-day": {
    summary: "a night shift ends on the day it starts",
    operations: WITH_SHIFT,
    rewrite: (answer) =>
      changeEntries(answer, ({ startTime, ...shift }) => ({
        ...shift,
        startTime,
        endTime: midnightOf(startTime),
      })),
  },
  "positions-missing": {
    summary: "a shift has no number of positions",
    operations: WITH_SHIFT,
    rewrite: (answer) => changeEntries(answer, (shift) => without(shift, ["slots", "numberOfPositions"])),
  },
  "positions-differ": {
    summary: "a shift has two different numbers of positions",
    operations: WITH_SHIFT,
    rewrite: (answer) => changeEntries(answer, (shift) => ({ slots: 7, numberOfPositions: 6, ...shift })),
  },
  "assigned-missing": {
    summary: "a shift has no list of assigned candidates",
    operations: ["getShift"],
    rewrite: (answer) => changeEntries(answer, (shift) => without(shift, ["assignedCandidates"])),
  },
  "assigned-as-text": {
    summary: "the assigned candidates of a shift are plain ids",
    operations: WITH_SHIFT,
    rewrite: (answer) => withAssigned(answer, ({ candidateId, id = candidateId }) => [id]),
  },
  "assigned-without-id": {
    summary: "the assigned candidates of a shift have a name only",
    operations: WITH_SHIFT,
    rewrite: (answer) => withAssigned(answer, () => [{ name: "Kim Holm" }]),
  },
  "assigned-listed-twice": {
    summary: "each assigned candidate is listed twice",
    operations: WITH_SHIFT,
    rewrite: (answer) => withAssigned(answer, (entry) => [entry, entry]),
  },
  "variants-mixed": {
    summary: "an updated shift is returned in the other variant",
    operations: ["updateShift"],
    rewrite: (answer, call) => inOtherVariant(answer, call),
  },
  "variant-now-and-then": {
    summary: "every third read returns a shift in the other variant",
    operations: ["getShift"],
    every: 3,
    rewrite: (answer, call) => inOtherVariant(answer, call),
  },
  "shift-now-and-then-later": {
    summary: "every third read returns a shift an hour later",
    operations: ["getShift"],
    every: 3,
    rewrite: (answer) => withTimes(answer, (time) => new Date(Date.parse(time) + HOUR_MS).toISOString()),
  },
  "assign-not-successful": {
    summary: "200 with success: false to an assignment",
    operations: ["assignCandidate"],
    instead: () => json(200, { success: false }),
  },
  "assign-of-another": {
    summary: "the acknowledgement names another candidate",
    operations: ["assignCandidate"],
    rewrite: (_, { path }) => json(200, { success: true, ...path, candidateId: randomUUID() }),
  },
  "assign-for-another-shift": {
    summary: "the acknowledgement names another shift",
    operations: ["assignCandidate"],
    rewrite: (answer, { path }) =>
      isSuccess(answer) ? json(200, { success: true, ...path, shiftId: randomUUID() }) : answer,
  },
  "acknowledgement-as-text": {
    summary: "an assignment is acknowledged with the word OK",
    operations: ["assignCandidate"],
    rewrite: (answer) =>
      isSuccess(answer) ? { status: 200, headers: { "Content-Type": "text/plain" }, body: "OK" } : answer,
  },
  "acknowledgement-mixed": {
    summary: "every second acknowledgement of an assignment has the other form",
    operations: ["assignCandidate"],
    every: 2,
    rewrite: (answer, { path }) => otherAcknowledgement(answer, path),
  },
  "unassign-not-successful": {
    summary: "200 with success: false to an unassignment",
    operations: UNASSIGN,
    instead: () => json(200, { success: false }),
  },
} as const satisfies Faults;

/** The actual response to the last read of each shift, since the fault was set. */
const lastReads = new WeakMap<FaultSettings, Map<StoredShift, Answer>>();

function asReadBefore(answer: Answer, call: Call): Answer {
  const shift = organisationOf(call)?.shifts.get(call.path.shiftId ?? "");
  if (!shift) return answer;
  const reads = lastReads.get(call.settings) ?? new Map<StoredShift, Answer>();
  lastReads.set(call.settings, reads);
  const before = reads.get(shift) ?? answer;
  reads.set(shift, answer);
  return before;
}

function withTimes(answer: Answer, change: (time: string) => unknown): Answer {
  return changeEntries(answer, (shift) => changeMembers(shift, TIMES, (time) => change(String(time))));
}

const midnightOf = (time: unknown): string => `${String(time).slice(0, 10)}T00:00:00Z`;

function withAssigned(answer: Answer, change: (entry: Entry) => unknown[]): Answer {
  return changeEntries(answer, (shift) =>
    changeMembers(shift, ["assignedCandidates"], (list) =>
      Array.isArray(list) ? list.filter(isEntry).flatMap(change) : list,
    ),
  );
}

function inOtherVariant(answer: Answer, call: Call): Answer {
  const organisation = organisationOf(call);
  const shift = organisation?.shifts.get(call.path.shiftId ?? "");
  if (!isSuccess(answer) || !organisation || !shift) return answer;
  const variant = call.forms.variant === "a" ? "b" : "a";
  return json(200, shiftBody(shift, organisation, { ...call.forms, variant }));
}

function otherAcknowledgement(answer: Answer, path: Call["path"]): Answer {
  if (!isSuccess(answer)) return answer;
  const isFull = isEntry(answer.body) && "shiftId" in answer.body;
  const full = { success: true, ...path, assignedAt: new Date(0).toISOString() };
  return json(200, isFull ? { success: true } : full);
}
