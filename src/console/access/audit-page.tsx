import type { AuditEntry } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import type { Column } from "../components/cells.tsx";
import {
  aDay,
  anyText,
  DayFilter,
  type Filter,
  FilterForm,
  SelectFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { shownZone, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { type ReadPage, usePages } from "../data/pages.ts";
import { startOf } from "../job/job.ts";
import { AuditSentence, changeText, DEEDS, deedTitle, useOperators } from "./audit-sentence.tsx";

/** `subject` is the id of what an entry is about; the days are in the zone that the page shows. */
const FILTER = { operator: anyText, operation: anyText, subject: anyText, from: aDay, to: aDay };

/** Every change and every reveal, newest first. */
export function AuditPage() {
  const { filter, set, ...filtering } = useFilter("/console/audit", FILTER);
  const zone = shownZone();
  const query = queryOf(filter, zone);
  const pages = usePages(`audit ${JSON.stringify(query)}`, (page) =>
    ask(api.listAudit({ params: { query: { ...query, ...page } } })),
  );
  return (
    <>
      <PageHead title="Audit log" />
      <FilterForm {...filtering}>
        <TextFilter name="Operator" value={filter.operator} onChange={set("operator")} />
        <SelectFilter
          name="Action"
          value={filter.operation}
          options={Object.keys(DEEDS).map((each) => [each, deedTitle(each)])}
          onChange={set("operation")}
        />
        <TextFilter isId name="Subject id" value={filter.subject} onChange={set("subject")} />
        <DayFilter name={`From (${zone})`} value={filter.from} onChange={set("from")} />
        <DayFilter name={`To (${zone})`} value={filter.to} onChange={set("to")} />
      </FilterForm>
      <PagedList
        {...{ pages, ...filtering }}
        one="entry"
        empty={
          <Empty title="No entry yet">
            <p>Every change and every reveal adds an entry.</p>
          </Empty>
        }
      >
        {(entries) => <AuditTable entries={entries} readPage={pages.readPage} />}
      </PagedList>
    </>
  );
}

/** The query of the operations API: days become times, the last day included. */
function queryOf({ from, to, ...texts }: Filter<typeof FILTER>, zone: string) {
  return {
    ...texts,
    ...(from !== undefined && { since: startOf(from, zone) }),
    ...(to !== undefined && {
      until: startOf(new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10), zone),
    }),
  };
}

interface TableProps {
  entries: AuditEntry[];
  readPage: ReadPage<AuditEntry>;
}

function AuditTable({ entries, readPage }: TableProps) {
  const names = useNames();
  const operators = useOperators();
  const columns: Column<AuditEntry>[] = [
    { name: "When", cell: ({ at }) => <Time at={at} exact /> },
    { name: "What", cell: (entry) => <AuditSentence {...{ entry, names, operators }} /> },
    {
      name: "Changes",
      cell: ({ changes, reason }) => (
        <ul>
          {changes.map((change) => (
            <li key={change.field} class="breaks">
              {changeText(change, names)}
            </li>
          ))}
          {reason !== undefined && <li class="breaks">Reason: {reason}</li>}
        </ul>
      ),
    },
    { name: "Address", cell: ({ address }) => <span class="soft">{address}</span> },
  ];
  return (
    <Table
      saved={{ name: "audit", readPage }}
      caption="Changes and reveals, newest first"
      columns={columns}
      rows={entries}
      keyOf={({ auditId }) => auditId}
    />
  );
}
