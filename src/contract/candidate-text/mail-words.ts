import type { Language, NotificationKind } from "../../../generated/operations/types.ts";
import { PAGE_TEXT } from "./page-words.ts";

interface MailWords {
  greeting: (name: string) => string;
  /** A day, as part of a subject. */
  on: (day: string) => string;
  labels: Record<"role" | "place" | "day" | "times" | "length" | "before", string>;
  /** `open`: what the link of the mail is for. */
  kinds: Record<
    NotificationKind,
    { subject: (on: string) => string; lead: string; close?: string; open: string }
  >;
  /** What the link to all shifts is for. */
  ownShifts: string;
  unsubscribe: string;
  digest: {
    subject: (count: number, total: number, day: string | undefined) => string;
    lead: string;
    more: (count: number) => string;
    close: string;
  };
}

/** Everything that a mail to a candidate says. */
export const MAIL_TEXT: Record<Language, MailWords> = {
  en: {
    greeting: (name) => `Hello ${name},`,
    on: (day) => ` on ${day}`,
    labels: PAGE_TEXT.en.labels,
    kinds: {
      job_offered: {
        subject: (on) => `A shift${on} is open for you`,
        lead: "A shift that fits you is open:",
        close: "The first candidate who accepts gets it.",
        open: "Accept or decline",
      },
      booking_confirmed: {
        subject: (on) => `Your shift${on} is confirmed`,
        lead: "You are booked on this shift:",
        open: "See the shift, or withdraw",
      },
      booking_released: {
        subject: (on) => `You are no longer booked on a shift${on}`,
        lead: "You are no longer booked on this shift:",
        open: "See the shift",
      },
      shift_changed: {
        subject: (on) => `Your shift${on} has changed`,
        lead: "A shift that you are booked on has changed. It is now:",
        close: "If this does not suit you, please withdraw.",
        open: "See the shift, or withdraw",
      },
      shift_cancelled: {
        subject: (on) => `Your shift${on} is cancelled`,
        lead: "This shift is cancelled, so you do not have to come:",
        open: "See the shift",
      },
    },
    ownShifts: "All your shifts, and your calendar",
    unsubscribe: "No more mail with open shifts",
    digest: {
      subject: (count, total, day) =>
        `${count < total ? `${count} of ${total}` : count} new shifts${day === undefined ? "" : `, the first on ${day}`}`,
      lead: "These shifts fit you and are open, the soonest first:",
      more: (count) => `And ${count} more. The next mail names those that are still open.`,
      close: "The first candidate who accepts a shift gets it.",
    },
  },
  sv: {
    greeting: (name) => `Hej ${name}!`,
    on: (day) => ` ${day}`,
    labels: PAGE_TEXT.sv.labels,
    kinds: {
      job_offered: {
        subject: (on) => `Ett pass${on} är ledigt för dig`,
        lead: "Ett pass som passar dig är ledigt:",
        close: "Den som tackar ja först får det.",
        open: "Tacka ja eller nej",
      },
      booking_confirmed: {
        subject: (on) => `Ditt pass${on} är bekräftat`,
        lead: "Du är bokad på det här passet:",
        open: "Se passet eller avboka",
      },
      booking_released: {
        subject: (on) => `Du är inte längre bokad på ett pass${on}`,
        lead: "Du är inte längre bokad på det här passet:",
        open: "Se passet",
      },
      shift_changed: {
        subject: (on) => `Ditt pass${on} har ändrats`,
        lead: "Ett pass som du är bokad på har ändrats. Nu gäller:",
        close: "Avboka om det inte passar dig.",
        open: "Se passet eller avboka",
      },
      shift_cancelled: {
        subject: (on) => `Ditt pass${on} är inställt`,
        lead: "Det här passet är inställt, så du behöver inte komma:",
        open: "Se passet",
      },
    },
    ownShifts: "Alla dina pass, och din kalender",
    unsubscribe: "Inga fler mejl om lediga pass",
    digest: {
      subject: (count, total, day) =>
        `${count < total ? `${count} av ${total}` : count} nya pass${day === undefined ? "" : `, det första ${day}`}`,
      lead: "De här passen passar dig och är lediga, det tidigaste först:",
      more: (count) => `Och ${count} till. Nästa mejl nämner dem som fortfarande är lediga.`,
      close: "Den som tackar ja först får passet.",
    },
  },
};
