import type { Language } from "../../../generated/operations/types.ts";
import { HOUR_MS, MINUTE_MS, toMinute } from "../timestamp.ts";

const LOCALES = { en: "en-GB", sv: "sv-SE" } as const satisfies Record<Language, string>;

const DAY = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** The times of a shift as a candidate reads them. */
export interface When {
  /** The weekday and date of the start. */
  day: string;
  /** The start and the end, with the weekday and date of the end if it is another day. */
  times: string;
  /** In hours and minutes that pass, also where clocks change. */
  length: string;
  /** The name of the time zone at the start. */
  zone: string;
}

/** @param timeZone IANA zone of the organisation */
export function whenOf(language: Language, timeZone: string, start: Date, end: Date): When {
  const format = (options: Intl.DateTimeFormatOptions, at: Date) =>
    formatted(language, { timeZone, ...options }, at);
  // As mails have them: a page must not name another minute for a provider whose times have seconds.
  const [from, to] = [toMinute(start), toMinute(end)];
  const [day, lastDay] = [format(DAY, from), format(DAY, to)];
  const until = day === lastDay ? format(TIME, to) : `${lastDay} ${format(TIME, to)}`;
  return {
    day,
    times: `${format(TIME, from)} – ${until}`,
    length: lengthOf(language, to.getTime() - from.getTime()),
    zone: zoneOf(language, timeZone, from),
  };
}

/** A duration in hours and minutes. */
export function lengthOf(language: Language, ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.round((ms % HOUR_MS) / MINUTE_MS);
  const parts = [
    hours > 0 && unit(language, "hour", hours),
    minutes > 0 && unit(language, "minute", minutes),
  ];
  return parts.filter(Boolean).join(" ") || unit(language, "minute", 0);
}

function unit(language: Language, name: "hour" | "minute", value: number): string {
  const options = { style: "unit", unit: name, unitDisplay: "long" } as const;
  const format = kept(NUMBERS, language, options, () => new Intl.NumberFormat(LOCALES[language], options));
  return plain(format.format(value));
}

function zoneOf(language: Language, timeZone: string, at: Date): string {
  const parts = formatOf(language, { timeZone, timeZoneName: "long" }).formatToParts(at);
  return plain(parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone);
}

/** A date or time in the language. */
export const formatted = (language: Language, options: Intl.DateTimeFormatOptions, at: Date): string =>
  plain(formatOf(language, options).format(at));

const formatOf = (language: Language, options: Intl.DateTimeFormatOptions) =>
  kept(DATES, language, options, () => new Intl.DateTimeFormat(LOCALES[language], options));

const DATES = new Map<string, Intl.DateTimeFormat>();
const NUMBERS = new Map<string, Intl.NumberFormat>();

/** Making a format takes far longer than using it, and a mail with 50 offers uses 300. */
function kept<Format>(
  formats: Map<string, Format>,
  language: Language,
  options: object,
  make: () => Format,
): Format {
  const key = `${language} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? make();
  formats.set(key, format);
  return format;
}

/** Intl writes spaces that do not break, which mail programs and searches treat in many ways. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");
