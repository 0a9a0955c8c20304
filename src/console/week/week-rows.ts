import type { Job } from "../../../generated/operations/types.ts";
import { dayKey } from "../board/days.ts";
import { takenSeats } from "../job/seats.ts";
import type { Tone } from "../parts/badge.tsx";

/** The shifts of one outlet, by day. */
export interface WeekRow {
  key: string;
  place: string;
  providerId: string;
  days: ReadonlyMap<string, Job[]>;
}

interface Reads {
  placeOf(job: Job): string;
  /** IANA zone of the organisation. */
  zoneOf(job: Job): string | undefined;
}

/** A row for each outlet of each organisation, by name; the shifts of a day in the order of their start. Cancelled shifts are left out. */
export function weekRows(
  jobs: readonly Job[],
  days: readonly string[],
  { placeOf, zoneOf }: Reads,
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

/** How a shift is staffed, as a colour. */
export function staffingTone(job: Job): Tone {
  if (job.status === "blocked_mapping") return "plain";
  const { taken } = takenSeats(job);
  if (job.overfilled || taken > job.positions) return "bad";
  if (taken === job.positions) return "good";
  return taken === 0 ? "bad" : "warn";
}
