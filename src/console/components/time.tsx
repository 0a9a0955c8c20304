import { computed, signal } from "@preact/signals";
import type { Count } from "../../../generated/operations/types.ts";

/** Whose time the console shows: that of each organisation, or the viewer's. */
export type ZoneChoice = "organisation" | "viewer";

const KEY = "shiftpact-zone";

/** The zone of the reader's machine. */
export const readersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Absent outside a browser, where tests run. */
const storage = globalThis.localStorage as Storage | undefined;

export const zoneChoice = signal<ZoneChoice>(storage?.getItem(KEY) === "viewer" ? "viewer" : "organisation");

/** The zones of the organisations, as they are read. */
export const knownZones = signal<readonly string[]>([]);
const commonZone = computed(() => (knownZones.value.length === 1 ? knownZones.value[0] : undefined));

export function chooseZone(choice: ZoneChoice): void {
  storage?.setItem(KEY, choice);
  zoneChoice.value = choice;
}

/** The zone in which a time is shown. What is of no organisation is in the zone that all of them have, otherwise in the viewer's. */
export function shownZone(zone?: string): string {
  if (zoneChoice.value === "viewer") return readersZone();
  return zone ?? commonZone.value ?? readersZone();
}

interface TimeOptions {
  /** IANA zone of the organisation. */
  zone?: string | undefined;
  exact?: boolean;
}

const DAY = { weekday: "short", day: "numeric", month: "short" } as const;
const LONG_DAY = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const NUMERIC_DAY = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const EXACT = { ...CLOCK, second: "2-digit", fractionalSecondDigits: 3 } as const;

/** `Sun 22 Nov 06:00`. */
export function formatTime(at: string, { zone, exact = false }: TimeOptions = {}): string {
  return `${format(at, DAY, zone)} ${format(at, exact ? EXACT : CLOCK, zone)}`;
}

/** `Sun 22 Nov 06:00 – 14:00`; with the day of the end if it differs. */
export function formatSpan(from: string, to: string, zone?: string): string {
  const endDay = dayKey(from, zone) === dayKey(to, zone) ? "" : `${format(to, DAY, zone)} `;
  return `${formatTime(from, { zone })} – ${endDay}${format(to, CLOCK, zone)}`;
}

/** `16:00 – 00:00`, where the day of the start is known; with the day of the end if it differs. */
export function clockSpan(from: string, to: string, zone?: string): string {
  const isOneDay = dayKey(from, zone) === dayKey(to, zone);
  const endDay = isOneDay ? "" : `${format(to, { weekday: "short" }, zone)} `;
  return `${format(from, CLOCK, zone)} – ${endDay}${format(to, CLOCK, zone)}`;
}

/** `13:22:07`. */
export const clockOf = (at: string, zone?: string): string =>
  format(at, { ...CLOCK, second: "2-digit" }, zone);

/** `2026-11-22`: the day of a time in a zone. Swedish writes dates as ISO 8601 does. */
export const dayKey = (at: string, zone?: string): string => format(at, NUMERIC_DAY, zone, "sv-SE");

/** `Sunday 22 November 2026`. */
export const longDay = (at: string, zone?: string): string => format(at, LONG_DAY, zone).replace(",", "");

/** `Mon 23 Nov`, of a calendar day. */
export const shortDay = (day: string): string => formatIn(day, DAY, "UTC");

/** `12 ms`, `1.4 s`, `3 min`, `2 h`, `5 days`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

/** `1,204`. */
export const formatCount = (count: number): string => count.toLocaleString("en-GB");

/** `1,204`, or `10,000+` where counting stopped. */
export const countText = ({ count, exact }: Count): string => `${formatCount(count)}${exact ? "" : "+"}`;

const formats = new Map<string, Intl.DateTimeFormat>();

const format = (at: string, options: Intl.DateTimeFormatOptions, zone?: string, locale?: string): string =>
  formatIn(at, options, shownZone(zone), locale);

/** Formats are kept: making one is expensive, and a list of jobs uses the same few thousands of times. */
function formatIn(at: string, options: Intl.DateTimeFormatOptions, zone: string, locale = "en-GB"): string {
  const key = JSON.stringify([options, zone, locale]);
  const known = formats.get(key) ?? newFormat(locale, options, zone);
  formats.set(key, known);
  return known.format(new Date(at));
}

/** A zone that the browser does not know is replaced by the reader's own. */
function newFormat(locale: string, options: Intl.DateTimeFormatOptions, timeZone: string | undefined) {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, ...(timeZone && { timeZone }) });
  } catch {
    return new Intl.DateTimeFormat(locale, options);
  }
}

interface ZoneProps {
  /** IANA zone of the organisation. */
  zone?: string | undefined;
}

interface TimeProps extends ZoneProps {
  /** ISO 8601. */
  at: string;
  /** With milliseconds, for steps close to each other. */
  exact?: boolean;
}

/** A point in time; its title names the zone. */
export function Time({ at, zone, exact = false }: TimeProps) {
  return (
    <time dateTime={at} data-whole={at} title={`${at}${inZone(zone)}`}>
      {formatTime(at, { exact, zone })}
    </time>
  );
}

/** The start and the end, in the zone of the workplace. */
export function Span({ from, to, zone }: ZoneProps & { from: string; to: string }) {
  return (
    <time dateTime={from} data-whole={`${from} to ${to}`} title={`${from} to ${to}${inZone(zone)}`}>
      {formatSpan(from, to, zone)}
    </time>
  );
}

const inZone = (zone: string | undefined) => `, shown in ${shownZone(zone)}`;
