import type { AuditEntry } from "../../../generated/operations/types.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { ActionButton } from "../components/action-button.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { aDay, anyText, type Filter } from "../components/filter.ts";
import { DayFilter, FilterForm, TextFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Empty } from "../components/query-view.tsx";
import { ShortId } from "../components/short-id.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { shownZone } from "../components/zone.ts";
import { api } from "../data/api.ts";
import { download } from "../data/download.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { usePages } from "../data/use-pages.ts";
import { startOf } from "../job/zoned-time.ts";

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
      <PageHead title="Audit log">
        <span class="push" />
        <Export query={query} />
      </PageHead>
      <FilterForm {...filtering}>
        <TextFilter name="Operator" value={filter.operator} onChange={set("operator")} />
        <TextFilter isId name="Operation" value={filter.operation} onChange={set("operation")} />
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
        {(entries) => <AuditTable entries={entries} />}
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

/** Saves every entry that matches the filters. */
function Export({ query }: { query: Readonly<Record<string, string>> }) {
  const save = useAction(async () => {
    await download(`/audit/export?${new URLSearchParams(query)}`, "audit.ndjson");
    return "The export is saved as audit.ndjson.";
  });
  return (
    <>
      <ActionButton action={save} onClick={() => void save.run()}>
        Export
      </ActionButton>
      {save.error && <ErrorBox error={save.error} />}
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: "When", cell: ({ at }) => <Time at={at} exact /> },
  {
    name: "Operator",
    cell: ({ operator, address }) => (
      <>
        {operator.name}
        <br />
        <span class="soft">{address}</span>
      </>
    ),
  },
  { name: "Operation", cell: ({ operation }) => <code class="breaks">{operation}</code> },
  { name: "Subject", cell: ({ subjects }) => <Subjects subjects={subjects} /> },
  { name: "Changes", cell: (entry) => <Changes {...entry} /> },
];

function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <div class="scroll">
      <Table
        caption="Changes and reveals, newest first"
        columns={COLUMNS}
        rows={entries}
        keyOf={({ auditId }) => auditId}
      />
    </div>
  );
}

/** The ids that have a page. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  candidateId: (id) => `/console/people/${id}`,
  jobId: (id) => `/console/jobs/${id}`,
  providerId: (id) => `/console/integrations/${id}`,
  eventId: (id) => `/console/events/${id}`,
};

function Subjects({ subjects }: Pick<AuditEntry, "subjects">) {
  return (
    <ul>
      {Object.entries(subjects).map(([name, id]) => (
        <li key={name}>
          <span class="soft">{name}</span> <ShortId id={id} href={PAGES[name]?.(id)} />
        </li>
      ))}
    </ul>
  );
}

function Changes({ changes, reason }: Pick<AuditEntry, "changes" | "reason">) {
  return (
    <ul>
      {changes.map((change) => (
        <li key={change.field} class="breaks">
          {changeText(change)}
        </li>
      ))}
      {reason !== undefined && <li class="breaks">Reason: {reason}</li>}
    </ul>
  );
}

type Change = AuditEntry["changes"][number];

/** `name: Kvarteret → Kajen`; the field alone for personal data and secrets. */
function changeText({ field, before, after }: Change): string {
  if (before === undefined && after === undefined) return field;
  return `${field}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: Change["before"]): string {
  if (value === undefined || value === null) return "none";
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
