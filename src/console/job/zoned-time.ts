import { DAY_MS } from "../../contract/timestamp.ts";

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
