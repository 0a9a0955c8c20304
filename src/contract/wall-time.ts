import { DAY_MS } from "./durations.ts";

/**
 * The instant at which clocks in a zone show a time. Of an hour that occurs twice the first is meant, and a time in the hour that is skipped
 * moves forward by its length: the rule "compatible" of ECMAScript's Temporal.
 * @param wall what the clocks show, as if it were UTC. Milliseconds since 1970
 * @param timeZone IANA
 * @returns milliseconds since 1970
 * @throws RangeError when `timeZone` is no IANA zone
 */
export function instantAt(wall: number, timeZone: string): number {
  const clock = clockOf(timeZone);
  // No zone is further than a day from UTC, and none changes its clocks twice in two days.
  const [before, after] = [offsetAt(clock, wall - DAY_MS), offsetAt(clock, wall + DAY_MS)];
  const instants = [wall - before, wall - after].filter(
    (instant) => instant + offsetAt(clock, instant) === wall,
  );
  return instants.length > 0 ? Math.min(...instants) : wall - before;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Making one takes longer than all that it is asked. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** By how much the clocks are ahead of UTC at an instant. Milliseconds. */
function offsetAt(clock: Intl.DateTimeFormat, instant: number): number {
  const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, value]));
  const year = parts.era?.startsWith("B") ? 1 - Number(parts.year) : Number(parts.year);
  const shown = new Date(0);
  shown.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  shown.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return shown.getTime() - Math.floor(instant / 1_000) * 1_000;
}
