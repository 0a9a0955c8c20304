import type {
  Booking,
  Job,
  JobCandidate,
  JobChange,
  Outcome,
  OutcomeCode,
} from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import { DAY_MS } from "../../contract/timestamp.ts";

export const isOver = ({ status }: Pick<Job, "status">): boolean =>
  status === "cancelled" || status === "expired";

/** Whether a booking takes a position. */
export const holdsSeat = ({ status }: Pick<Booking, "status">): boolean =>
  status === "pending" || status === "confirmed";

export interface TakenSeats {
  taken: number;
  /** By bookings of the platform. */
  booked: number;
  /** By people whom the provider assigned itself. */
  own: number;
}

/** The number of taken positions of a job. */
export function takenSeats(job: Pick<Job, "bookings" | "ownPeopleCount">): TakenSeats {
  const booked = job.bookings.filter(holdsSeat).length;
  return { taken: booked + job.ownPeopleCount, booked, own: job.ownPeopleCount };
}

/** Why a candidate cannot accept a job; undefined where nothing is known to prevent it. */
export function hindranceOf({ booked, assigned, able, busy }: JobCandidate): string | undefined {
  if (booked) return "already booked";
  if (assigned) return "assigned by the provider";
  if (!able) return "lacks the competence";
  return busy ? "busy at that time" : undefined;
}

/** The input of a change; undefined where it is not a valid time or number. */
export interface ChangeInput {
  startTime: string | undefined;
  endTime: string | undefined;
  positions: number | undefined;
}

/** The changed members only, so that no concurrent change is reverted; undefined when there is nothing valid to send. */
export function changeOf(before: Pick<Job, keyof ChangeInput>, input: ChangeInput): JobChange | undefined {
  const { startTime, endTime, positions } = input;
  if (startTime === undefined || endTime === undefined || positions === undefined) return undefined;
  const change: JobChange = {
    ...(!isSameTime(startTime, before.startTime) && { startTime }),
    ...(!isSameTime(endTime, before.endTime) && { endTime }),
    ...(positions !== before.positions && { positions }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

const isSameTime = (one: string, other: string) => Date.parse(one) === Date.parse(other);

/** How an entry of the timeline is highlighted. */
export type EntryTone = "echo" | "bad" | "warn" | "good" | "plain";

/** Of every other outcome: plain. */
const BY_CODE: Partial<Record<OutcomeCode, EntryTone>> = {
  stored_unknown_event: "warn",
  shift_unusable: "bad",
  provider_refused: "bad",
  will_retry: "warn",
  will_recheck: "warn",
  integration_paused: "warn",
  disappearance_held: "warn",
  job_expired: "warn",
  echo_of_delete: "echo",
  delete_not_confirmed: "bad",
  provider_unavailable: "bad",
  requeued: "warn",
  unknown_event: "warn",
  booking_confirmed: "good",
  booking_failed: "bad",
  booking_kept: "bad",
  candidate_ambiguous: "bad",
  assigned: "good",
  unassigned: "good",
  cancellation_confirmed: "good",
  cancellation_refused: "bad",
  change_confirmed: "good",
  change_refused: "bad",
};

/** The tone of an outcome. A blocked job is a warning, a filled one a success. */
export function toneOf({ code, params }: Outcome): EntryTone {
  const tone = entryOf(BY_CODE, code) ?? "plain";
  if (tone !== "plain") return tone;
  if (params.jobStatus === "blocked_mapping") return "warn";
  return params.jobStatus === "filled" ? "good" : "plain";
}

/** The points in time of a local time. Intl has the zones; a library that has them would be larger than the rest of the console. */
export type LocalReading =
  | { kind: "once"; at: string }
  /** The clock is set back, and shows the time twice. */
  | { kind: "twice"; first: string; second: string }
  /** The clock is set forward, and never shows the time. */
  | { kind: "never" }
  | { kind: "unreadable" };

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::00(?:\.0+)?)?$/;

/** A value for `<input type="datetime-local">`: the local time of the zone, to the minute. */
export function toLocal(at: string, zone: string): string {
  return localOf(new Date(at).getTime(), zone).slice(0, 16);
}

/** Reads a local time, ISO 8601 in UTC. A zone has at most two offsets around a time; each one that leads back to the text counts. */
export function fromLocal(text: string, zone: string): LocalReading {
  const shown = LOCAL.exec(text) && Date.parse(`${text.slice(0, 16)}Z`);
  if (shown === null || Number.isNaN(shown)) return { kind: "unreadable" };
  const offsets = new Set([shown - DAY_MS, shown + DAY_MS].map((near) => offsetMs(near, zone)));
  const [first, second] = [...offsets]
    .map((offset) => shown - offset)
    .filter((at) => localOf(at, zone).slice(0, 16) === text.slice(0, 16))
    .sort((one, other) => one - other)
    .map((at) => new Date(at).toISOString());
  if (first === undefined) return { kind: "never" };
  return second === undefined ? { kind: "once", at: first } : { kind: "twice", first, second };
}

/** The start of a day in a zone, ISO 8601 in UTC. Where the clock is set forward over midnight, that of the next hour. */
export function startOf(day: string, zone: string): string {
  const [at, later] = ["00:00", "01:00"].map((clock) => fromLocal(`${day}T${clock}`, zone));
  const reading = at?.kind === "never" ? later : at;
  if (reading?.kind === "once") return reading.at;
  return reading?.kind === "twice" ? reading.first : new Date(day).toISOString();
}

/** `UTC+02:00`: the offset of the zone at that time. */
export function offsetName(at: string, zone: string): string {
  const minutes = Math.round(offsetMs(new Date(at).getTime(), zone) / 60_000);
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  return `UTC${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}

function offsetMs(at: number, zone: string): number {
  return Date.parse(`${localOf(at, zone)}Z`) - Math.floor(at / 1_000) * 1_000;
}

/** `2026-10-25T02:30:00`. */
function localOf(at: number, zone: string): string {
  // Swedish writes dates as ISO 8601 does.
  return formatOf(zone).format(at).replace(" ", "T");
}

const formats = new Map<string, Intl.DateTimeFormat>();
const TO_THE_SECOND = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
} as const;

function formatOf(zone: string): Intl.DateTimeFormat {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { ...TO_THE_SECOND, timeZone: zone });
  formats.set(zone, format);
  return format;
}
