import type { Issue } from "../../../generated/operations/types.ts";

/** Whether an issue comes from a check of the provider's API (operations document, `verifyIntegration`). */
export function isOfCheck({ code }: Pick<Issue, "code">): boolean {
  return code === "provider_check" || code === "provider_check_failed";
}

/** The number of issues of each organisation. */
export function countByProvider(issues: readonly Issue[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { providerId } of issues) {
    if (providerId !== undefined) counts.set(providerId, (counts.get(providerId) ?? 0) + 1);
  }
  return counts;
}
