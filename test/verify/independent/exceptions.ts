import type { Code } from "../../../src/verify/codes/codes.ts";

/** A fault of the independent provider that is not an error, and the reason. */
export interface Exception {
  /** The expected warning; undefined: no finding. */
  warning: Code | undefined;
  because: string;
}

const warns = (warning: Code, because: string): Exception => ({ warning, because });
const unseen = (because: string): Exception => ({ warning: undefined, because });

/** By name of the fault. Every other fault must be reported as an error. */
export const exceptions: Readonly<Record<string, Exception>> = {
  "no-content-type": warns("content_type_missing", "the body is JSON, and the platform reads it"),
  "create-twice-two-people": warns(
    "candidate_twice",
    "the contract does not define the response to a second creation",
  ),
  "update-accepts-end-before-start": warns("invalid_tolerated", "the platform never sends it"),
  "update-unreadable-time-accepted": warns("invalid_tolerated", "the platform never sends it"),
  "hyphen-lookup-misses": warns(
    "number_form_ignored",
    "which form is normative is not stated (contract 2.8)",
  ),
  "mixed-not-found": warns("form_mixed", "the contract allows both forms, and the platform reads both"),
  "stack-trace-in-error": warns("error_leaks", "the contract does not define error bodies (7.5)"),
  "sql-in-error": warns("error_leaks", "the contract does not define error bodies (7.5)"),
  "status-unassign-delete-200": unseen("200 and 204 are both accepted from both forms of unassignment"),
  "wrong-method-500": unseen("the platform never uses such a method"),
  "roles-of-another-tenant": unseen("organisations may share a list of roles"),
  "status-stays-open": unseen("the contract defines no status transitions (3): the platform counts"),
  "registry-misses-created": unseen("the registry is for onboarding, before any candidate is created"),
};
