import type { Integration } from "../../../generated/operations/types.ts";
import type { Query } from "../data/use-query.ts";
import { HealthBadge } from "./health-badge.tsx";
import { routingText } from "./routing-facts.tsx";
import { StateBadge } from "./state-badge.tsx";
import { type IssueCounts, useIssueCounts, useProgress } from "./use-overview.ts";

export function IntegrationsTable({ integrations }: { integrations: Integration[] }) {
  const issues = useIssueCounts();
  return (
    <table class="cards" aria-label="Integrations">
      <thead>
        <tr>
          <th scope="col">Organisation</th>
          <th scope="col">State</th>
          <th scope="col">Health</th>
          <th scope="col">Onboarding</th>
          <th scope="col">Kind</th>
          <th scope="col">Routing</th>
          <th scope="col">Open issues</th>
        </tr>
      </thead>
      <tbody>
        {integrations.map((integration) => (
          <Row key={integration.providerId} integration={integration} issues={issues} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ integration, issues }: { integration: Integration; issues: Query<IssueCounts> }) {
  const { providerId, name, kind, state, health } = integration;
  return (
    <tr>
      <td data-label="Organisation">
        <span>
          <a href={`/console/integrations/${providerId}`}>{name}</a>
          <br />
          <code class="soft" title={providerId}>
            {providerId.slice(0, 8)}
          </code>
        </span>
      </td>
      <td data-label="State">
        <span>
          <StateBadge state={state} />
        </span>
      </td>
      <td data-label="Health">
        <span>
          <HealthBadge health={health} />
        </span>
      </td>
      <td data-label="Onboarding">
        <Progress integration={integration} />
      </td>
      <td data-label="Kind">
        <code>{kind}</code>
      </td>
      <td data-label="Routing">{routingText(integration)}</td>
      <td data-label="Open issues">
        <IssueCount providerId={providerId} issues={issues} />
      </td>
    </tr>
  );
}

/** The empty text reserves its line. */
function Progress({ integration }: { integration: Integration }) {
  const { data, trouble } = useProgress(integration);
  return <span class="soft">{trouble ? "could not be read" : (data ?? "\u00a0")}</span>;
}

function IssueCount({ providerId, issues }: { providerId: string; issues: Query<IssueCounts> }) {
  if (!issues.data) return <span class="soft">{issues.trouble ? "could not be read" : "\u00a0"}</span>;
  const count = issues.data.counts.get(providerId) ?? 0;
  if (count === 0) return <span class="soft">none{issues.data.isPart && " among the newest"}</span>;
  return (
    <a href={`/console/issues?providerId=${providerId}`}>
      {count}
      {issues.data.isPart && " or more"} open
    </a>
  );
}
