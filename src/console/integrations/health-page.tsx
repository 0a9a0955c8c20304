import type { ProviderHealth } from "../../../generated/operations/types.ts";
import { HEALTH_BY_GRAVITY, healthText } from "../../contract/operator-text.ts";
import type { Column } from "../components/cells.tsx";
import { FilterForm, SelectFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Empty } from "../components/query-view.tsx";
import { RegisterFirst } from "../components/register-first.tsx";
import { ShortId } from "../components/short-id.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount } from "../components/times.ts";
import { IntegrationViews } from "../components/views.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Names, useNames } from "../data/names.ts";
import { usePages } from "../data/use-pages.ts";
import { useRefresh } from "../data/use-refresh.ts";
import { restText, totalOf } from "./backlog.ts";
import { HealthBadge, StateBadge } from "./badges.tsx";
import { HEALTH_FILTER } from "./health.ts";
import { STATE_NAMES, STATES } from "./labels.ts";

const PATH = "/console/health";

/** The health of every provider; those that need attention come first. */
export function HealthPage() {
  const { filter, set, ...filtering } = useFilter(PATH, HEALTH_FILTER);
  const names = useNames();
  const pages = usePages(
    `provider health ${JSON.stringify(filter)}`,
    (page) => ask(api.listProviderHealth({ params: { query: { ...filter, order: "attention", ...page } } })),
    ({ type }) => type === "integration" || type === "issue",
  );
  useRefresh(pages.reload);
  return (
    <>
      <PageHead title="Health">
        <IntegrationViews />
      </PageHead>
      <FilterForm {...filtering}>
        <SelectFilter
          name="Health"
          value={filter.health}
          options={HEALTH_BY_GRAVITY.map((code) => [code, titleOf(code)])}
          onChange={set("health")}
        />
        <SelectFilter
          name="State"
          value={filter.state}
          options={STATE_NAMES.map((state) => [state, STATES[state].name])}
          onChange={set("state")}
        />
      </FilterForm>
      <PagedList {...{ pages, ...filtering }} one="provider" lines={8} empty={<NoProvider />}>
        {(providers) => (
          <Table
            saved={{ name: "health", readPage: pages.readPage }}
            caption="Providers, those that need attention first"
            columns={columnsOf(names)}
            rows={providers}
            keyOf={({ providerId }) => providerId}
          />
        )}
      </PagedList>
    </>
  );
}

const titleOf = (code: ProviderHealth["health"]["code"]) =>
  healthText({ code, paused: "nothing", resumes: "automatically" }).title;

function NoProvider() {
  return (
    <Empty title="No organisation is registered">
      <p>
        <RegisterFirst />.
      </p>
    </Empty>
  );
}

function columnsOf({ integration }: Names): Column<ProviderHealth>[] {
  const zoneOf = ({ providerId }: ProviderHealth) => integration(providerId)?.timeZone;
  return [
    {
      name: "Organisation",
      cell: (provider) => <Organisation provider={provider} name={integration(provider.providerId)?.name} />,
    },
    { name: "Health", cell: (provider) => <HealthSince {...provider} zone={zoneOf(provider)} /> },
    { name: "Waiting", cell: (provider) => <Waiting {...provider} zone={zoneOf(provider)} /> },
    {
      name: "Last webhook",
      cell: (provider) =>
        provider.lastWebhookAt === undefined ? (
          <span class="soft">none</span>
        ) : (
          <Time at={provider.lastWebhookAt} zone={zoneOf(provider)} />
        ),
    },
    { name: "Open issues", cell: (provider) => <IssuesLink {...provider} /> },
  ];
}

function Organisation({ provider, name }: { provider: ProviderHealth; name: string | undefined }) {
  const { providerId, state } = provider;
  const href = `/console/integrations/${providerId}`;
  return (
    <>
      {name === undefined ? <ShortId id={providerId} href={href} /> : <a href={href}>{name}</a>}{" "}
      {state !== "active" && <StateBadge state={state} />}
    </>
  );
}

type Zoned = ProviderHealth & { zone: string | undefined };

function HealthSince({ health, zone }: Zoned) {
  return (
    <>
      <HealthBadge health={health} />
      <br />
      <span class="soft">
        since <Time at={health.since} zone={zone} />
      </span>
    </>
  );
}

function Waiting({ backlog, oldestPendingBookingAt: pendingAt, zone }: Zoned) {
  const total = totalOf(backlog.waiting);
  return (
    <ul>
      <li>
        {total === 0 ? <span class="soft">{restText(backlog) || "nothing"}</span> : formatCount(total)}
        {backlog.oldestAt !== null && (
          <span class="soft">
            {" "}
            since <Time at={backlog.oldestAt} zone={zone} />
          </span>
        )}
      </li>
      {pendingAt !== undefined && (
        <li>
          a booking <span class="soft">since </span>
          <Time at={pendingAt} zone={zone} />
        </li>
      )}
    </ul>
  );
}

function IssuesLink({ openIssues, providerId }: ProviderHealth) {
  if (openIssues === 0) return <span class="soft">none</span>;
  return <a href={`/console/issues?providerId=${providerId}`}>{openIssues} open</a>;
}
