import "./integrations.css";
import type { Integration } from "../../../generated/operations/types.ts";
import { type Column, ShortId } from "../components/cells.tsx";
import {
  anyText,
  FilterForm,
  IntegrationViews,
  oneOf,
  SelectFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { countText } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { usePages } from "../data/pages.ts";
import { may } from "../session/me.ts";
import { HealthBadge, STATE_NAMES, STATES, StateBadge } from "./badges.tsx";
import { nextStep, stepsOf } from "./onboarding-section.tsx";
import { routingText } from "./registration-fields.tsx";

/** `search` is a part of the name. */
const FILTER = { search: anyText, state: oneOf(STATE_NAMES) };

/** The organisations with their state, their health, and their progress. */
export function IntegrationsPage() {
  const { filter, set, ...filtering } = useFilter("/console/integrations", FILTER);
  const pages = usePages(
    `integrations ${JSON.stringify(filter)}`,
    (page) => ask(api.listIntegrations({ params: { query: { ...filter, ...page } } })),
    ({ type }) => type === "integration" || type === "issue",
  );
  return (
    <>
      <PageHead title="Integrations">
        <IntegrationViews />
        {may("createIntegration") && (
          <a class="button primary" href="/console/integrations/new">
            Register an organisation
          </a>
        )}
      </PageHead>
      <FilterForm {...filtering}>
        <TextFilter name="Name" value={filter.search} onChange={set("search")} />
        <SelectFilter
          name="State"
          value={filter.state}
          options={STATE_NAMES.map((state) => [state, STATES[state].name])}
          onChange={set("state")}
        />
      </FilterForm>
      <PagedList {...{ pages, ...filtering }} one="organisation" lines={6} empty={<NoIntegration />}>
        {(integrations) => (
          <Table
            saved={{ name: "organisations", readPage: pages.readPage }}
            caption="Integrations, by providerId"
            columns={COLUMNS}
            rows={integrations}
            keyOf={({ providerId }) => providerId}
          />
        )}
      </PagedList>
    </>
  );
}

function NoIntegration() {
  return (
    <Empty title="No organisation is registered">
      <p>
        Register the first with its providerId, the address of its provider's API, and the token that the
        provider issued.
      </p>
    </Empty>
  );
}

const COLUMNS: readonly Column<Integration>[] = [
  {
    name: "Organisation",
    cell: ({ providerId, name }) => (
      <>
        <a href={`/console/integrations/${providerId}`}>{name}</a>
        <br />
        <span class="soft">
          <ShortId id={providerId} />
        </span>
      </>
    ),
  },
  { name: "State", cell: ({ state }) => <StateBadge state={state} /> },
  { name: "Health", cell: ({ health }) => <HealthBadge health={health} /> },
  { name: "Onboarding", cell: (integration) => <span class="soft">{progressText(integration)}</span> },
  { name: "Kind", cell: ({ kind }) => <code>{kind}</code> },
  { name: "Routing", cell: routingText },
  { name: "Open issues", cell: (integration) => <IssueCount {...integration} /> },
];

const NEXT = {
  registered: "register",
  read: "read outlets and roles",
  mapped: "map them",
  active: "activate",
};

/** The progress of the onboarding, in one line. */
function progressText(integration: Integration): string {
  if (integration.state !== "draft") return "complete";
  const steps = stepsOf(integration);
  const next = nextStep(integration, steps);
  return `${steps.filter(({ isDone }) => isDone).length} of ${steps.length}, next: ${NEXT[next?.name ?? "active"]}`;
}

function IssueCount({ providerId, openIssues }: Integration) {
  if (!openIssues || openIssues.count === 0) return <span class="soft">none</span>;
  return <a href={`/console/issues?providerId=${providerId}`}>{countText(openIssues)} open</a>;
}
