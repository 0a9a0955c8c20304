import type { Code } from "../../../src/verify/codes/codes.ts";

/** A fault of the independent provider that is no error, and why. */
export interface Exception {
  /** What it is instead; undefined: nothing at all. */
  warning: Code | undefined;
  because: string;
}

const warns = (warning: Code, because: string): Exception => ({ warning, because });
const unseen = (because: string): Exception => ({ warning: undefined, because });

/** By the fault's name. Every other one must be found as an error, and each of these must not. */
export const exceptions: Readonly<Record<string, Exception>> = {
  "no-content-type": warns(
    "content_type_missing",
    "the body is JSON all the same, and the platform reads it",
  ),
  "create-twice-two-people": warns(
    "candidate_twice",
    "the contract does not say what a second creation gives",
  ),
  "update-accepts-end-before-start": warns("invalid_tolerated", "the platform never sends it"),
  "update-unreadable-time-accepted": warns("invalid_tolerated", "the platform never sends it"),
  "hyphen-lookup-misses": warns(
    "number_form_ignored",
    "which form is normative is not stated (contract 2.8)",
  ),
  "mixed-not-found": warns("form_mixed", "both forms are the contract's, and the platform reads both"),
  "stack-trace-in-error": warns("error_leaks", "what an error's body holds is not shown (contract 7.5)"),
  "sql-in-error": warns("error_leaks", "what an error's body holds is not shown (contract 7.5)"),
  "status-unassign-delete-200": unseen("200 and 204 are both accepted from both forms of unassignment"),
  "wrong-method-500": unseen("no request of the platform has a method that the path does not have"),
  "roles-of-another-tenant": unseen("it looks like a list of roles that all organisations share"),
  "status-stays-open": unseen("transitions of the status are not shown (contract 3): the platform counts"),
  "registry-misses-created": unseen("the registry is for onboarding, before anybody is created"),
};
