import type { Health, HealthCode } from "../../../generated/operations/types.ts";
import { entryOf } from "./phrases.ts";

export interface HealthText {
  title: string;
  detail: string;
  /** The work that waits. */
  paused: string;
  /** The end of the pause. */
  resumes: string;
}

/** The gravest first: of several the provider is shown with the first, and lists of providers have the same order. */
export const HEALTH_BY_GRAVITY = [
  "token_rejected",
  "mass_disappearance",
  "unreachable",
  "implausible",
  "route_missing",
  "rate_limited",
  "reachable",
] as const satisfies readonly HealthCode[];

const STATES = {
  reachable: {
    title: "Reachable",
    detail: "The last calls to the provider had a usable response, or there was none yet.",
  },
  unreachable: { title: "Unreachable", detail: "The last calls to the provider had no usable response." },
  rate_limited: {
    title: "Rate limited",
    detail: "The provider asked the platform to send no calls for a while.",
  },
  token_rejected: {
    title: "Token rejected",
    detail: "The provider rejects the provider token with 401 or 403.",
  },
  implausible: {
    title: "Implausible responses",
    detail: "The provider responds to every call with 404, or breaks the contract with every response.",
  },
  mass_disappearance: {
    title: "Mass disappearance",
    detail: "Many of the provider's future shifts, or of the candidates on them, disappeared within minutes.",
  },
  route_missing: {
    title: "Missing route",
    detail: "The provider answers calls of one operation as if it had no route for them.",
  },
} satisfies Record<HealthCode, Pick<HealthText, "title" | "detail">>;

const PAUSED = {
  nothing: "Nothing",
  all_calls: "All calls to the provider, except one probe per minute",
  one_operation: "Calls of the missing route, repeated at least every two minutes",
  deletions:
    "Deletions and removals: a shift that disappears is not treated as deleted, nor a candidate who disappears from a list as removed",
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
