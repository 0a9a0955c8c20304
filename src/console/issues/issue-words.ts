import type { Tone } from "../parts/badge.tsx";

/** How soon somebody should look. */
export type Urgency = "now" | "soon" | "later";

interface Words {
  title: string;
  urgency: Urgency;
  /** What can be done about it on the organisation's own page. */
  place?: string;
}

const MAPPING = "Map outlets and roles";
const CONNECTION = "Token, address and checks";

/** The codes are the platform's; one that is not here is shown as it came. */
const WORDS: Readonly<Record<string, Words>> = {
  provider_down: { title: "The provider does not answer", urgency: "now", place: CONNECTION },
  provider_refused: { title: "The provider refused a call", urgency: "now", place: CONNECTION },
  provider_gave_no_answer: { title: "Given up after every try", urgency: "now" },
  shift_overfilled: { title: "More people than positions", urgency: "now" },
  booking_failed: { title: "A booking failed", urgency: "now" },
  unassign_failed: { title: "Somebody is still on the shift", urgency: "now" },
  candidate_ambiguous: { title: "Two candidates under one personal number", urgency: "now" },
  cancellation_refused: { title: "The provider keeps the shift", urgency: "now" },
  outlet_not_mapped: { title: "An outlet is not mapped", urgency: "soon", place: MAPPING },
  role_not_mapped: { title: "A role is not mapped", urgency: "soon", place: MAPPING },
  shift_unusable: { title: "A shift that cannot be a job", urgency: "soon" },
  delete_not_confirmed: { title: "A deletion without a deleted shift", urgency: "soon" },
  change_refused: { title: "The provider refused a change", urgency: "soon" },
  notification_failed: { title: "Somebody was not told", urgency: "soon" },
  provider_check: {
    title: "The provider's API differs from the contract",
    urgency: "later",
    place: CONNECTION,
  },
  provider_check_failed: { title: "The provider could not be checked", urgency: "later", place: CONNECTION },
};

export function wordsOf(code: string): Words {
  return WORDS[code] ?? { title: code.replaceAll("_", " "), urgency: "soon" };
}

export const URGENCIES: Readonly<Record<Urgency, { name: string; tone: Tone; rank: number }>> = {
  now: { name: "Now", tone: "bad", rank: 0 },
  soon: { name: "Soon", tone: "warn", rank: 1 },
  later: { name: "When there is time", tone: "plain", rank: 2 },
};
