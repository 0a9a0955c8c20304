import { addressWith } from "../parts/address.ts";

/** Which week is shown, and of whom. It is the query of the address. */
export interface WeekFilter {
  /** The Monday: `2026-11-23`. */
  week: string;
  providerId?: string;
}

const DAY_MS = 86_400_000;

/** Any day stands for its week; without one it is the week of `now`, where the reader is. */
export function weekFilterOf(
  { week, providerId }: Readonly<Record<string, string>>,
  now = new Date(),
): WeekFilter {
  const today = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const given = /^\d{4}-\d\d-\d\d$/.test(week ?? "") ? new Date(week ?? "") : today;
  const isDate = !Number.isNaN(given.getTime());
  return { week: mondayOf(isDate ? given : today), ...(providerId && { providerId }) };
}

export const weekAddress = (filter: Partial<WeekFilter>): string => addressWith("/console/week", filter);

/** The seven days from the Monday on. */
export function daysOf(week: string): string[] {
  return Array.from({ length: 7 }, (_, index) => movedBy(week, index));
}

export const weekAfter = (week: string, weeks: number): string => movedBy(week, 7 * weeks);

/** A time span that has every shift of the week in any zone, which is at most 14 hours away from UTC. */
export function spanOf(week: string): { from: string; until: string } {
  const margin = 14 * 3_600_000;
  const start = Date.parse(week);
  return {
    from: new Date(start - margin).toISOString(),
    until: new Date(start + 7 * DAY_MS + margin).toISOString(),
  };
}

function mondayOf(day: Date): string {
  const daysSinceMonday = (day.getUTCDay() + 6) % 7;
  return dateOf(new Date(day.getTime() - daysSinceMonday * DAY_MS));
}

const movedBy = (day: string, days: number): string => dateOf(new Date(Date.parse(day) + days * DAY_MS));

const dateOf = (at: Date): string => at.toISOString().slice(0, 10);
