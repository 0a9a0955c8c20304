import type { Health, HealthCode } from "../../../generated/operations/types.ts";
import { entryOf } from "./phrases.ts";

export interface HealthText {
  title: string;
  detail: string;
  /** What waits because of it. */
  paused: string;
  /** What makes it continue. */
  resumes: string;
}

const STATES = {
  reachable: { title: "Reachable", detail: "The provider responds as the contract requires." },
  unreachable: { title: "Unreachable", detail: "The last calls to the provider had no usable response." },
  rate_limited: {
    title: "Rate limited",
    detail: "The provider asked the platform to send no calls for a while.",
  },
  token_rejected: {
    title: "Token rejected",
    detail: "The provider answers 401 or 403 to the provider token.",
  },
  implausible: { title: "Implausible responses", detail: "The provider answers 404 to every call." },
  mass_disappearance: {
    title: "Mass disappearance",
    detail: "Many of the provider's future shifts disappeared within minutes.",
  },
} satisfies Record<HealthCode, Pick<HealthText, "title" | "detail">>;

const PAUSED = {
  nothing: "Nothing",
  all_calls: "All calls to the provider, except one probe per minute",
  deletions: "Deletions: a shift that disappears is not treated as deleted",
} satisfies Record<Health["paused"], string>;

const RESUMES = {
  automatically: "Automatically",
  with_good_response: "With the first good response, or with a new provider token",
  with_operator: "When an operator resolves the issue, or when the shifts are back",
} satisfies Record<Health["resumes"], string>;

/** How a provider behaves, what that pauses, and what ends the pause. */
export function healthText({
  code,
  paused,
  resumes,
}: Pick<Health, "code" | "paused" | "resumes">): HealthText {
  const state = entryOf<Pick<HealthText, "title" | "detail">>(STATES, code) ?? { title: code, detail: "" };
  return {
    ...state,
    paused: entryOf(PAUSED, paused) ?? paused,
    resumes: entryOf(RESUMES, resumes) ?? resumes,
  };
}
