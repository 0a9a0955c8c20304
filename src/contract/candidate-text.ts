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
}

export interface MailText {
  subject: string;
  /** Plain text. */
  text: string;
}

/** Subjects name neither person nor place: a mail server's log keeps them. */
const TEXTS: Record<NotificationKind, { subject: string; lead: string; close?: string }> = {
  job_offered: {
    subject: "A shift is open for you",
    lead: "A shift that fits you is open:",
    close: "The first candidate who accepts gets it.",
  },
  booking_confirmed: { subject: "Your shift is confirmed", lead: "You are booked on this shift:" },
  booking_released: {
    subject: "You are no longer booked on a shift",
    lead: "You are no longer booked on this shift:",
  },
  shift_changed: {
    subject: "Your shift has changed",
    lead: "A shift that you are booked on has changed. It is now:",
    close: "If this does not suit you, please withdraw.",
  },
  shift_cancelled: {
    subject: "Your shift is cancelled",
    lead: "This shift is cancelled, so you do not have to come:",
  },
};

/** A short mail in English. It holds no personal number, and of the person only the first name. */
export function mailText(values: NotificationValues): MailText {
  const { subject, lead, close } = TEXTS[values.kind];
  const { content, timeZone } = values;
  const role = oneLine(content.roleName ?? values.roleName);
  const outlet = oneLine(content.outletName ?? values.outletName);
  const shift = [
    ...(role === undefined ? [] : [`Role: ${role}`]),
    ...(outlet === undefined ? [] : [`Place: ${outlet}`]),
    ...whenOf(content, timeZone),
  ];
  const paragraphs = [
    `Hello ${oneLine(values.firstName) ?? ""},`,
    lead,
    shift.map((line) => `  ${line}`).join("\n"),
  ];
  return { subject, text: `${[...paragraphs, ...(close ? [close] : [])].join("\n\n")}\n` };
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
  return [`From: ${format.format(new Date(startTime))}`, `To: ${format.format(new Date(endTime))}`];
}

/** A name comes from elsewhere; it must not add lines to the mail. */
function oneLine(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  return name.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}
