import { useLocation } from "preact-iso";
import type { Integration } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { addressWith } from "../parts/address.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { TextFilter } from "../parts/text-filter.tsx";
import { IntegrationViews } from "./integration-views.tsx";
import { IntegrationsTable } from "./integrations-table.tsx";
import { STATES } from "./labels.ts";
import "./integrations.css";

/** Which organisations are shown. It is the query of the address. */
interface Filter {
  /** A part of the name. */
  search?: string;
  state?: Integration["state"];
}

const PATH = "/console/integrations";
const STATE_NAMES = Object.keys(STATES) as Integration["state"][];

function filterOf(query: Readonly<Record<string, string>>): Filter {
  const search = query.search?.trim();
  const state = STATE_NAMES.find((each) => each === query.state);
  return { ...(search && { search }), ...(state && { state }) };
}

/** The organisations with their state, their health, and their progress. */
export function IntegrationsPage() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const isFiltered = Object.keys(filter).length > 0;
  const pages = usePages(
    `integrations ${JSON.stringify(filter)}`,
    (cursor) => ask(api.listIntegrations({ params: { query: { ...filter, ...(cursor && { cursor }) } } })),
    ({ type }) => type === "integration",
  );
  return (
    <>
      <PageHead title="Integrations">
        <IntegrationViews />
        <a class="button primary" href="/console/integrations/new">
          Register an organisation
        </a>
      </PageHead>
      <Filters filter={filter} onFilter={(wanted) => route(addressWith(PATH, wanted), true)} />
      <Shown query={pages} lines={6}>
        {(integrations) =>
          integrations.length === 0 ? (
            <NoIntegration isFiltered={isFiltered} />
          ) : (
            <IntegrationsTable integrations={integrations} />
          )
        }
      </Shown>
      <More pages={pages} />
    </>
  );
}

function Filters({ filter, onFilter }: { filter: Filter; onFilter(filter: Filter): void }) {
  const set = (change: Record<string, string>) => onFilter(filterOf({ ...filter, ...change }));
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <TextFilter name="Name" value={filter.search ?? ""} onGiven={(search) => set({ search })} />
      <label class="field">
        <span>State</span>
        <select value={filter.state ?? ""} onChange={(event) => set({ state: event.currentTarget.value })}>
          <option value="">Any</option>
          {STATE_NAMES.map((state) => (
            <option key={state} value={state}>
              {STATES[state].word}
            </option>
          ))}
        </select>
      </label>
      {Object.keys(filter).length > 0 && <a href={PATH}>Show all</a>}
    </form>
  );
}

function NoIntegration({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No organisation matches the filters">
        <p>
          Change the filters, or <a href={PATH}>show all organisations</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No organisation is registered">
      <p>
        Register the first with its providerId, the address of its provider's API, and the token that the
        provider issued.
      </p>
    </Empty>
  );
}
