import type { Column } from "../components/cells.tsx";
import { anyText, FilterForm, TextFilter, useFilter, Views } from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { reloadNames, useNames } from "../data/names.ts";
import { usePages } from "../data/pages.ts";
import { may } from "../session/me.ts";
import { EditEntry } from "./edit-entry.tsx";
import { COMPETENCES, type Entry, type Kind, WORKPLACES } from "./kinds.ts";

/** The workplaces, to which outlets are mapped. */
export const WorkplacesPage = () => <CataloguePage key="workplaces" kind={WORKPLACES} />;

/** The competences, to which roles are mapped. */
export const CompetencesPage = () => <CataloguePage key="competences" kind={COMPETENCES} />;

const VIEWS = [WORKPLACES, COMPETENCES].map(({ title: name, path }) => ({ name, path }));
const FILTER = { search: anyText };

function CataloguePage({ kind }: { kind: Kind }) {
  const { filter, set, ...filtering } = useFilter(kind.path, FILTER);
  const pages = usePages(
    `${kind.path} ${filter.search}`,
    (page) => kind.list({ ...filter, ...page }),
    ({ type }) => type === "integration",
  );
  const reload = () => {
    pages.reload();
    void reloadNames();
  };
  return (
    <>
      <PageHead title={kind.title}>
        <Views views={VIEWS} />
        {may(kind.operations.add) && <EditEntry kind={kind} onSaved={reload} />}
      </PageHead>
      <FilterForm {...filtering}>
        <TextFilter name="Name" value={filter.search} onChange={set("search")} />
      </FilterForm>
      <PagedList {...{ pages, ...filtering }} one={kind.one} lines={8} empty={<NoEntries {...kind} />}>
        {(entries) => (
          <Table
            saved={{ name: kind.title.toLowerCase(), readPage: pages.readPage }}
            caption={`${kind.title}, newest first`}
            columns={columnsOf(kind, reload)}
            rows={entries}
            keyOf={({ id }) => id}
          />
        )}
      </PagedList>
    </>
  );
}

function NoEntries({ one, mapped }: Kind) {
  return (
    <Empty title={`No ${one} yet`}>
      <p>
        {mapped} of providers are mapped to it. Add one here, or while you map an{" "}
        <a href="/console/integrations">integration</a>.
      </p>
    </Empty>
  );
}

function columnsOf(kind: Kind, reload: () => void): Column<Entry>[] {
  const { people } = kind;
  return [
    { name: "Name", cell: ({ name }) => name },
    ...(kind.hasAddress ? [{ name: "Address", cell: ({ address }: Entry) => address }] : []),
    { name: kind.mapped, cell: (entry) => <Mapped {...entry} /> },
    ...(people
      ? [{ name: "People", cell: (entry: Entry) => <PeopleLink {...entry} people={people} /> }]
      : []),
    ...(may(kind.operations.change)
      ? [
          {
            name: "Actions",
            isActions: true,
            cell: (entry: Entry) => <EditEntry kind={kind} entry={entry} onSaved={reload} />,
          },
        ]
      : []),
  ];
}

function PeopleLink({ id, name, people }: Entry & Pick<Required<Kind>, "people">) {
  return (
    <a href={people(id)}>
      People<span class="visually-hidden"> with {name}</span>
    </a>
  );
}

/** Links to the mappings, where they can be changed. */
function Mapped({ mapped, mappedCount }: Entry) {
  const { integration } = useNames();
  if (mappedCount === 0) return <span class="soft">none</span>;
  return (
    <ul>
      {mapped.map(({ providerId, id, name }) => (
        <li key={`${providerId} ${id}`}>
          <a href={`/console/integrations/${providerId}#mapping`}>{name}</a>{" "}
          <span class="soft">{integration(providerId)?.name ?? providerId}</span>
        </li>
      ))}
      {mappedCount > mapped.length && <li class="soft">and {mappedCount - mapped.length} more</li>}
    </ul>
  );
}
