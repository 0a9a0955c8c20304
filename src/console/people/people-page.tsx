import type { Candidate } from "../../../generated/operations/types.ts";
import { anyText } from "../components/filter.ts";
import { FilterForm, SelectFilter, TextFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Empty } from "../components/query-view.tsx";
import { type Column, Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, fullName, useNames } from "../data/names.ts";
import { usePages } from "../data/use-pages.ts";

/** `search` is a part of the name. */
const FILTER = { search: anyText, competenceId: anyText };

/** The candidates, newest first. */
export function PeoplePage() {
  const { filter, set, ...filtering } = useFilter("/console/people", FILTER);
  const { competences } = useNames();
  const pages = usePages(
    `people ${JSON.stringify(filter)}`,
    (page) => ask(api.listCandidates({ params: { query: { ...filter, ...page } } })),
    ({ type }) => type === "import",
  );
  return (
    <>
      <PageHead title="People" />
      <FilterForm {...filtering}>
        <TextFilter name="Name" value={filter.search} onChange={set("search")} />
        <SelectFilter
          name="Competence"
          value={filter.competenceId}
          options={competences.map(({ competenceId, name }) => [competenceId, name])}
          onChange={set("competenceId")}
        />
      </FilterForm>
      <PagedList {...{ pages, ...filtering }} one="person" empty={<NoPeople />}>
        {(people) => <PeopleTable people={people} />}
      </PagedList>
    </>
  );
}

function NoPeople() {
  return (
    <Empty title="No people yet">
      <p>
        Candidates are added by the platform's sign-up or by a registry import of an{" "}
        <a href="/console/integrations">integration</a>.
      </p>
    </Empty>
  );
}

function PeopleTable({ people }: { people: Candidate[] }) {
  const names = useNames();
  const columns: Column<Candidate>[] = [
    {
      name: "Name",
      cell: (person) => (
        <a href={`/console/people/${person.candidateId}`}>{fullName(person) || "without a name"}</a>
      ),
    },
    { name: "Personal number", cell: ({ personalNumber }) => personalNumber },
    { name: "Competences", cell: (person) => competencesOf(person, names) },
  ];
  return (
    <Table
      caption="People, newest first"
      columns={columns}
      rows={people}
      keyOf={({ candidateId }) => candidateId}
    />
  );
}
