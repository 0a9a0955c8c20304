import type { NotificationKind } from "../../generated/operations/types.ts";

/** The values that a notification's text contains. */
export interface NotificationValues {
  kind: NotificationKind;
  content: Record<string, unknown>;
  firstName: string;
  outletName: string | null;
  roleName: string | null;
  /** IANA zone of the organisation: a shift's times are shown in it. */
  timeZone: string;
  /** The page of the shift; undefined if the platform has no public address. */
  link?: string | undefined;
}

export interface MailText {
  subject: string;
  /** Plain text. */
  text: string;
}

/** Subjects name neither person nor place: a mail server's log keeps them. `on` is the shift's day and time. */
const TEXTS: Record<NotificationKind, { subject: (on: string) => string; lead: string; close?: string }> = {
  job_offered: {
    subject: (on) => `A shift${on} is open for you`,
    lead: "A shift that fits you is open:",
    close: "The first candidate who accepts gets it.",
  },
  booking_confirmed: {
    subject: (on) => `Your shift${on} is confirmed`,
    lead: "You are booked on this shift:",
  },
  booking_released: {
    subject: (on) => `You are no longer booked on a shift${on}`,
    lead: "You are no longer booked on this shift:",
  },
  shift_changed: {
    subject: (on) => `Your shift${on} has changed`,
    lead: "A shift that you are booked on has changed. It is now:",
    close: "If this does not suit you, please withdraw.",
  },
  shift_cancelled: {
    subject: (on) => `Your shift${on} is cancelled`,
    lead: "This shift is cancelled, so you do not have to come:",
  },
};

const LINKED: Record<NotificationKind, string> = {
  job_offered: "Accept or decline:",
  booking_confirmed: "See the shift, or withdraw:",
  booking_released: "See the shift:",
  shift_changed: "See the shift, or withdraw:",
  shift_cancelled: "See the shift:",
};

/** A short mail in English. It holds no personal number, and of the person only the first name. */
export function mailText(values: NotificationValues): MailText {
  const { subject, lead, close } = TEXTS[values.kind];
  const { role, outlet, from, to } = factsOf(values);
  const shift = [
    ...(role === undefined ? [] : [`Role: ${role}`]),
    ...(outlet === undefined ? [] : [`Place: ${outlet}`]),
    ...(from === undefined || to === undefined ? [] : [`From: ${from}`, `To: ${to}`]),
  ];
  const paragraphs = [greeting(values), lead, shift.map((line) => `  ${line}`).join("\n")];
  const time = dayOf(values, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const on = time === undefined ? "" : ` on ${time}`;
  const ends = [
    ...(close ? [close] : []),
    ...(values.link ? [`${LINKED[values.kind]}\n  ${values.link}`] : []),
  ];
  return { subject: subject(on), text: textOf([...paragraphs, ...ends]) };
}

/** A mail with several offers, in their order. `more`: how many further offers wait for the next mail. */
export function digestText(
  offers: readonly [NotificationValues, ...NotificationValues[]],
  more: number,
): MailText {
  const [first] = offers;
  const count = more > 0 ? `${offers.length} of ${offers.length + more}` : `${offers.length}`;
  const day = dayOf(first, {});
  const shifts = offers.map((offer) => {
    const { role, outlet, from, to } = factsOf(offer);
    const when = from === undefined || to === undefined ? [] : [`${from} to ${to}`];
    return [...when, ...[role, outlet, offer.link].filter((line) => line !== undefined)]
      .map((line) => `  ${line}`)
      .join("\n");
  });
  return {
    subject: `${count} new shifts${day === undefined ? "" : `, the first on ${day}`}`,
    text: textOf([
      greeting(first),
      "These shifts fit you and are open, the soonest first:",
      ...shifts,
      ...(more > 0 ? [`And ${more} more. The next mail names those that are still open.`] : []),
      "The first candidate who accepts a shift gets it.",
    ]),
  };
}

const greeting = ({ firstName }: NotificationValues) => `Hello ${oneLine(firstName) ?? ""},`;
const textOf = (paragraphs: readonly string[]) => `${paragraphs.join("\n\n")}\n`;

function factsOf(values: NotificationValues) {
  const { content, timeZone } = values;
  const [from, to] = whenOf(content, timeZone);
  const role = oneLine(content.roleName ?? values.roleName);
  return { role, outlet: oneLine(content.outletName ?? values.outletName), from, to };
}

/** Returns the day of the shift, as `Friday 27 November`. */
function dayOf({ content, timeZone }: NotificationValues, time: Intl.DateTimeFormatOptions) {
  const { startTime } = content;
  if (typeof startTime !== "string") return undefined;
  const day = { weekday: "long", day: "numeric", month: "long" } as const;
  return new Intl.DateTimeFormat("en-GB", { timeZone, ...day, ...time }).format(new Date(startTime));
}

/** Times with the zone: a mail may be read in another one. */
function whenOf({ startTime, endTime }: Record<string, unknown>, timeZone: string): string[] {
  if (typeof startTime !== "string" || typeof endTime !== "string") return [];
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  return [format.format(new Date(startTime)), format.format(new Date(endTime))];
}

/** A name comes from elsewhere; it must not add lines to the mail. */
function oneLine(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return name.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}
