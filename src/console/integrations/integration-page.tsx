import { useRoute } from "preact-iso";
import { PageHead } from "../parts/page-head.tsx";
import { Shown } from "../parts/shown.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { IntegrationSections } from "./integration-sections.tsx";
import { StateBadge } from "./state-badge.tsx";
import { useOrganisation } from "./use-integration.ts";
import "./integrations.css";

const WITHIN = { href: "/console/integrations", name: "Integrations" };

/** The onboarding, the health, and the administration of one organisation. */
export function IntegrationPage() {
  const { providerId = "" } = useRoute().params;
  const query = useOrganisation(providerId);
  const integration = query.data?.integration;
  return (
    <>
      <PageHead title={integration?.name ?? "Integration"} within={WITHIN}>
        {integration && <StateBadge state={integration.state} />}
        {integration && <HealthBadge health={integration.health} />}
        <RelatedPages providerId={providerId} />
      </PageHead>
      <Shown query={query} lines={12}>
        {/* Input for one organisation must not stay for another. */}
        {(data) => <IntegrationSections key={providerId} {...data} reload={query.reload} />}
      </Shown>
    </>
  );
}

function RelatedPages({ providerId }: { providerId: string }) {
  const only = `?providerId=${encodeURIComponent(providerId)}`;
  return (
    <nav class="row push" aria-label="Pages of this organisation">
      <a href={`/console/${only}`}>Jobs</a>
      <a href={`/console/events${only}`}>Events</a>
      <a href={`/console/issues${only}`}>Issues</a>
    </nav>
  );
}
