import type { Language, NotificationKind } from "../../../generated/operations/types.ts";
import { type Html, html } from "../html.ts";
import { MAIL_TEXT } from "./mail-words.ts";
import { formatted, type When, whenOf } from "./when.ts";

/** The values that a notification's text contains. */
export interface NotificationValues {
  kind: NotificationKind;
  language: Language;
  content: Record<string, unknown>;
  firstName: string;
  outletName: string | null;
  roleName: string | null;
  /** IANA zone of the organisation: a shift's times are shown in it. */
  timeZone: string;
  /** The times of which the candidate was notified before, if they were others. */
  before?: { startTime: Date; endTime: Date } | undefined;
  /** The page of the shift; undefined if the platform has no public address. */
  link?: string | undefined;
  /** The page of all shifts of the candidate at the organisation. */
  ownLink?: string | undefined;
  /** The page that ends mail with offers. */
  unsubscribe?: string | undefined;
}

export interface MailText {
  language: Language;
  subject: string;
  /** Plain text. */
  text: string;
  html: string;
}

/** A line of a mail: a paragraph, facts with their names, or a link. */
type Part =
  | string
  | { facts: readonly (readonly [name: string, value: string])[] }
  | { link: string; label: string };

/** A short mail. It holds no personal number, and of the person only the first name. Its subject names neither person nor place: a mail server's log keeps it. */
export function mailText(values: NotificationValues): MailText {
  const { language, kind, content, timeZone, before, link } = values;
  const words = MAIL_TEXT[language];
  const { subject, lead, close, open } = words.kinds[kind];
  const start = timeOf(content.startTime);
  const on = start && formatted(language, { timeZone, ...DAY, ...TIME }, start);
  return mailOf(language, subject(on === undefined ? "" : words.on(on)), [
    words.greeting(oneLine(values.firstName) ?? ""),
    lead,
    { facts: factsOf(values) },
    ...(before && kind === "shift_changed"
      ? [
          {
            facts: [
              [
                words.labels.before,
                spanOf(whenOf(language, timeZone, before.startTime, before.endTime)),
              ] as const,
            ],
          },
        ]
      : []),
    ...(close === undefined ? [] : [close]),
    ...(link === undefined ? [] : [{ link, label: open }]),
    ...ownLinksOf(values),
  ]);
}

/** A mail with several offers, in their order. `more`: how many further offers wait for the next mail. */
export function digestText(
  offers: readonly [NotificationValues, ...NotificationValues[]],
  more: number,
): MailText {
  const [{ language, content, timeZone, firstName }] = offers;
  const words = MAIL_TEXT[language];
  const start = timeOf(content.startTime);
  const day = start && formatted(language, { timeZone, ...DAY }, start);
  const total = offers.length + more;
  return mailOf(language, words.digest.subject(offers.length, total, day), [
    words.greeting(oneLine(firstName) ?? ""),
    words.digest.lead,
    ...offers.flatMap((offer): Part[] => [
      { facts: factsOf(offer) },
      ...(offer.link === undefined ? [] : [{ link: offer.link, label: words.kinds.job_offered.open }]),
    ]),
    ...(more > 0 ? [words.digest.more(more)] : []),
    words.digest.close,
    ...ownLinksOf(offers[0]),
  ]);
}

function ownLinksOf({ language, ownLink, unsubscribe }: NotificationValues): Part[] {
  const words = MAIL_TEXT[language];
  const part = (link: string | undefined, label: string) => (link === undefined ? [] : [{ link, label }]);
  return [...part(ownLink, words.ownShifts), ...part(unsubscribe, words.unsubscribe)];
}

const DAY = { weekday: "long", day: "numeric", month: "long" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

const spanOf = ({ day, times }: When) => `${day}, ${times}`;

function factsOf(values: NotificationValues): [name: string, value: string][] {
  const { language, content, timeZone } = values;
  const { labels } = MAIL_TEXT[language];
  const [start, end] = [timeOf(content.startTime), timeOf(content.endTime)];
  const when = start && end && whenOf(language, timeZone, start, end);
  const facts: [string, string | undefined][] = [
    [labels.role, oneLine(content.roleName ?? values.roleName)],
    [labels.place, oneLine(content.outletName ?? values.outletName)],
    [labels.day, when?.day],
    [labels.times, when && `${when.times} (${when.zone})`],
    [labels.length, when?.length],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== "");
}

function timeOf(time: unknown): Date | undefined {
  return typeof time === "string" ? new Date(time) : undefined;
}

function mailOf(language: Language, subject: string, parts: readonly Part[]): MailText {
  const text = `${parts.map(textOf).join("\n\n")}\n`;
  const page = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${subject}</title></head>
<body style="font-family: sans-serif; font-size: 16px; line-height: 1.5">${parts.map(htmlOf)}</body></html>
`;
  return { language, subject, text, html: page.text };
}

function textOf(part: Part): string {
  if (typeof part === "string") return part;
  if ("link" in part) return `${part.label}:\n  ${part.link}`;
  return part.facts.map(([name, value]) => `  ${name}: ${value}`).join("\n");
}

function htmlOf(part: Part): Html {
  if (typeof part === "string") return html`<p>${part}</p>`;
  if ("link" in part) return html`<p><a href="${part.link}">${part.label}</a></p>`;
  const lines = part.facts.map(([name, value]) => html`${name}: <strong><bdi>${value}</bdi></strong><br>`);
  return html`<p>${lines}</p>`;
}

/** A name comes from elsewhere; it must not add lines to the mail. */
function oneLine(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return name.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}

/** Everything that an entry of a candidate's calendar says, beside names. */
const CALENDAR_TEXT: Record<Language, { shift: string }> = {
  en: { shift: "Shift" },
  sv: { shift: "Pass" },
};

type Named = Pick<NotificationValues, "language" | "content" | "roleName" | "outletName"> & {
  outletAddress: string | null;
  organisation: string;
};

/** What an assignment is called in a calendar. It contains no link: calendars are shared, and a link answers for the candidate. */
export function calendarText(values: Named): { summary: string; location: string; description: string } {
  const { language, content, organisation } = values;
  const role = oneLine(content.roleName ?? values.roleName);
  const place = oneLine(content.outletName ?? values.outletName);
  const address = oneLine(values.outletAddress);
  return {
    summary: listed([role || CALENDAR_TEXT[language].shift, place]),
    location: listed([place, address]),
    description: oneLine(organisation) ?? "",
  };
}

const listed = (names: readonly (string | undefined)[]) => names.filter(Boolean).join(", ");
