export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The minute that a time is in for people. Some providers return other seconds or milliseconds with each change. Milliseconds since 1970. */
export const wholeMinute = (ms: number): number => Math.round(ms / MINUTE_MS) * MINUTE_MS;

/** The minute of `wholeMinute`: in mails, pages and calendars alike. */
export const toMinute = (time: Date): Date => new Date(wholeMinute(new Date(time).getTime()));

/** A point in time that a provider sent, and whether its zone had to be assumed. */
export interface Timestamp {
  /** UTC, ISO 8601 with milliseconds: `2026-03-28T21:00:00.000Z`. */
  instant: string;
  /** True when the text had no offset and was read in the integration's zone; the caller owes a warning. */
  assumedZone: boolean;
}

/**
 * ISO 8601 calendar date and time, extended or basic. "t" and "z" too, because RFC 3339 section 5.6 allows them and so does
 * the documents' `date-time`. No space: no version of ISO 8601 has one.
 */
const FORM =
  /^(\d{4}-\d\d-\d\d|\d{8})T(\d\d(?::\d\d(?::\d\d(?:[.,]\d+)?)?|\d\d(?:\d\d(?:[.,]\d+)?)?)?)(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;

/** What nearly every provider sends: extended, with an offset, no finer than milliseconds. Its first group is the day. */
const USUAL =
  /^\d{4}-\d{2}-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** Every month has them. */
const DAYS_OF_EVERY_MONTH = 28;

/**
 * Reads an ISO 8601 timestamp (contract section 2.2). Without an offset it is local time in `timeZone` (IANA). Around a
 * clock change the "compatible" rule of ECMAScript's Temporal applies: of an hour that occurs twice the first is meant, and a time in the hour
 * that is skipped moves forward by its length.
 *
 * Returns undefined when the text is not ISO 8601 or names a date or time that does not exist.
 * @throws RangeError when `timeZone` is no IANA zone.
 */
export function readTimestamp(text: string, timeZone: string): Timestamp | undefined {
  const usual = readUsual(text);
  if (usual !== undefined) return { instant: usual, assumedZone: false };
  const [, date, time, offset] = FORM.exec(text) ?? [];
  const wall = date !== undefined && time !== undefined ? wallTimeOf(date, time) : undefined;
  if (wall === undefined) return undefined;
  const instant = offset === undefined ? instantAt(wall, timeZone) : wall - offsetOf(offset);
  return { instant: new Date(instant).toISOString(), assumedZone: offset === undefined };
}

/** Without the long way through the parts: two of them are in each shift. */
function readUsual(text: string): string | undefined {
  const day = Number(USUAL.exec(text)?.[1]);
  if (!(day >= 1 && day <= DAYS_OF_EVERY_MONTH)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/**
 * What the clock on the wall shows, as if it were UTC, in milliseconds since 1970; undefined when there is no such time. 24:00 is midnight
 * at the end of the day, and a leap second is taken for the one before it.
 */
function wallTimeOf(date: string, time: string): number | undefined {
  const [year = 0, month = 0, day = 0] = numbersIn(/^(\d{4})-?(\d\d)-?(\d\d)$/, date);
  const [hour = 0, minute = 0, second = 0] = numbersIn(/^(\d\d):?(\d\d)?:?(\d\d)?/, time);
  const [, fraction = ""] = time.split(/[.,]/);
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const isEndOfDay = hour === 24 && minute === 0 && second === 0 && !/[1-9]/.test(fraction);
  if (!isEndOfDay && (hour > 23 || minute > 59 || second > 60)) return undefined;
  const ms = Number(fraction.slice(0, 3).padEnd(3, "0"));
  return midnight.setUTCHours(hour, minute, Math.min(second, 59), ms);
}

/** What the groups of the expression match; 0 for one that matches nothing. */
function numbersIn(expression: RegExp, text: string): number[] {
  const [, ...groups] = expression.exec(text) ?? [];
  return groups.map((each = "0") => Number(each));
}

/** Of `Z`, `+01`, `+0100` or `+01:00`. Milliseconds. */
function offsetOf(offset: string): number {
  const [hours = 0, minutes = 0] = numbersIn(/^[+-](\d\d):?(\d\d)?$/, offset);
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

const YEAR_1_MS = Date.parse("0001-01-01T00:00:00Z");
const YEAR_10000_MS = Date.parse("+010000-01-01T00:00:00Z");

/** Whether an instant is in the years 0001 to 9999 in UTC: ISO 8601 has four digits for a year, and no database the year 0. */
export function isInFourDigitYears(ms: number): boolean {
  return ms >= YEAR_1_MS && ms < YEAR_10000_MS;
}

/**
 * Elapsed hours between two instants (ISO 8601 with offset or Z): a night shift of 22:00-06:00 is 7, 8 or 9 hours.
 * @throws RangeError when either text has no offset or does not exist.
 */
export function shiftHours(start: string, end: string): number {
  return (instantOf(end) - instantOf(start)) / (60 * MINUTE_MS);
}

function instantOf(text: string): number {
  const read = readTimestamp(text, "UTC");
  if (!read || read.assumedZone) throw new RangeError(`${JSON.stringify(text)} is no time with an offset`);
  return Date.parse(read.instant);
}

/**
 * The instant at which clocks in a zone show a time. Of an hour that occurs twice the first is meant, and a time in the hour that is skipped
 * moves forward by its length: the rule "compatible" of ECMAScript's Temporal.
 * @param wall what the clocks show, as if it were UTC. Milliseconds since 1970
 * @param timeZone IANA
 * @returns milliseconds since 1970
 * @throws RangeError when `timeZone` is no IANA zone
 */
function instantAt(wall: number, timeZone: string): number {
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
