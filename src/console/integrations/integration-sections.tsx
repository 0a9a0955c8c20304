import { TroubleBox } from "../parts/trouble-box.tsx";
import { BacklogSection } from "./backlog-section.tsx";
import { CheckSection } from "./check-section.tsx";
import { DialectSection } from "./dialect-section.tsx";
import { FactsSection } from "./facts-section.tsx";
import { HealthSection } from "./health-section.tsx";
import { MappingSection } from "./mapping-section.tsx";
import { OnboardingSection } from "./onboarding-section.tsx";
import { RegistrySection } from "./registry-section.tsx";
import { TokensSection } from "./tokens-section.tsx";
import { type Organisation, useLatest } from "./use-integration.ts";
import { useMapping } from "./use-mapping.ts";

const SECTIONS = [
  ["onboarding", "Onboarding"],
  ["health", "Health"],
  ["backlog", "Backlog"],
  ["mapping", "Mapping"],
  ["check", "Check of the provider"],
  ["dialect", "Dialect"],
  ["registry", "Registry"],
  ["tokens", "Tokens"],
  ["registered", "Registered as"],
] as const;

export function IntegrationSections(organisation: Organisation) {
  const { providerId } = organisation.integration;
  const mapping = useMapping(organisation);
  const latest = useLatest(providerId);
  const integration = latest.data ?? organisation.integration;
  return (
    <div class="sections">
      <SectionList />
      <div class="stack">
        <OnboardingSection organisation={organisation} mapping={mapping} />
        {latest.trouble && <TroubleBox trouble={latest.trouble} onRetry={latest.reload} />}
        <HealthSection integration={integration} />
        <BacklogSection integration={integration} />
        <MappingSection organisation={organisation} mapping={mapping} />
        <CheckSection {...organisation.integration} />
        <DialectSection providerId={providerId} />
        <RegistrySection providerId={providerId} />
        <TokensSection integration={organisation.integration} />
        <FactsSection {...organisation} />
      </div>
    </div>
  );
}

function SectionList() {
  return (
    <nav class="section-list" aria-label="Sections of this page">
      <ul>
        {SECTIONS.map(([id, name]) => (
          <li key={id}>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
