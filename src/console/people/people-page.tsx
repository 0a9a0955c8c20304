import { useLocation } from "preact-iso";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { PeopleFilters } from "./people-filters.tsx";
import { PeopleTable } from "./people-table.tsx";
import { filterOf, peopleAddress } from "./person-filter.ts";

/** The candidates, the newest first. */
export function PeoplePage() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const isFiltered = Object.keys(filter).length > 0;
  const pages = usePages(
    `people ${JSON.stringify(filter)}`,
    (cursor) => ask(api.listCandidates({ params: { query: { ...filter, ...(cursor && { cursor }) } } })),
    ({ type }) => type === "import",
  );
  return (
    <>
      <PageHead title="People" />
      <PeopleFilters filter={filter} onFilter={(wanted) => route(peopleAddress(wanted), true)} />
      <Shown query={pages} lines={12}>
        {(people) =>
          people.length === 0 ? <NoPeople isFiltered={isFiltered} /> : <PeopleTable people={people} />
        }
      </Shown>
      <More pages={pages} />
    </>
  );
}

function NoPeople({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No person matches the filters">
        <p>
          Change the filters, or <a href="/console/people">show all people</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No people yet">
      <p>
        Candidates are added by the platform's sign-up or by a registry import of an{" "}
        <a href="/console/integrations">integration</a>.
      </p>
    </Empty>
  );
}
