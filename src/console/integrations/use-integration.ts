import type { Integration, Issue, IssueCode } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { isAbout, type StreamMessage } from "../data/live.ts";
import { type Pages, usePages } from "../data/pages.ts";
import { type Query, useQuery, useRefresh } from "../data/use-query.ts";

/** What every section of the page shows or changes. */
export interface Organisation {
  integration: Integration;
  /** Reads it and its lists again after a change. */
  reload(): void;
}

export function useOrganisation(providerId: string): Query<Integration> {
  return useQuery(
    `organisation ${providerId}`,
    () => ask(api.getIntegration({ params: { path: { providerId } } })),
    concernsMapping(providerId),
  );
}

export const concernsMapping = (providerId: string) => (message: StreamMessage) =>
  isAbout(message, { providerId }) && (message.type === "integration" || isOfMapping(message));

/** The integration with its health and its backlog as they are now. */
export function useLatest(providerId: string): Query<Integration> {
  const query = useQuery(
    `integration ${providerId}`,
    () => ask(api.getIntegration({ params: { path: { providerId } } })),
    ({ type, data }) => type === "integration" && data.providerId === providerId,
  );
  // The backlog changes without a message about the integration.
  useRefresh(query.reload);
  return query;
}

/** A shift may name a new outlet or a new role: that is an issue. */
function isOfMapping({ type, data }: StreamMessage): boolean {
  return type === "issue" && (data.code === "outlet_not_mapped" || data.code === "role_not_mapped");
}

/** The open issues of the organisation with a code, newest first. */
export function useIssues(providerId: string, code: IssueCode): Pages<Issue> {
  return usePages(
    `issues ${providerId} ${code}`,
    (page) => ask(api.listIssues({ params: { query: { providerId, code, ...page } } })),
    ({ type, data }) => type === "issue" && data.providerId === providerId,
  );
}
