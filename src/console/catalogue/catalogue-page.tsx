import { useLocation } from "preact-iso";
import { readNamesAgain } from "../data/names.ts";
import { usePages } from "../data/use-pages.ts";
import { addressWith } from "../parts/address.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { TextFilter } from "../parts/text-filter.tsx";
import { Views } from "../parts/views.tsx";
import { may } from "../session/me.ts";
import { EditEntry } from "./edit-entry.tsx";
import { EntryTable } from "./entry-table.tsx";
import { COMPETENCES, type Kind, WORKPLACES } from "./kinds.ts";

/** What outlets are mapped to. */
export const WorkplacesPage = () => <CataloguePage key="workplaces" kind={WORKPLACES} />;

/** What roles are mapped to, and people have. */
export const CompetencesPage = () => <CataloguePage key="competences" kind={COMPETENCES} />;

const VIEWS = [WORKPLACES, COMPETENCES].map(({ title: name, path }) => ({ name, path }));

function CataloguePage({ kind }: { kind: Kind }) {
  const { query, route } = useLocation();
  const search = query.search?.trim() ?? "";
  const pages = usePages(
    `${kind.path} ${search}`,
    (cursor) => kind.list({ ...(search && { search }), ...(cursor && { cursor }) }),
    ({ type }) => type === "integration",
  );
  const reload = () => {
    pages.reload();
    void readNamesAgain();
  };
  return (
    <>
      <PageHead title={kind.title}>
        <Views views={VIEWS} />
        {may("operator") && <EditEntry kind={kind} onSaved={reload} />}
      </PageHead>
      <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter
          name="Name"
          value={search}
          onGiven={(wanted) => route(addressWith(kind.path, { search: wanted }), true)}
        />
        {search && <a href={kind.path}>Show all</a>}
      </form>
      <Shown query={pages} lines={8}>
        {(entries) =>
          entries.length === 0 ? (
            <Nothing kind={kind} isFiltered={search !== ""} />
          ) : (
            <EntryTable kind={kind} entries={entries} onSaved={reload} />
          )
        }
      </Shown>
      <More pages={pages} />
    </>
  );
}

function Nothing({ kind: { one, path, mapped }, isFiltered }: { kind: Kind; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title={`No ${one} has such a name`}>
        <p>
          Change the filter, or <a href={path}>show all</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title={`No ${one} yet`}>
      <p>
        {mapped} of providers are mapped to it. Add one here, or while you map an{" "}
        <a href="/console/integrations">integration</a>.
      </p>
    </Empty>
  );
}
