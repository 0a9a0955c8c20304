import type { AnswerCode } from "../../../generated/candidate/types.ts";
import type { Language } from "../../../generated/operations/types.ts";

/** The candidate's part in a shift. */
export type ShiftStateCode =
  | "offered"
  | "pending"
  | "confirmed"
  | "withdrawing"
  | "withdrawn"
  | "declined"
  | "released"
  | "taken"
  | "cancelled"
  | "over";

/** Why an answer was refused. */
export type RefusalCode =
  | "overlaps"
  | "unsuitable"
  | "not_possible"
  | "booked"
  | "kept"
  | "changed"
  | "unseen";

/** The answers that are asked for on a page of their own. */
export type AskedCode = Extract<AnswerCode, "accept" | "withdraw">;

/** What a page without a shift says. */
export type NoticeCode = "unknown" | "ended" | "disowned" | "other_site" | "too_many" | "failed";

interface Titled {
  title: string;
  text: string;
}

interface PageText {
  /** The language's own name. */
  name: string;
  greeting: string;
  states: Record<ShiftStateCode, Titled>;
  /** Beside `pending`, when the provider does not respond. */
  silent: string;
  /** Beside a booking whose shift has started, and where the provider has assigned the candidate itself. */
  tooLate: string;
  moved: string;
  labels: Record<
    "role" | "place" | "address" | "day" | "times" | "length" | "break" | "about" | "before",
    string
  >;
  answers: Record<"accept" | "decline", string>;
  /** `open`: what leads to the page that asks; `back`: what leaves it. */
  asks: Record<AskedCode, Titled & { open: string; answer: string; back: string }>;
  /** Leads from a refused answer to an offer back to it. */
  again: string;
  disown: { question: (name: string) => string; text: string; answer: string };
  refusals: Record<RefusalCode, string>;
  notices: Record<NoticeCode, Titled>;
  contact: (organisation: string) => string;
  list: {
    title: string;
    lead: string;
    none: string;
    upcoming: string;
    past: string;
    /** What a shift of the list is to the candidate. */
    states: Record<ListedStateCode, string>;
    calendar: { title: string; text: string; subscribe: string; address: string };
    /** Whether mail with offers comes, and the answer that changes it. */
    mail: { title: string; on: string; off: string; unsubscribe: string; subscribe: string };
  };
  /** The page on which mail with offers ends. */
  subscription: { title: string; ask: string; done: string; answer: string };
}

/** The states of shifts that a candidate's list shows. */
export type ListedStateCode = Extract<
  ShiftStateCode,
  "offered" | "pending" | "confirmed" | "withdrawing" | "cancelled"
>;

/** Everything that a page for candidates says. */
export const PAGE_TEXT: Record<Language, PageText> = {
  en: {
    name: "English",
    greeting: "Hello",
    states: {
      offered: {
        title: "A shift for you",
        text: "The shift is open. The first candidate who accepts gets it.",
      },
      pending: {
        title: "Asked at the workplace",
        text: "You have accepted. The workplace has not confirmed it yet, so wait for the confirmation: you get a mail, and this page shows it.",
      },
      confirmed: { title: "Your shift is confirmed", text: "You are booked on this shift." },
      withdrawing: {
        title: "Your withdrawal is on its way",
        text: "The workplace has not confirmed your withdrawal yet. Until then you are booked.",
      },
      withdrawn: { title: "You have withdrawn", text: "You are not booked on this shift." },
      declined: { title: "You have declined", text: "You get no more offers of this shift." },
      released: {
        title: "You are not booked",
        text: "The workplace has not confirmed you on this shift, or has taken you off it.",
      },
      taken: {
        title: "Someone was faster",
        text: "Every place of this shift is taken. You are not booked on it.",
      },
      cancelled: {
        title: "The shift is cancelled",
        text: "It does not take place. You do not have to come.",
      },
      over: { title: "The shift is no longer available", text: "You are not booked on it." },
    },
    silent: "The system of the workplace does not respond at the moment. We keep asking.",
    tooLate: "You cannot withdraw here any more.",
    moved: "The times have changed.",
    labels: {
      role: "Role",
      place: "Place",
      address: "Address",
      day: "Day",
      times: "Time",
      length: "Length",
      break: "Break",
      about: "About the shift",
      before: "Before",
    },
    answers: { accept: "Accept the shift", decline: "No, thanks" },
    asks: {
      withdraw: {
        title: "Withdraw from the shift?",
        text: "You give up your place, and others can get it. You can accept the shift again only while it is open.",
        open: "Withdraw",
        answer: "Yes, withdraw",
        back: "Keep the shift",
      },
      accept: {
        title: "Accept the shift after all?",
        text: "The shift is open. The first candidate who accepts gets it.",
        open: "Accept after all",
        answer: "Accept the shift",
        back: "Back",
      },
    },
    again: "Back to the offer",
    disown: {
      question: (name) => `Not ${name}?`,
      text: "If this mail was not meant for you, say so. Then this link ends, and the company corrects the address.",
      answer: "This is not me",
    },
    refusals: {
      overlaps: "You work on another shift at that time.",
      unsuitable:
        "You cannot be booked on this shift, because it needs something that is not registered for you.",
      not_possible: "That was not possible any more.",
      booked: "You are booked on the shift. Withdraw instead.",
      kept: "The workplace has kept you on the shift.",
      changed:
        "The shift has changed since you opened the page, so your answer was not stored. This is the shift as it is now.",
      unseen: "Your page was out of date, so your answer was not stored. This is the shift as it is now.",
    },
    notices: {
      unknown: {
        title: "No such link",
        text: "The address is not complete. Open the link in the mail again.",
      },
      ended: {
        title: "This link has ended",
        text: "The shift is over, or a newer mail has another link. Open the link in the newest mail.",
      },
      disowned: { title: "Thank you", text: "The link has ended, and the company corrects the address." },
      other_site: {
        title: "Not sent",
        text: "The answer did not come from our page. Open the link in the mail again.",
      },
      too_many: { title: "Too many attempts", text: "Try again in a minute." },
      failed: {
        title: "Something went wrong",
        text: "Your answer may not have been stored. Open the link again in a minute.",
      },
    },
    contact: (organisation) => `Contact ${organisation}`,
    list: {
      title: "Your shifts",
      lead: "These are your shifts, and those that are open for you. Open one to answer or withdraw.",
      none: "You have no shifts, and none is open for you at the moment.",
      upcoming: "Upcoming",
      past: "Past",
      states: {
        offered: "Open for you",
        pending: "Asked at the workplace, not confirmed yet",
        confirmed: "Confirmed",
        withdrawing: "Your withdrawal is on its way",
        cancelled: "Cancelled",
      },
      calendar: {
        title: "In your calendar",
        text: "Your calendar can show the shifts that you are booked on. Many calendars refresh once or twice a day, so a mail brings what is urgent. Keep the address to yourself.",
        subscribe: "Add to my calendar",
        address: "Address for other calendars",
      },
      mail: {
        title: "Mail about open shifts",
        on: "You get a mail when shifts are open for you.",
        off: "You get no mail about open shifts; you find them here. Mail about the shifts that you are booked on still comes.",
        unsubscribe: "No more mail about open shifts",
        subscribe: "Get mail about open shifts again",
      },
    },
    subscription: {
      title: "Mail about open shifts",
      ask: "Do you want no more mail about open shifts? Mail about the shifts that you are booked on still comes.",
      done: "You get no more mail about open shifts. Mail about the shifts that you are booked on still comes. If you change your mind: the page of all your shifts, which each mail links, takes it back.",
      answer: "No more mail about open shifts",
    },
  },
  sv: {
    name: "Svenska",
    greeting: "Hej",
    states: {
      offered: {
        title: "Ett pass för dig",
        text: "Passet är ledigt. Den som tackar ja först får det.",
      },
      pending: {
        title: "Arbetsplatsen är tillfrågad",
        text: "Du har tackat ja. Arbetsplatsen har inte bekräftat det än, så vänta på bekräftelsen: du får ett mejl, och den här sidan visar den.",
      },
      confirmed: { title: "Ditt pass är bekräftat", text: "Du är bokad på det här passet." },
      withdrawing: {
        title: "Din avbokning är på väg",
        text: "Arbetsplatsen har inte bekräftat avbokningen än. Till dess är du bokad.",
      },
      withdrawn: { title: "Du har avbokat", text: "Du är inte bokad på det här passet." },
      declined: { title: "Du har tackat nej", text: "Du får inga fler erbjudanden om det här passet." },
      released: {
        title: "Du är inte bokad",
        text: "Arbetsplatsen har inte bekräftat dig på passet, eller har tagit bort dig från det.",
      },
      taken: {
        title: "Någon annan hann före",
        text: "Alla platser på passet är tagna. Du är inte bokad på det.",
      },
      cancelled: { title: "Passet är inställt", text: "Det blir inte av. Du behöver inte komma." },
      over: { title: "Passet är inte längre ledigt", text: "Du är inte bokad på det." },
    },
    silent: "Arbetsplatsens system svarar inte just nu. Vi fortsätter att fråga.",
    tooLate: "Du kan inte avboka här längre.",
    moved: "Tiderna har ändrats.",
    labels: {
      role: "Roll",
      place: "Plats",
      address: "Adress",
      day: "Dag",
      times: "Tid",
      length: "Längd",
      break: "Rast",
      about: "Om passet",
      before: "Tidigare",
    },
    answers: { accept: "Ta passet", decline: "Nej tack" },
    asks: {
      withdraw: {
        title: "Avboka passet?",
        text: "Du lämnar din plats, och andra kan få den. Du kan bara ta passet igen så länge det är ledigt.",
        open: "Avboka",
        answer: "Ja, avboka",
        back: "Behåll passet",
      },
      accept: {
        title: "Ta passet ändå?",
        text: "Passet är ledigt. Den som tackar ja först får det.",
        open: "Ta passet ändå",
        answer: "Ta passet",
        back: "Tillbaka",
      },
    },
    again: "Tillbaka till erbjudandet",
    disown: {
      question: (name) => `Inte ${name}?`,
      text: "Var mejlet inte till dig? Säg till här. Då slutar länken att gälla, och företaget rättar adressen.",
      answer: "Det är inte jag",
    },
    refusals: {
      overlaps: "Du arbetar på ett annat pass vid den tiden.",
      unsuitable: "Du kan inte bokas på passet, för det kräver något som inte är registrerat för dig.",
      not_possible: "Det gick inte längre.",
      booked: "Du är bokad på passet. Avboka i stället.",
      kept: "Arbetsplatsen har behållit dig på passet.",
      changed:
        "Passet har ändrats sedan du öppnade sidan, så ditt svar sparades inte. Så här ser passet ut nu.",
      unseen: "Sidan var inaktuell, så ditt svar sparades inte. Så här ser passet ut nu.",
    },
    notices: {
      unknown: {
        title: "Länken finns inte",
        text: "Adressen är inte fullständig. Öppna länken i mejlet igen.",
      },
      ended: {
        title: "Länken gäller inte längre",
        text: "Passet är över, eller så har ett nyare mejl en annan länk. Öppna länken i det senaste mejlet.",
      },
      disowned: { title: "Tack", text: "Länken gäller inte längre, och företaget rättar adressen." },
      other_site: {
        title: "Inte skickat",
        text: "Svaret kom inte från vår sida. Öppna länken i mejlet igen.",
      },
      too_many: { title: "För många försök", text: "Försök igen om en minut." },
      failed: {
        title: "Något gick fel",
        text: "Ditt svar kanske inte har sparats. Öppna länken igen om en minut.",
      },
    },
    contact: (organisation) => `Kontakta ${organisation}`,
    list: {
      title: "Dina pass",
      lead: "Här är dina pass och de som är lediga för dig. Öppna ett pass för att svara eller avboka.",
      none: "Du har inga pass, och inget är ledigt för dig just nu.",
      upcoming: "Kommande",
      past: "Tidigare",
      states: {
        offered: "Ledigt för dig",
        pending: "Arbetsplatsen är tillfrågad, inte bekräftat än",
        confirmed: "Bekräftat",
        withdrawing: "Din avbokning är på väg",
        cancelled: "Inställt",
      },
      calendar: {
        title: "I din kalender",
        text: "Din kalender kan visa passen som du är bokad på. Många kalendrar hämtar dem bara en eller två gånger om dagen, så det som är brådskande kommer i ett mejl. Håll adressen för dig själv.",
        subscribe: "Lägg till i min kalender",
        address: "Adress för andra kalendrar",
      },
      mail: {
        title: "Mejl om lediga pass",
        on: "Du får ett mejl när det finns lediga pass för dig.",
        off: "Du får inga mejl om lediga pass; du hittar dem här. Mejl om pass som du är bokad på kommer ändå.",
        unsubscribe: "Inga fler mejl om lediga pass",
        subscribe: "Få mejl om lediga pass igen",
      },
    },
    subscription: {
      title: "Mejl om lediga pass",
      ask: "Vill du inte ha fler mejl om lediga pass? Mejl om pass som du är bokad på kommer ändå.",
      done: "Du får inga fler mejl om lediga pass. Mejl om pass som du är bokad på kommer ändå. Om du ändrar dig: på sidan med alla dina pass, som varje mejl länkar till, kan du få dem igen.",
      answer: "Inga fler mejl om lediga pass",
    },
  },
};
