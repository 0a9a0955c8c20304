import { useLocation } from "preact-iso";
import type { ProviderHealth } from "../../../generated/operations/types.ts";
import { healthText } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { readAll } from "../data/use-pages.ts";
import { useQuery } from "../data/use-query.ts";
import { useRefresh } from "../data/use-refresh.ts";
import { IntegrationViews } from "../integrations/integration-views.tsx";
import { STATES } from "../integrations/labels.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import {
  byNeed,
  HEALTH_CODES,
  type HealthFilter,
  healthAddress,
  healthFilterOf,
  INTEGRATION_STATES,
} from "./health-filter.ts";
import { HealthTable } from "./health-table.tsx";

const PAGE = 200;

/** How every provider is doing, those that need attention first. */
export function HealthPage() {
  const { query, route } = useLocation();
  const filter = healthFilterOf(query);
  const providers = useQuery(
    "provider health",
    () => readAll((cursor) => ask(api.listProviderHealth({ params: { query: queryOf(cursor) } }))),
    ({ type }) => type === "integration" || type === "issue",
  );
  useRefresh(providers.reload);
  return (
    <>
      <PageHead title="Health">
        <IntegrationViews />
      </PageHead>
      <Filters filter={filter} onFilter={(wanted) => route(healthAddress(wanted), true)} />
      <Shown query={providers} lines={8}>
        {(all) => <Providers all={all} filter={filter} />}
      </Shown>
    </>
  );
}

const queryOf = (cursor: string | undefined) => ({ limit: PAGE, ...(cursor && { cursor }) });

function Providers({ all, filter }: { all: ProviderHealth[]; filter: HealthFilter }) {
  const shown = byNeed(all, filter);
  if (shown.length > 0) return <HealthTable providers={shown} />;
  return all.length === 0 ? (
    <Empty title="No organisation is registered">
      <p>
        <a href="/console/integrations/new">Register the first</a>.
      </p>
    </Empty>
  ) : (
    <Empty title="No provider matches the filters">
      <p>
        Change the filters, or <a href="/console/health">show all providers</a>.
      </p>
    </Empty>
  );
}

interface FilterProps {
  filter: HealthFilter;
  onFilter(filter: HealthFilter): void;
}

function Filters({ filter, onFilter }: FilterProps) {
  const choose = (form: HTMLFormElement) =>
    onFilter(healthFilterOf(Object.fromEntries(new FormData(form)) as Record<string, string>));
  return (
    <form class="filters" aria-label="Filters" onChange={(event) => choose(event.currentTarget)}>
      <label class="field">
        <span>Health</span>
        <select name="health" value={filter.health ?? ""}>
          <option value="">Any</option>
          {HEALTH_CODES.map((code) => (
            <option key={code} value={code}>
              {healthText({ code, paused: "nothing", resumes: "automatically" }).title}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>State</span>
        <select name="state" value={filter.state ?? ""}>
          <option value="">Any</option>
          {INTEGRATION_STATES.map((state) => (
            <option key={state} value={state}>
              {STATES[state].word}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
