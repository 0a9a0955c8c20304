import type { Job } from "../../../generated/operations/types.ts";

export interface Day {
  /** `Sunday 22 November 2026`. */
  name: string;
  jobs: Job[];
}

/** By the day on which a job starts where it is, each day in order of start time. */
export function byDay(jobs: Iterable<Job>, zoneOf: (job: Job) => string | undefined): Day[] {
  const days = new Map<string, Day>();
  const inOrder = [...jobs].sort(
    (one, other) => inText(one.startTime, other.startTime) || inText(one.jobId, other.jobId),
  );
  for (const job of inOrder) {
    const { key, name } = dayOf(job.startTime, zoneOf(job));
    const day = days.get(key) ?? { name, jobs: [] };
    day.jobs.push(job);
    days.set(key, day);
  }
  return [...days].sort(([one], [other]) => inText(one, other)).map(([, day]) => day);
}

/** Of digits: several times as fast as by the rules of a language. */
const inText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** `16:00 – 00:00`, with the day of the end when it is another one: the day of the start is what the jobs are grouped by. */
export function clockSpan(from: string, to: string, zone?: string): string {
  const isOneDay = dayOf(from, zone).key === dayOf(to, zone).key;
  const day = isOneDay ? "" : `${format(to, { weekday: "short" }, zone)} `;
  return `${format(from, CLOCK, zone)} – ${day}${format(to, CLOCK, zone)}`;
}

/** `2026-11-22`: the day of a time in a zone. */
export const dayKey = (at: string, zone: string | undefined): string => format(at, KEY, zone, "sv-SE");

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const NAME = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const KEY = { year: "numeric", month: "2-digit", day: "2-digit" } as const;

function dayOf(at: string, zone: string | undefined): { key: string; name: string } {
  return { key: dayKey(at, zone), name: format(at, NAME, zone).replace(",", "") };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** To make a format costs more than to use it, and a board uses the same few thousands of times. */
function format(
  at: string,
  options: Intl.DateTimeFormatOptions,
  timeZone: string | undefined,
  locale = "en-GB",
): string {
  const key = JSON.stringify([options, timeZone, locale]);
  const known = formats.get(key) ?? newFormat(locale, options, timeZone);
  formats.set(key, known);
  return known.format(new Date(at));
}

/** A zone that the browser does not know is the reader's own. */
function newFormat(locale: string, options: Intl.DateTimeFormatOptions, timeZone: string | undefined) {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, ...(timeZone && { timeZone }) });
  } catch {
    return new Intl.DateTimeFormat(locale, options);
  }
}
