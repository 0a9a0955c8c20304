import type { SkipCode } from "./codes/codes.ts";
import { type Finding, type Skipped, skipped } from "./finding.ts";
import type { VerifyOptions } from "./options.ts";
import type { OperationId } from "./target.ts";

/** Why a check said nothing of an operation: what is known of the operation, or of the check at another one. */
export function unreached(
  operation: OperationId,
  name: string,
  findings: readonly Finding[],
  { readOnly = false }: VerifyOptions,
): Skipped {
  const here = findings.filter((each) => each.operation === operation);
  const error = here.find(({ severity }) => severity === "error");
  const earlier = here.find((each) => each.severity === "skipped");
  if (error) return skipped("skipped_after_failure", operation, name, `an error came first: ${error.title}`);
  if (earlier) return skipped(earlier.code as SkipCode, operation, name, earlier.actual);
  if (readOnly) return skipped("skipped_read_only", operation, name, "it would change data");
  return skipped("skipped_not_prepared", operation, name, "what is needed for it was not there");
}
