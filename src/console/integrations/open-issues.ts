import type { Issue } from "../../../generated/operations/types.ts";

/** What checks of the provider's API found, and that one could not be made (operations document, `verifyIntegration`). */
const OF_CHECKS = ["provider_check", "provider_check_failed"];

export function isOfCheck({ code }: Pick<Issue, "code">): boolean {
  return OF_CHECKS.includes(code);
}

/** How many each organisation has. */
export function countByProvider(issues: readonly Issue[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { providerId } of issues) {
    if (providerId !== undefined) counts.set(providerId, (counts.get(providerId) ?? 0) + 1);
  }
  return counts;
}
