import { answerCodes } from "./codes/answers.ts";
import type { Code } from "./codes/codes.ts";
import type { Finding, Found, Skipped } from "./finding.ts";

/** A finding that is there already, of which another one would only be a consequence. */
type Cause = Pick<Finding, "code" | "severity" | "operation">;

const isAbout = (operation: string, codes: readonly string[]) => (known: Cause) =>
  known.operation === operation && codes.includes(known.code);

/** For each code what makes it a consequence. */
const CONSEQUENCES: Readonly<Partial<Record<Code, (found: Found) => (known: Cause) => boolean>>> = {
  // Where no token is asked for, no token is compared.
  auth_any_token: ({ operation }) => isAbout(operation, ["auth_missing"]),
  auth_wrong_scheme: ({ operation }) => isAbout(operation, ["auth_missing"]),
  // Who gets in without a token learns everything anyway.
  auth_after_lookup: ({ operation }) =>
    isAbout(operation, ["auth_missing", "auth_status", "request_refused"]),
  // Who is there twice takes two positions.
  overbooked: ({ operation }) => isAbout(operation, ["assign_not_idempotent", "assign_without_effect"]),
  // A lookup that does not find the known candidate finds no other either.
  create_without_effect: () => isAbout("findCandidates", ["lookup_misses"]),
  registry_unmatched: () => isAbout("findCandidates", ["lookup_misses", "create_without_effect"]),
  // A number of another form differs from the one that was sent.
  candidate_differs: ({ operation, actual }) => {
    return actual === "personalNumber differs" ? isAbout(operation, ["personal_number_wrong"]) : () => false;
  },
  // Times are sent back as the provider wrote them: it may refuse its own.
  unknown_id_status: ({ operation }) => {
    return operation === "updateShift"
      ? isAbout("getShift", ["time_without_offset", "time_invalid"])
      : () => false;
  },
  // The replay of the contracts sees every wrong answer once more.
  contract_broken: ({ operation }) => {
    return (known) =>
      known.operation === operation && known.severity === "error" && Object.hasOwn(answerCodes, known.code);
  },
};

/** The finding that this one follows from; undefined when it has a cause of its own. */
export function causeOf(found: Found, known: Iterable<Finding>): Finding | undefined {
  const isCause = CONSEQUENCES[found.code]?.(found);
  if (!isCause) return undefined;
  for (const finding of known) if (isCause(finding)) return finding;
  return undefined;
}

/** Refusals of one kind at one operation are one mistake, whatever was wrong with the request. */
const ONE_EACH: readonly Code[] = [
  ...(["auth_missing", "auth_any_token", "auth_wrong_scheme", "auth_status"] as const),
  ...(["tenant_ignored", "tenant_status"] as const),
];

/** The same for findings that one change at the provider removes. */
export function keyOf(outcome: Found | Skipped): string {
  if (outcome.kind === "skipped") {
    return [outcome.code, outcome.operation, outcome.title, outcome.reason].join("\n");
  }
  const { code, operation, expected, actual, cause, title = "" } = outcome;
  const reason = ONE_EACH.includes(code) ? code : (cause ?? `${expected}\n${actual}`);
  return [code, operation, reason, title].join("\n");
}
