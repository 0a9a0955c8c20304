import { Temporal } from "temporal-polyfill";

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
  /^(\d{4}-\d{2}-\d{2}|\d{8})T(\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)?)(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Temporal refuses a fraction finer than nanoseconds. */
const BEYOND_NANOSECONDS = /(?<=[.,]\d{9})\d+$/;

/** ISO 8601 lets midnight at the end of a day be written as 24:00, which Temporal does not read. */
const END_OF_DAY = /^24(?::?00(?::?00(?:[.,]0+)?)?)?$/;

/** What nearly every provider sends: extended, with an offset, no finer than milliseconds. Its first group is the day. */
const USUAL =
  /^\d{4}-\d{2}-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** Every month has them; whether a later day exists is Temporal's to say. */
const DAYS_OF_EVERY_MONTH = 28;

/**
 * Reads an ISO 8601 timestamp (contract section 2.2). Without an offset it is local time in `timeZone` (IANA). Around a
 * clock change Temporal's "compatible" rule applies: of an hour that occurs twice the first is meant, and a time in the hour
 * that is skipped moves forward by its length.
 *
 * Returns undefined when the text is not ISO 8601 or names a date or time that does not exist.
 * @throws RangeError when `timeZone` is no IANA zone.
 */
export function readTimestamp(text: string, timeZone: string): Timestamp | undefined {
  const usual = readUsual(text);
  if (usual !== undefined) return { instant: usual, assumedZone: false };
  const [, date, time, offset] = FORM.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const local = readLocal(date, time);
  if (local === undefined) return undefined;
  const instant =
    offset === undefined ? local.toZonedDateTime(timeZone).toInstant() : atOffset(local, offset);
  return instant && { instant: inMilliseconds(instant), assumedZone: offset === undefined };
}

/** As Temporal reads it, in a fifteenth of the time: two of them are in each shift. */
function readUsual(text: string): string | undefined {
  const day = Number(USUAL.exec(text)?.[1]);
  if (!(day >= 1 && day <= DAYS_OF_EVERY_MONTH)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

function readLocal(date: string, time: string): Temporal.PlainDateTime | undefined {
  try {
    if (END_OF_DAY.test(time)) return Temporal.PlainDate.from(date).add({ days: 1 }).toPlainDateTime();
    return Temporal.PlainDateTime.from(`${date}T${time.replace(BEYOND_NANOSECONDS, "")}`);
  } catch {
    return undefined;
  }
}

function atOffset(local: Temporal.PlainDateTime, offset: string): Temporal.Instant | undefined {
  try {
    return Temporal.Instant.from(`${local}${offset}`);
  } catch {
    return undefined;
  }
}

const YEAR_1_MS = Date.parse("0001-01-01T00:00:00Z");
const YEAR_10000_MS = Date.parse("+010000-01-01T00:00:00Z");

/** Whether an instant is in the years 0001 to 9999 in UTC: ISO 8601 has four digits for a year, and no database the year 0. */
export function isInFourDigitYears(ms: number): boolean {
  return ms >= YEAR_1_MS && ms < YEAR_10000_MS;
}

function inMilliseconds(instant: Temporal.Instant): string {
  return instant.toString({ smallestUnit: "millisecond" });
}

/**
 * Elapsed hours between two instants (ISO 8601 with offset or Z): a night shift of 22:00-06:00 is 7, 8 or 9 hours.
 * @throws RangeError when either text has no offset or does not exist.
 */
export function shiftHours(start: string, end: string): number {
  return Temporal.Instant.from(start).until(Temporal.Instant.from(end)).total("hours");
}
