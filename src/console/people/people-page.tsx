import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Candidate, CandidateCreate } from "../../../generated/operations/types.ts";
import { Badge, type Column } from "../components/cells.tsx";
import { DialogButton } from "../components/dialog.tsx";
import {
  anyText,
  CompetenceFilter,
  FilterForm,
  OrganisationFilter,
  oneOf,
  SelectFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { Form, FormField, LanguageField, languageIn, textIn } from "../components/form.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, fullName, type Names, reloadNames, useNames, validFor } from "../data/names.ts";
import { type ReadPage, usePages } from "../data/pages.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { CompetenceField, CompetenceOfMany, competencesIn, ReleaseMany } from "./many.tsx";

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

/** A button, and the dialog in which a person is added. The page of the person follows. */
function AddPerson() {
  return (
    <DialogButton label="Add a person …" title="Add a person" tone="primary">
      {() => <PersonForm />}
    </DialogButton>
  );
}

const FIELDS = ["personalNumber", "firstName", "lastName", "email", "phone", "employeeNumber"] as const;

function PersonForm() {
  const { route } = useLocation();
  const { areLoaded } = useNames();
  const adding = useAction(async (body: CandidateCreate) => {
    const { candidateId } = await ask(api.createCandidate({ body }));
    void reloadNames();
    route(`/console/people/${candidateId}`);
    return `${fullName(body)} is added.`;
  });
  if (!areLoaded) return <p class="soft">Loading</p>;
  return (
    <Form
      action={adding}
      fields={FIELDS}
      submit="Add the person"
      onSubmit={(given) => void adding.run(personIn(given))}
    >
      <FormField
        name="personalNumber"
        label="Personal number"
        required
        hint="12 digits, as YYYYMMDDXXXX or YYYYMMDD-XXXX. It is stored sealed, and shown masked."
      />
      <FormField name="firstName" label="First name" required maxLength={100} hint="As providers know it." />
      <FormField name="lastName" label="Last name" required maxLength={100} hint="As providers know it." />
      <FormField name="email" label="E-mail" required hint="Offers and changes of shifts are sent there." />
      <FormField name="phone" label="Phone" required hint="With the country code: +46701740605." />
      <FormField
        name="employeeNumber"
        label="Employee number"
        maxLength={40}
        hint="The company's own, which keeps namesakes apart. It may be empty."
      />
      <LanguageField chosen={undefined} otherwise="That of the organisation" />
      <CompetenceField />
      <p class="hint">
        The person is valid for every organisation. Open jobs that need one of the competences are offered at
        once.
      </p>
    </Form>
  );
}

function personIn(given: FormData): CandidateCreate {
  const fields = FIELDS.map((name) => [name, textIn(given, name)]);
  const language = languageIn(given);
  return {
    ...Object.fromEntries(fields),
    ...(language && { language }),
    competenceIds: competencesIn(given),
  } as CandidateCreate;
}
