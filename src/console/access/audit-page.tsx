import { useLocation } from "preact-iso";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { AuditExport } from "./audit-export.tsx";
import { auditAddress, auditFilterOf, auditQueryOf } from "./audit-filter.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditTable } from "./audit-table.tsx";

/** Every change and every reveal, newest first. */
export function AuditPage() {
  const { query, route } = useLocation();
  const filter = auditFilterOf(query);
  const wanted = auditQueryOf(filter);
  const pages = usePages(`audit ${JSON.stringify(filter)}`, (cursor) =>
    ask(api.listAudit({ params: { query: { ...wanted, ...(cursor && { cursor }) } } })),
  );
  return (
    <>
      <PageHead title="Audit log">
        <span class="push" />
        <AuditExport query={wanted} />
      </PageHead>
      <AuditFilters filter={filter} onFilter={(next) => route(auditAddress(next), true)} />
      <Shown query={pages} lines={12}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="No entry matches the filters">
              <p>
                Every change and every reveal adds an entry. <a href="/console/audit">Show all entries</a>.
              </p>
            </Empty>
          ) : (
            <AuditTable entries={entries} />
          )
        }
      </Shown>
      <More pages={pages} />
    </>
  );
}
