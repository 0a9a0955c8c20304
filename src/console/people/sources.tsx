import type { ComponentChildren } from "preact";
import type { Candidate, Conflict, Membership } from "../../../generated/operations/types.ts";
import { Badge, type Column } from "../components/cells.tsx";
import { ConfirmedAction } from "../components/dialog.tsx";
import { Section } from "../components/section.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, fullName, reloadNames, useNames } from "../data/names.ts";
import { may } from "../session/me.ts";

interface Props {
  person: Candidate;
  reload(): void;
}

/** What a source asserts about a person. The company's has no organisation. */
type Source = Pick<Candidate, "firstName" | "lastName" | "email" | "phone" | "competenceIds"> &
  Partial<Membership>;

const CONFLICT_NAMES: Record<Conflict, string> = { name: "name", email: "e-mail", phone: "phone" };

/** What the company and each registry assert, side by side. */
export function Sources({ person, reload }: Props) {
  const names = useNames();
  const marked = (what: Conflict, text: string): ComponentChildren => (
    <>
      {text || <span class="soft">none</span>}{" "}
      {text && person.conflicts.includes(what) && <Badge tone="warn">differs</Badge>}
    </>
  );
  const columns: Column<Source>[] = [
    { name: "Source", cell: (source) => <SourceName {...source} /> },
    { name: "Name", cell: (source) => marked("name", fullName(source)) },
    { name: "E-mail", cell: ({ email }) => marked("email", email) },
    { name: "Phone", cell: ({ phone }) => marked("phone", phone) },
    { name: "Competences", cell: (source) => competencesOf(source, names) },
    { name: "Since", cell: ({ since }) => since && <Time at={since} /> },
    { name: "Release", cell: (source) => <ReleaseState {...{ source, person, reload }} /> },
  ];
  return (
    <Section id="sources" title="Sources">
      <p class="soft">
        What the company asserts is valid for every organisation for which the person is. What a registry
        asserts is valid for the shifts of its own organisation, until you release it.
      </p>
      <Table
        caption="What each source asserts about the person"
        columns={columns}
        rows={[...companyOf(person), ...person.memberships]}
        keyOf={({ providerId }) => providerId ?? "company"}
      />
    </Section>
  );
}

/** A person whom only registries name has no name of the company's, and possibly an address that an operator entered. */
function companyOf({ shared, memberships: _, ...person }: Candidate): Source[] {
  if (shared) return [person];
  const { email, phone, competenceIds } = person;
  const isKnown = email !== "" || phone !== "" || competenceIds.length > 0;
  return isKnown ? [{ ...person, firstName: "", lastName: "" }] : [];
}

function SourceName({ providerId }: Source) {
  const names = useNames();
  if (providerId === undefined) return <>The company</>;
  return (
    <a href={`/console/integrations/${providerId}`}>{names.integration(providerId)?.name ?? providerId}</a>
  );
}

function ReleaseState({ source, person, reload }: Props & { source: Source }) {
  const names = useNames();
  const { providerId, released } = source;
  if (providerId === undefined) return null;
  if (released) return <>released</>;
  if (!may("releaseCandidate")) return <>not released</>;
  const organisation = names.integration(providerId)?.name ?? providerId;
  return <Release {...{ source, person, reload, providerId, organisation }} />;
}

interface ReleaseProps extends Props {
  source: Source;
  providerId: string;
  /** Its name. */
  organisation: string;
}

/** Makes what a registry asserts about a person valid for every organisation, after a confirmation. */
function Release({ source, person, reload, providerId, organisation }: ReleaseProps) {
  const names = useNames();
  const name = fullName(source);
  const release = async () => {
    const params = { path: { candidateId: person.candidateId } };
    await ask(api.releaseCandidate({ params, body: { providerId } }));
    void reloadNames();
    reload();
    return `${name} is released.`;
  };
  return (
    <ConfirmedAction
      label="Release …"
      of={organisation}
      title={`Release ${name}?`}
      confirm={`Release ${name}`}
      act={release}
      focusAfter="sources-title"
    >
      <p>
        What the registry of {organisation} asserts about the person becomes the company's: the competences (
        {competencesOf(source, names)}), and the name and the contact details where the company has none. Open
        jobs of every organisation are offered to the person.
      </p>
      {person.conflicts.length > 0 && (
        <p>
          <strong>The sources differ</strong> on:{" "}
          {person.conflicts.map((each) => CONFLICT_NAMES[each]).join(", ")}. Check that they mean the same
          person.
        </p>
      )}
      <p>A release cannot be taken back. Release only people whom you know.</p>
    </ConfirmedAction>
  );
}
