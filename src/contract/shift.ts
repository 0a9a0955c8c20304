import type { Message } from "../../generated/events/types.ts";
import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import { withoutPersonalNumbers } from "./personal-data.ts";
import { isLongName, isStorable, keptName, shownText, withoutLinks } from "./storable-text.ts";
import { HOUR_MS, isInFourDigitYears, readTimestamp, type Timestamp } from "./timestamp.ts";

/** What was odd about a shift and still could be read. Stable codes. */
export type ShiftWarning =
  | "positions_missing"
  | "positions_differ"
  | "positions_many"
  | "name_cut"
  | "time_without_offset"
  | "status_unknown";

/** One shift model for both variants of contract section 2.2; `variant` names it. */
export interface Shift {
  id: string;
  variant: "a" | "b";
  /** UTC, ISO 8601 with milliseconds. */
  startTime: string;
  /** UTC, ISO 8601 with milliseconds; after `startTime`. */
  endTime: string;
  outletId: string;
  outletName: string | undefined;
  roleId: string;
  roleName: string | undefined;
  /** Up to a day, in whole minutes. */
  breakMinutes: number | undefined;
  /** Free text, without possible personal numbers. */
  description: string | undefined;
  /** The total, not what remains: 0 to 100, and more with a warning. */
  positions: number;
  assigned: { providerCandidateId: string; personalNumber: string | undefined }[];
  /** The provider's own `open` and `filled` are advisory. */
  cancelled: boolean;
  warnings: ShiftWarning[];
}

/** A body that fits the contract's schema and still cannot be used; a person has to look at it. */
export interface UnusableShift {
  fault: "time_impossible" | "time_out_of_range" | "end_not_after_start" | "too_long" | "text_unstorable";
  /** JSON pointer of the field. */
  pointer: string;
}

export type ShiftReading = { shift: Shift; unusable?: never } | { unusable: UnusableShift; shift?: never };

/**
 * Reads a shift that fits the schema `Shift`, of either variant.
 * @param timeZone IANA zone in which a time without offset is read, with a warning.
 */
export function readShift(body: ShiftBody, timeZone: string): ShiftReading {
  const times = readTimes(body, timeZone);
  if ("fault" in times) return { unusable: times };
  const pointer = unstorableText(body);
  if (pointer !== undefined) return { unusable: { fault: "text_unstorable", pointer } };
  const { start, end } = times;
  const { positions, warnings } = readPositions(body);
  const shift: Shift = {
    id: body.id,
    variant: variantOf(body),
    startTime: start.instant,
    endTime: end.instant,
    outletId: body.outletId,
    outletName: readName(body.outletName),
    roleId: body.roleId,
    roleName: readName(body.roleName),
    breakMinutes: readBreak(body.breakMinutes),
    description: readDescription(body.description),
    positions,
    assigned: body.assignedCandidates.flatMap(readAssigned),
    cancelled: body.status === "cancelled",
    warnings,
  };
  if ([body.outletName, body.roleName].some((name) => name && isLongName(name)))
    shift.warnings.push("name_cut");
  if (start.assumedZone || end.assumedZone) shift.warnings.push("time_without_offset");
  if (!isKnownStatus(body.status)) shift.warnings.push("status_unknown");
  return { shift };
}

/** decisions, "longest shift": its people would be busy everywhere for as long as a provider likes. */
export const LONGEST_SHIFT_MS = 36 * HOUR_MS;

function readTimes(
  { startTime, endTime, status }: ShiftBody,
  timeZone: string,
): { start: Timestamp; end: Timestamp } | UnusableShift {
  const start = readTimestamp(startTime, timeZone);
  const end = readTimestamp(endTime, timeZone);
  if (!start) return { fault: "time_impossible", pointer: "/startTime" };
  if (!end) return { fault: "time_impossible", pointer: "/endTime" };
  const [startMs, endMs] = [Date.parse(start.instant), Date.parse(end.instant)];
  if (!isInFourDigitYears(startMs)) return { fault: "time_out_of_range", pointer: "/startTime" };
  if (!isInFourDigitYears(endMs)) return { fault: "time_out_of_range", pointer: "/endTime" };
  if (endMs <= startMs) return { fault: "end_not_after_start", pointer: "/endTime" };
  // The times of a cancelled shift are not used.
  if (endMs - startMs > LONGEST_SHIFT_MS && status !== "cancelled")
    return { fault: "too_long", pointer: "/endTime" };
  return { start, end };
}

/** The pointer of the first. In a name a lone surrogate is replaced; of a cancelled shift no text is used. */
function unstorableText({ status, outletId, roleId, outletName, roleName }: ShiftBody): string | undefined {
  if (status === "cancelled") return undefined;
  const id = Object.entries({ outletId, roleId }).find(([, text]) => !isStorable(text));
  const name = Object.entries({ outletName, roleName }).find(([, text]) => text?.includes("\0"));
  const [field] = id ?? name ?? [];
  return field && `/${field}`;
}

const readName = (name: string | null | undefined): string | undefined =>
  name === null || name === undefined ? undefined : keptName(name) || undefined;

const MOST_BREAK_MINUTES = 24 * 60;

/** Only shown, so a break that no shift has is left out. */
const readBreak = (minutes: number | null | undefined): number | undefined =>
  typeof minutes === "number" && minutes >= 1 && minutes <= MOST_BREAK_MINUTES
    ? Math.round(minutes)
    : undefined;

/** Of a description as much is kept. Characters. */
const LONGEST_DESCRIPTION = 1_000;

/** Only shown, so what cannot be stored is replaced. Staff may have typed a person's number into it. */
function readDescription(text: string | null | undefined): string | undefined {
  const kept = withoutLinks(shownText((text ?? "").slice(0, LONGEST_DESCRIPTION).toWellFormed())).trim();
  return kept === "" ? undefined : withoutPersonalNumbers(kept);
}

/** The fields that only one variant has (contract 2.2). */
export const VARIANT_FIELDS = {
  a: ["outletName", "roleName", "slots"],
  b: ["breakMinutes", "numberOfPositions", "status", "description", "createdAt", "updatedAt"],
} as const satisfies Record<"a" | "b", readonly (keyof ShiftBody)[]>;

/** The partition of the `oneOf` in the contract: a field of variant B only makes it B; every other shift is A. */
export function variantOf(body: object): "a" | "b" {
  return VARIANT_FIELDS.b.some((field) => field in body) ? "b" : "a";
}

/** More are read as they are, with a warning. */
const MOST_POSITIONS = 100;

/** decisions, "number of positions": neither given is 1, both given and different is the smaller. */
function readPositions(body: ShiftBody): Pick<Shift, "positions" | "warnings"> {
  const given = [body.slots, body.numberOfPositions].filter((count) => typeof count === "number");
  if (given.length === 0) return { positions: 1, warnings: ["positions_missing"] };
  const positions = Math.min(...given);
  const warnings: ShiftWarning[] = [];
  if (given.some((count) => count !== positions)) warnings.push("positions_differ");
  if (positions > MOST_POSITIONS) warnings.push("positions_many");
  return { positions, warnings };
}

type AssignedBody = ShiftBody["assignedCandidates"][number];

function readAssigned({ candidateId, id, personalNumber }: AssignedBody): Shift["assigned"] {
  const providerCandidateId = candidateId ?? id;
  return providerCandidateId ? [{ providerCandidateId, personalNumber: personalNumber ?? undefined }] : [];
}

function isKnownStatus(status: string | null | undefined): boolean {
  return status === undefined || status === null || ["open", "filled", "cancelled"].includes(status);
}

export type ShiftEventName = Message["event"];

/** What each event reports about its shift. A new event of the documents does not compile until it is listed here. */
const CHANGES = {
  "shift.create": "new",
  "shift.update": "changed",
  "shift.delete": "gone",
} as const satisfies Record<ShiftEventName, "new" | "changed" | "gone">;

/** The events after which the shift is there. */
export const EVENTS_OF_PRESENCE = (Object.keys(CHANGES) as ShiftEventName[]).filter(
  (event) => CHANGES[event] !== "gone",
);

/** Whether it is one of the contract's events (contract 4.3). Any other is stored and ignored. */
export const isShiftEvent = (event: string): event is ShiftEventName => Object.hasOwn(CHANGES, event);

export const reportsDeletion = (event: string): boolean => isShiftEvent(event) && CHANGES[event] === "gone";
