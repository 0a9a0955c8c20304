import "./integrations.css";
import { useRoute } from "preact-iso";
import type { Dialect } from "../../../generated/operations/types.ts";
import { DIALECT_CHOICES } from "../../contract/dialect.ts";
import { Facts } from "../components/cells.tsx";
import { ErrorBox, PageHead, Section } from "../components/section.tsx";
import { QueryView } from "../components/table.tsx";
import { HealthBadge, StateBadge } from "./badges.tsx";
import { CheckSection } from "./check-section.tsx";
import { BacklogSection, HealthSection } from "./health-page.tsx";
import { type MappedLists, useMappedLists } from "./mapping.ts";
import { MappingSection } from "./mapping-section.tsx";
import { RegistrationSection } from "./new-integration-page.tsx";
import { nextStep, OnboardingSection, stepsOf } from "./onboarding-section.tsx";
import { RegistrySection } from "./registry-section.tsx";
import { TokensSection } from "./tokens-section.tsx";
import { type Organisation, useLatest, useOrganisation } from "./use-integration.ts";
import { useMapping } from "./use-mapping.ts";

const WITHIN = { href: "/console/integrations", name: "Integrations" };

/** The onboarding, the health, and the administration of one organisation. */
export function IntegrationPage() {
  const { providerId = "" } = useRoute().params;
  // Input for one organisation must not stay for another.
  return <OrganisationPage key={providerId} providerId={providerId} />;
}

function OrganisationPage({ providerId }: { providerId: string }) {
  // Read while the organisation is.
  const lists = useMappedLists(providerId);
  const query = useOrganisation(providerId);
  const integration = query.data;
  const reload = () => {
    query.reload();
    for (const { pages } of Object.values(lists)) pages.reload();
  };
  return (
    <>
      <PageHead title={integration?.name ?? "Integration"} within={WITHIN}>
        {integration && <StateBadge state={integration.state} />}
        {integration && <HealthBadge health={integration.health} />}
        <RelatedPages providerId={providerId} />
      </PageHead>
      <QueryView query={query} lines={12}>
        {(integration) => <Sections organisation={{ integration, reload }} lists={lists} />}
      </QueryView>
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

const SECTIONS = [
  ["onboarding", "Onboarding"],
  ["health", "Health"],
  ["backlog", "Backlog"],
  ["mapping", "Mapping"],
  ["check", "Provider check"],
  ["dialect", "Dialect"],
  ["registry", "Registry"],
  ["tokens", "Tokens"],
  ["registration", "Registration"],
] as const;

function Sections({ organisation, lists }: { organisation: Organisation; lists: MappedLists }) {
  const { providerId } = organisation.integration;
  const mapping = useMapping(organisation, lists);
  const next = nextStep(organisation.integration, stepsOf(organisation.integration));
  const latest = useLatest(providerId);
  const integration = latest.data ?? organisation.integration;
  return (
    <div class="sections">
      <nav class="section-list" aria-label="Sections of this page">
        <ul>
          {SECTIONS.map(([id, name]) => (
            <li key={id}>
              <a href={`#${id}`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="stack">
        <OnboardingSection organisation={organisation} mapping={mapping} />
        {latest.error && <ErrorBox error={latest.error} onRetry={latest.reload} />}
        <HealthSection integration={integration} />
        <BacklogSection integration={integration} />
        <MappingSection organisation={organisation} mapping={mapping} />
        {next?.name === "active" && <a href="#onboarding">Continue with the activation</a>}
        <CheckSection {...integration} />
        <DialectSection dialect={integration.dialect} />
        <RegistrySection providerId={providerId} />
        <TokensSection {...organisation.integration} />
        <RegistrationSection {...organisation} latest={integration} />
      </div>
    </div>
  );
}

/** The choices of the contract that the provider made. */
function DialectSection({ dialect }: { dialect: Dialect }) {
  const { routing: _configured, ...choices } = DIALECT_CHOICES;
  const observed = Object.entries(choices).map(([choice, { name, forms }]) => {
    const form = dialect[choice as keyof Dialect];
    const text = forms.find(([each]) => each === form)?.[1] ?? form;
    return [name, text ?? <span class="soft">not observed yet</span>] as const;
  });
  return (
    <Section id="dialect" title="Dialect">
      <Facts of={Object.fromEntries(observed)} />
    </Section>
  );
}
