import type { Discovery, Integration, Issue } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Query, useQuery } from "../data/use-query.ts";

/** What every section of the page is about. */
export interface Organisation {
  integration: Integration;
  discovery: Discovery;
  /** Reads both again, after something was done with them. */
  reload(): void;
}

/** The integration and what is mapped of it, as one. */
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
    // A shift may name an outlet or a role that is new.
    ({ type, data }) =>
      type === "issue" && data.providerId === providerId && /_not_mapped$/.test(String(data.code)),
  );
}

const MOST_ISSUES = 200;

/** Its open issues, the newest of them. */
export function useIssues(providerId: string): Query<Issue[]> {
  const query = { providerId, limit: MOST_ISSUES };
  return useQuery(
    `issues ${providerId}`,
    async () => (await ask(api.listIssues({ params: { query } }))).items,
    ({ type, data }) => type === "issue" && data.providerId === providerId,
  );
}
