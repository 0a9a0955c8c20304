import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { IntegrationsTable } from "./integrations-table.tsx";
import "./integrations.css";

/** The organisations with their state, their health, and their progress. */
export function IntegrationsPage() {
  const pages = usePages(
    "integrations",
    (cursor) => ask(api.listIntegrations({ params: { query: { ...(cursor !== undefined && { cursor }) } } })),
    ({ type }) => type === "integration",
  );
  return (
    <>
      <PageHead title="Integrations">
        <a class="button primary push" href="/console/integrations/new">
          Register an organisation
        </a>
      </PageHead>
      <Shown query={pages} lines={6}>
        {(integrations) =>
          integrations.length === 0 ? (
            <Empty title="No organisation is registered">
              <p>
                Register the first with its providerId, the address of its provider's API, and the token that
                the provider issued.
              </p>
            </Empty>
          ) : (
            <IntegrationsTable integrations={integrations} />
          )
        }
      </Shown>
      <More pages={pages} />
    </>
  );
}
