import type { Backlog, Health, Integration, ProviderHealth } from "../../../generated/operations/types.ts";
import { backlogText, entryOf, HEALTH_BY_GRAVITY, healthText } from "../../contract/operator-text.ts";
import { Badge, type Column, Facts, ShortId } from "../components/cells.tsx";
import { FilterForm, IntegrationViews, SelectFilter, useFilter } from "../components/filters.tsx";
import { PageHead, RegisterFirst, Section } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { formatCount, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Names, useNames } from "../data/names.ts";
import { usePages } from "../data/pages.ts";
import { useRefresh } from "../data/use-query.ts";
import { may } from "../session/me.ts";
import {
  HEALTH_FILTER,
  HealthBadge,
  restText,
  STATE_NAMES,
  STATES,
  StateBadge,
  totalOf,
  waitingText,
} from "./badges.tsx";

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

interface Props {
  integration: Integration;
}

/** How the provider behaves, what that pauses, and what ends the pause. */
export function HealthSection({ integration: { providerId, timeZone, health, state } }: Props) {
  const { detail, paused } = healthText(health);
  const isPaused = health.paused !== "nothing";
  return (
    <Section id="health" title="Health" aside={<HealthBadge health={health} />}>
      <p role="status">{detail}</p>
      <Facts
        of={{
          Since: <Time at={health.since} zone={timeZone} />,
          Paused: entryOf(PAUSED_BY_STATE, state) ?? paused,
          Resumes: isPaused ? (
            <Resumption health={health} providerId={providerId} zone={timeZone} />
          ) : undefined,
        }}
      />
    </Section>
  );
}

/** What an integration that is not active stops, however its provider responds. */
const PAUSED_BY_STATE = {
  draft: "Everything: the integration is a draft",
  suspended: "Everything: the integration is suspended",
};

/** What ends the pause, with a link where an operator can do it. */
function Resumption({ health, providerId, zone }: { health: Health; providerId: string; zone: string }) {
  const issues = `/console/issues?${new URLSearchParams({ providerId, code: "mass_disappearance" })}`;
  return (
    <>
      {healthText(health).resumes} {health.resumes === "with_operator" && <a href={issues}>Open issue</a>}
      {health.code === "token_rejected" && may("rotateToken") && <a href="#tokens">Enter a new token</a>}
      {health.until !== undefined && (
        <span class="soft">
          Not before <Time at={health.until} zone={zone} exact />
        </span>
      )}
    </>
  );
}

/** What waits for the provider, since when, and what limits it. */
export function BacklogSection({ integration: { backlog, timeZone } }: Props) {
  if (!backlog) return null;
  const total = totalOf(backlog.waiting);
  const badge = total > 0 && <Badge tone={toneOf(backlog)}>{`${formatCount(total)} waiting`}</Badge>;
  return (
    <Section id="backlog" title="Backlog" aside={badge}>
      {/* One element for both, so that screen readers announce the change. */}
      <p role="status">
        <Limit backlog={backlog} zone={timeZone} />
      </p>
      {total === 0 && <p class="hint">Counted every 10 seconds; the count is up to half a minute old.</p>}
      {total > 0 && <BacklogFacts backlog={backlog} zone={timeZone} />}
    </Section>
  );
}

/** Paused work needs attention. */
const toneOf = ({ limit: { code } }: Backlog) =>
  code === "paused" || code === "draft" || code === "suspended" ? "warn" : "busy";

interface BacklogProps {
  backlog: Backlog;
  zone: string;
}

function Limit({ backlog: { limit, ...backlog }, zone }: BacklogProps) {
  const { since, until } = limit.params;
  const rest = limit.code === "none" ? restText(backlog) : "";
  return (
    <>
      {backlogText(limit)}
      {rest && ` ${rest}.`}
      {since !== undefined && (
        <>
          {" "}
          Since <Time at={since} zone={zone} />.
        </>
      )}
      {until !== undefined && (
        <>
          {" "}
          Until <Time at={until} zone={zone} exact />.
        </>
      )}
    </>
  );
}

function BacklogFacts({ backlog, zone }: BacklogProps) {
  const { waiting, inProgress, mail, oldestAt } = backlog;
  return (
    <Facts
      of={{
        Waiting: waitingText(waiting),
        "In progress": formatCount(inProgress),
        "Waiting since": oldestAt === null ? undefined : <Time at={oldestAt} zone={zone} />,
        Mail: mail > 0 ? `${formatCount(mail)} to send` : undefined,
      }}
    />
  );
}
