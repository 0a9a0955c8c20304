import type { IssueCounts } from "../../../generated/operations/types.ts";
import { api } from "./api.ts";
import { ask } from "./errors.ts";
import { type Query, useQuery } from "./use-query.ts";

/** The numbers of open issues, of one organisation or of all. */
export function useIssueCounts(providerId?: string): Query<IssueCounts> {
  return useQuery(
    `issue counts of ${providerId}`,
    () => ask(api.countIssues({ params: { query: providerId === undefined ? {} : { providerId } } })),
    ({ type }) => type === "issue",
  );
}
