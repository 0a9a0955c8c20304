import { answerCodes } from "./codes/answers.ts";
import type { Code } from "./codes/codes.ts";
import type { Finding, Found, Place, Skipped } from "./finding.ts";
import { STATUSES } from "./judge/field-faults.ts";
import { PRINTED } from "./judge/success.ts";

/** Returns the operations of a finding; `provider` if it is about none. */
export const placesOf = ({ operation, places = [operation] }: Pick<Finding, "operation" | "places">) =>
  places;

/** An existing finding that may have caused another one. */
type Cause = Pick<Finding, "code" | "operation" | "places" | "actual" | "fix">;

const isAbout = (operation: Place, codes: readonly string[]) => (known: Cause) =>
  codes.includes(known.code) && placesOf(known).includes(operation);

/** Whether a runtime has printed the message into another response: it prints it into each. */
const isPrintedElsewhere = (found: Found) => (known: Cause) =>
  known.fix === PRINTED && known.actual === found.actual && known.code !== found.code;

const ANSWER_ERRORS = Object.entries(answerCodes).flatMap(([code, { severity }]) =>
  severity === "error" ? code : [],
);

/** Conditions under which a finding with the code is a consequence. */
const CONSEQUENCES: Readonly<Partial<Record<Code, (found: Found) => (known: Cause) => boolean>>> = {
  body_not_json: isPrintedElsewhere,
  error_body_broken: isPrintedElsewhere,
  // A provider that requires no token compares no token.
  auth_any_token: ({ operation }) => isAbout(operation, ["auth_missing"]),
  auth_wrong_scheme: ({ operation }) => isAbout(operation, ["auth_missing"]),
  // Any token includes that of another organisation.
  tenant_shared: ({ operation }) => isAbout(operation, ["auth_missing", "auth_any_token"]),
  // A provider that ignores the organisation compares no two headers that name it.
  tenant_conflict: () => (known) => known.code === "tenant_ignored",
  // Without a token check, every request reveals which shifts exist.
  auth_after_lookup: ({ operation }) =>
    isAbout(operation, ["auth_missing", "auth_status", "request_refused"]),
  // A candidate who is listed twice takes two positions.
  overbooked: ({ operation }) => isAbout(operation, ["assign_not_idempotent", "assign_without_effect"]),
  // A lookup that does not find the known candidate finds no other candidate either.
  create_without_effect: () => isAbout("findCandidates", ["lookup_misses"]),
  registry_unmatched: () =>
    isAbout("findCandidates", ["lookup_misses", "create_without_effect", "field_wrong"]),
  // A number in another format differs from the sent one, and so do letters in another encoding.
  candidate_differs: ({ operation, actual }) => {
    const isNumber = actual === "personalNumber differs";
    return isAbout(operation, ["body_not_json", ...(isNumber ? ["personal_number_wrong"] : [])]);
  },
  // Updates contain the times as the provider sent them, and it may refuse its own format.
  unknown_id_status: ({ operation }) =>
    isAbout("getShift", operation === "updateShift" ? ["time_without_offset", "time_invalid"] : []),
  // The platform's update is refused for its form, not for the shift.
  update_refused: ({ operation }) => isAbout(operation, ["request_refused"]),
  // A cancelled shift has an unknown status.
  cancel_without_effect: () => (known) => known.fix === STATUSES,
  // The replay of the contracts detects every invalid response again.
  contract_broken: ({ operation }) => isAbout(operation, ANSWER_ERRORS),
};

/** Returns the finding that caused this one, or undefined. */
export function causeOf(found: Found, known: Iterable<Finding>): Finding | undefined {
  const isCause = CONSEQUENCES[found.code]?.(found);
  return isCause && [...known].find(isCause);
}

/** Codes that count once, whatever was wrong with the request. */
const ONE_EACH: readonly Code[] = [
  ...(["auth_missing", "auth_any_token", "auth_wrong_scheme", "auth_status"] as const),
  ...(["tenant_ignored", "tenant_status"] as const),
];

/** Returns the same key for findings that one change at the provider removes, at whatever operations. */
export function keyOf(outcome: Found | Skipped): string {
  if (outcome.kind === "skipped") {
    return [outcome.code, outcome.operation, outcome.title, outcome.reason].join("\n");
  }
  const { code, expected, actual, cause, title = "" } = outcome;
  const reason = ONE_EACH.includes(code) ? code : (cause ?? `${expected}\n${actual}`);
  return [code, reason, title].join("\n");
}
