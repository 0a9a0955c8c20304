import type { Discovery, Integration, Issue } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { isAbout, type StreamMessage } from "../data/live.ts";
import { type Query, useQuery } from "../data/use-query.ts";
import { useRefresh } from "../data/use-refresh.ts";

/** What every section of the page shows or changes. */
export interface Organisation {
  integration: Integration;
  discovery: Discovery;
  /** Reads both again after a change. */
  reload(): void;
}

/** The integration with its mappings. */
export function useOrganisation(providerId: string): Query<Omit<Organisation, "reload">> {
  const path = { providerId };
  return useQuery(
    `organisation ${providerId}`,
    async () => {
      const [integration, discovery] = await Promise.all([
        ask(api.getIntegration({ params: { path } })),
        ask(api.getMappings({ params: { path } })),
      ]);
      return { integration, discovery };
    },
    (message) => isAbout(message, { providerId }) && (message.type === "integration" || isOfMapping(message)),
  );
}

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

const MOST_ISSUES = 200;

/** The newest open issues of the organisation. */
export function useIssues(providerId: string): Query<Issue[]> {
  const query = { providerId, limit: MOST_ISSUES };
  return useQuery(
    `issues ${providerId}`,
    async () => (await ask(api.listIssues({ params: { query } }))).items,
    ({ type, data }) => type === "issue" && data.providerId === providerId,
  );
}
