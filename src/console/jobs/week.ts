import type { Job } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import type { Tone } from "../components/badge.tsx";
import { aDay, anyText } from "../components/filter.ts";
import { dayKey } from "../components/times.ts";
import { takenSeats } from "../job/job.ts";

/** The week is that of any of its days; without one it is the current week. */
export const WEEK_FILTER = { week: aDay, providerId: anyText, search: anyText, competenceId: anyText };

/** The Monday of the week of a day, or of `now` at the reader's: `2026-11-23`. */
export function mondayOf(day: string | undefined, now = new Date()): string {
  const today = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const given = day === undefined ? today : new Date(day);
  const daysSinceMonday = (given.getUTCDay() + 6) % 7;
  return dateOf(new Date(given.getTime() - daysSinceMonday * DAY_MS));
}

/** The seven days from the Monday on. */
export function daysOf(monday: string): string[] {
  return Array.from({ length: 7 }, (_, index) => movedBy(monday, index));
}

export const weekAfter = (monday: string, weeks: number): string => movedBy(monday, 7 * weeks);

/** A time span that has every shift of some days in any zone, which is at most 14 hours away from UTC. */
export function spanOf(first: string, days: number): { from: string; until: string } {
  const margin = 14 * 3_600_000;
  const start = Date.parse(first);
  return {
    from: new Date(start - margin).toISOString(),
    until: new Date(start + days * DAY_MS + margin).toISOString(),
  };
}

const movedBy = (day: string, days: number): string => dateOf(new Date(Date.parse(day) + days * DAY_MS));

const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The shifts of one outlet, by day. */
export interface WeekRow {
  key: string;
  place: string;
  providerId: string;
  days: ReadonlyMap<string, Job[]>;
}

interface Lookups {
  placeOf(job: Job): string;
  /** IANA zone of the organisation. */
  zoneOf(job: Job): string | undefined;
}

/** A row for each outlet of each organisation, by name; the shifts of a day by start time. Cancelled shifts are left out. */
export function weekRows(
  jobs: readonly Job[],
  days: readonly string[],
  { placeOf, zoneOf }: Lookups,
): WeekRow[] {
  const rows = new Map<string, WeekRow & { days: Map<string, Job[]> }>();
  for (const job of jobs.toSorted((one, other) => one.startTime.localeCompare(other.startTime))) {
    const day = dayKey(job.startTime, zoneOf(job));
    if (job.status === "cancelled" || !days.includes(day)) continue;
    const key = `${job.providerId} ${job.outletId}`;
    const row = rows.get(key) ?? { key, place: placeOf(job), providerId: job.providerId, days: new Map() };
    row.days.set(day, [...(row.days.get(day) ?? []), job]);
    rows.set(key, row);
  }
  return [...rows.values()].sort((one, other) => one.place.localeCompare(other.place));
}

/** The staffing of a shift, as a colour. */
export function staffingTone(job: Job): Tone {
  if (job.status === "blocked_mapping") return "plain";
  const { taken } = takenSeats(job);
  if (job.overfilled || taken > job.positions) return "bad";
  if (taken === job.positions) return "good";
  return taken === 0 ? "bad" : "warn";
}
