import { useState } from "preact/hooks";
import type { Candidate } from "../../../generated/operations/types.ts";
import { Badge } from "../components/badge.tsx";
import type { Column } from "../components/cells.tsx";
import { anyText, oneOf } from "../components/filter.ts";
import {
  CompetenceFilter,
  FilterForm,
  OrganisationFilter,
  SelectFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Empty } from "../components/query-view.tsx";
import { Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, type Names, useNames } from "../data/names.ts";
import type { ReadPage } from "../data/pages.ts";
import { fullName, validFor } from "../data/person-name.ts";
import { usePages } from "../data/use-pages.ts";
import { may } from "../session/me.ts";
import { AddPerson } from "./add-person.tsx";
import { CompetenceOfMany } from "./competence-of-many.tsx";
import { ReleaseMany } from "./release-many.tsx";

/** `search` is a part of the name. */
const FILTER = {
  search: anyText,
  competenceId: anyText,
  providerId: anyText,
  state: oneOf(["unreleased", "conflicting"]),
};

const STATES = [
  ["unreleased", "Only in a registry, not released"],
  ["conflicting", "With conflicts"],
] as const;

/** The candidates, newest first. */
export function PeoplePage() {
  const { filter, set, ...filtering } = useFilter("/console/people", FILTER);
  const pages = usePages(
    `people ${JSON.stringify(filter)}`,
    (page) => ask(api.listCandidates({ params: { query: { ...filter, ...page } } })),
    ({ type }) => type === "import",
  );
  const { providerId } = filter;
  const isReleasing = may("releaseCandidates") && providerId !== undefined && filter.state === "unreleased";
  return (
    <>
      <PageHead title="People">
        {may("createCandidate") && <AddPerson />}
        {may("importCandidates") && <a href="/console/people/import">Import a file …</a>}
      </PageHead>
      <FilterForm {...filtering}>
        <TextFilter name="Name" value={filter.search} onChange={set("search")} />
        <CompetenceFilter value={filter.competenceId} onChange={set("competenceId")} />
        <SelectFilter name="Sources" value={filter.state} options={STATES} onChange={set("state")} />
        <OrganisationFilter value={providerId} onChange={set("providerId")} />
      </FilterForm>
      <PagedList {...{ pages, ...filtering }} one="person" empty={<NoPeople />}>
        {(people) =>
          may("setCompetence") ? (
            <Choosable
              key={`${providerId} ${isReleasing}`}
              {...{ people, providerId, isReleasing }}
              readPage={pages.readPage}
              reload={pages.reload}
            />
          ) : (
            <PeopleTable {...{ people, providerId }} readPage={pages.readPage} />
          )
        }
      </PagedList>
    </>
  );
}

function NoPeople() {
  return (
    <Empty title="No people yet">
      <p>
        Add a person, or import the registry of an <a href="/console/integrations">integration</a>.
      </p>
    </Empty>
  );
}

interface ChoosableProps {
  people: Candidate[];
  providerId: string | undefined;
  /** They are the people of a registry who wait for a release. */
  isReleasing: boolean;
  readPage: ReadPage<Candidate>;
  reload(): void;
}

/** The people, and a choice of them. */
function Choosable({ people, providerId, isReleasing, reload, readPage }: ChoosableProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const mayBe = people.filter(({ conflicts }) => !isReleasing || conflicts.length === 0);
  const those = mayBe.filter(({ candidateId }) => chosen.has(candidateId));
  const onDone = () => {
    setChosen(new Set());
    reload();
  };
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen(
      isChosen ? new Set([...chosen, ...ids]) : new Set([...chosen].filter((id) => !ids.includes(id))),
    );
  const choice: Column<Candidate> = {
    name: "Choice",
    isActions: true,
    cell: (person) => (
      <input
        type="checkbox"
        aria-label={`Choose ${nameIn(person, providerId)}, ${person.personalNumber}`}
        checked={chosen.has(person.candidateId)}
        disabled={isReleasing && person.conflicts.length > 0}
        onChange={(event) => choose([person.candidateId], event.currentTarget.checked)}
      />
    ),
  };
  return (
    <>
      <p class="row">
        <button
          type="button"
          onClick={() =>
            choose(
              mayBe.map(({ candidateId }) => candidateId),
              true,
            )
          }
        >
          Choose all shown
        </button>
        {those.length > 0 && <CompetenceOfMany people={those} onChanged={onDone} />}
      </p>
      {isReleasing && providerId !== undefined && (
        <ReleaseMany {...{ providerId }} people={those} onReleased={onDone} />
      )}
      <PeopleTable {...{ people, providerId, readPage }} first={[choice]} />
    </>
  );
}

interface TableProps {
  people: Candidate[];
  /** The organisation whose people are listed. */
  providerId: string | undefined;
  readPage: ReadPage<Candidate>;
  first?: Column<Candidate>[];
}

function PeopleTable({ people, providerId, readPage, first = [] }: TableProps) {
  const names = useNames();
  const columns: Column<Candidate>[] = [
    ...first,
    {
      name: "Name",
      cell: (person) => (
        <>
          <a href={`/console/people/${person.candidateId}`}>{nameIn(person, providerId)}</a>{" "}
          {person.conflicts.length > 0 && <Badge tone="warn">sources differ</Badge>}
        </>
      ),
    },
    { name: "Personal number", cell: ({ personalNumber }) => personalNumber },
    { name: "Employee number", cell: ({ employeeNumber }) => employeeNumber },
    { name: "Competences", cell: (person) => competencesOf(person, names) },
    { name: "Valid for", cell: (person) => validityOf(person, names) },
  ];
  return (
    <Table
      saved={{ name: "people", readPage }}
      caption="People, newest first"
      columns={columns}
      rows={people}
      keyOf={({ candidateId }) => candidateId}
    />
  );
}

/** The name in a list of the people of an organisation. */
const nameIn = (person: Candidate, providerId: string | undefined): string =>
  fullName(validFor(person, providerId) ?? person) || "without a name";

/** `Kajen only`. */
function validityOf({ shared, memberships }: Candidate, names: Names): string {
  if (shared) return "every organisation";
  const organisations = memberships.map(
    ({ providerId }) => names.integration(providerId)?.name ?? providerId,
  );
  return `${organisations.join(", ")} only`;
}
