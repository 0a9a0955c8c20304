export interface TimeTick {
  /** Milliseconds since 1970. */
  at: number;
  label: string;
}

const HOUR = 60;
const DAY = 24 * HOUR;
/** Minutes between ticks, such as a clock has. */
const STEPS = [5, 10, 15, 30, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY];
const MINUTE_MS = 60_000;

/**
 * Ticks at round times of the reader's clock between two points in time, which counts the hours from each midnight anew: a day that is
 * longer or shorter keeps its ticks at the hour.
 */
export function timeTicks(from: number, to: number, atMost: number): TimeTick[] {
  const minutes = (to - from) / MINUTE_MS;
  const step = STEPS.find((each) => minutes / each <= atMost) ?? 7 * DAY;
  const ticks: TimeTick[] = [];
  for (let at = midnightBefore(from), place = 0; at <= to; place += 1) {
    if (at >= from) ticks.push({ at, label: labelOf(new Date(at)) });
    at = stepOn(midnightBefore(from), (place + 1) * step);
  }
  return ticks;
}

function midnightBefore(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function stepOn(midnight: number, minutes: number): number {
  const date = new Date(midnight);
  date.setDate(date.getDate() + Math.floor(minutes / DAY));
  return date.setHours(0, minutes % DAY);
}

/** A midnight is named by its day. */
function labelOf(date: Date): string {
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  const options = isMidnight
    ? ({ weekday: "short", day: "numeric" } as const)
    : ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const);
  return new Intl.DateTimeFormat("en-GB", options).format(date);
}
