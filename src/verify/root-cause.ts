import { answerCodes } from "./codes/answers.ts";
import type { Code } from "./codes/codes.ts";
import type { Finding, Found, Skipped } from "./finding.ts";
import { PRINTED } from "./judge/success.ts";
import { NOT_JSON } from "./pact/mismatches.ts";

/** An existing finding that may have caused another one. */
type Cause = Pick<Finding, "code" | "operation" | "actual" | "fix">;

const isAbout = (operation: string, codes: readonly string[]) => (known: Cause) =>
  known.operation === operation && codes.includes(known.code);

/** Whether a runtime has printed the same message into another response: it prints it into each. */
const isPrintedElsewhere = (found: Found) => (known: Cause) =>
  known.code === "body_not_json" &&
  known.fix === PRINTED &&
  known.actual === found.actual &&
  (known.code !== found.code || known.operation !== found.operation);

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
  // Without a token check, every request reveals which shifts exist.
  auth_after_lookup: ({ operation }) =>
    isAbout(operation, ["auth_missing", "auth_status", "request_refused"]),
  // A candidate who is listed twice takes two positions.
  overbooked: ({ operation }) => isAbout(operation, ["assign_not_idempotent", "assign_without_effect"]),
  // A lookup that does not find the known candidate finds no other candidate either.
  create_without_effect: () => isAbout("findCandidates", ["lookup_misses"]),
  registry_unmatched: () => isAbout("findCandidates", ["lookup_misses", "create_without_effect"]),
  // A number in another format differs from the sent one.
  candidate_differs: ({ operation, actual }) => {
    return actual === "personalNumber differs" ? isAbout(operation, ["personal_number_wrong"]) : () => false;
  },
  // Updates contain the times as the provider sent them, and it may refuse its own format.
  unknown_id_status: ({ operation }) => {
    return operation === "updateShift"
      ? isAbout("getShift", ["time_without_offset", "time_invalid"])
      : () => false;
  },
  // The replay of the contracts detects every invalid response again.
  contract_broken: ({ operation, actual }) => {
    const isAboutIt = isAbout(operation, ANSWER_ERRORS);
    return (known) => isAboutIt(known) || (actual === NOT_JSON && known.fix === PRINTED);
  },
};

/** Returns the finding that caused this one, or undefined. */
export function causeOf(found: Found, known: Iterable<Finding>): Finding | undefined {
  const isCause = CONSEQUENCES[found.code]?.(found);
  if (!isCause) return undefined;
  for (const finding of known) if (isCause(finding)) return finding;
  return undefined;
}

/** Codes that count once for each operation, whatever was wrong with the request. */
const ONE_EACH: readonly Code[] = [
  ...(["auth_missing", "auth_any_token", "auth_wrong_scheme", "auth_status"] as const),
  ...(["tenant_ignored", "tenant_status"] as const),
];

/** Returns the same key for findings that one change at the provider removes. */
export function keyOf(outcome: Found | Skipped): string {
  if (outcome.kind === "skipped") {
    return [outcome.code, outcome.operation, outcome.title, outcome.reason].join("\n");
  }
  const { code, operation, expected, actual, cause, title = "" } = outcome;
  const reason = ONE_EACH.includes(code) ? code : (cause ?? `${expected}\n${actual}`);
  return [code, operation, reason, title].join("\n");
}
