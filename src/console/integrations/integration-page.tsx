import { useRoute } from "preact-iso";
import { PageHead } from "../parts/page-head.tsx";
import { Shown } from "../parts/shown.tsx";
import { IntegrationSections } from "./integration-sections.tsx";
import { StateBadge } from "./state-badge.tsx";
import { useOrganisation } from "./use-integration.ts";
import "./integrations.css";

const WITHIN = { href: "/console/integrations", name: "Integrations" };

/** From a draft to an active organisation, and everything that is done with it afterwards. */
export function IntegrationPage() {
  const { providerId = "" } = useRoute().params;
  const query = useOrganisation(providerId);
  const integration = query.data?.integration;
  return (
    <>
      <PageHead title={integration?.name ?? "Integration"} within={WITHIN}>
        {integration && <StateBadge state={integration.state} />}
        <WhatItHas providerId={providerId} />
      </PageHead>
      <Shown query={query} lines={12}>
        {/* What was chosen for one organisation is nothing for another. */}
        {(data) => <IntegrationSections key={providerId} {...data} reload={query.reload} />}
      </Shown>
    </>
  );
}

function WhatItHas({ providerId }: { providerId: string }) {
  const only = `?providerId=${encodeURIComponent(providerId)}`;
  return (
    <nav class="row push" aria-label="Of this organisation">
      <a href={`/console/${only}`}>Its jobs</a>
      <a href={`/console/events${only}`}>Its events</a>
      <a href={`/console/issues${only}`}>Its issues</a>
    </nav>
  );
}
