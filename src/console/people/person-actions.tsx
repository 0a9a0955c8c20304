import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type {
  Candidate,
  CandidateChange,
  Integration,
  RevealedCandidate,
} from "../../../generated/operations/types.ts";
import { ConfirmedAction, DialogButton } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Focused } from "../components/focused.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { fullName, reloadNames, useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";

interface ChangeProps {
  person: Candidate;
  onChanged(): void;
}

/** Changes the contact details and the competences of a person. */
export function ChangePerson({ person, onChanged }: ChangeProps) {
  return (
    <DialogButton label="Edit …" title={`Edit ${fullName(person)}`} onDone={onChanged}>
      {(done) => <ChangeForm person={person} onChanged={done} />}
    </DialogButton>
  );
}

function ChangeForm({ person, onChanged }: ChangeProps) {
  const { competences, areLoaded } = useNames();
  const action = useAction(async (body: CandidateChange) => {
    await ask(api.changeCandidate({ params: { path: { candidateId: person.candidateId } }, body }));
    void reloadNames();
    onChanged();
    return `${fullName(person)} is saved.`;
  });
  // Without the list, saving would remove every competence.
  if (!areLoaded) return <p class="soft">Loading</p>;
  return (
    <Form
      action={action}
      fields={["email", "phone"]}
      submit="Save the changes"
      onSubmit={(given) => void action.run(changeIn(given))}
    >
      <FormField name="email" label="E-mail" hint="Leave it empty to keep the stored one." />
      <FormField name="phone" label="Phone" hint="Leave it empty to keep the stored one." />
      <fieldset class="choices">
        <legend>Competences</legend>
        {competences.map(({ competenceId, name }) => (
          <label key={competenceId}>
            <input
              type="checkbox"
              name="competenceIds"
              value={competenceId}
              defaultChecked={person.competenceIds.includes(competenceId)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <p class="hint">
        Open jobs that need a new competence are offered to the person. Bookings stay. Providers are not
        informed.
      </p>
    </Form>
  );
}

function changeIn(given: FormData): CandidateChange {
  const [email, phone] = [textIn(given, "email"), textIn(given, "phone")];
  return {
    ...(email && { email }),
    ...(phone && { phone }),
    competenceIds: given.getAll("competenceIds").map(String),
  };
}

/** Shows personal data without masks, as long as the dialog is open. */
export function Reveal({ candidateId }: { candidateId: string }) {
  return (
    <DialogButton label="Reveal …" title="Reveal personal data" tone="push">
      {() => <RevealForm candidateId={candidateId} />}
    </DialogButton>
  );
}

function RevealForm({ candidateId }: { candidateId: string }) {
  const [revealed, setRevealed] = useState<RevealedCandidate>();
  const reveal = useAction(async (reason: string) => {
    setRevealed(await ask(api.revealCandidate({ params: { path: { candidateId } }, body: { reason } })));
  });
  if (revealed) return <PersonalData {...revealed} />;
  return (
    <Form
      action={reveal}
      fields={["reason"]}
      submit="Reveal"
      onSubmit={(given) => void reveal.run(textIn(given, "reason"))}
    >
      <FormField
        name="reason"
        label="Reason"
        required
        hint="The reveal is recorded in the audit log with your name and this reason."
      />
    </Form>
  );
}

function PersonalData({ personalNumber, firstName, lastName, email, phone }: RevealedCandidate) {
  return (
    <Focused>
      <Facts
        of={{
          "Personal number": personalNumber,
          Name: `${firstName} ${lastName}`,
          "E-mail": email,
          Phone: phone,
        }}
      />
    </Focused>
  );
}

interface ReleaseProps {
  person: Candidate;
  /** Whose registry names the person. */
  organisation: Pick<Integration, "providerId" | "name">;
  onReleased(): void;
}

/** Makes what a registry says about a person valid for every organisation, after a confirmation. */
export function Release({ person, organisation, onReleased }: ReleaseProps) {
  const name = fullName(person) || "this person";
  const release = async () => {
    const params = { path: { candidateId: person.candidateId } };
    await ask(api.releaseCandidate({ params, body: { providerId: organisation.providerId } }));
    void reloadNames();
    onReleased();
    return `${name} is released.`;
  };
  return (
    <ConfirmedAction
      label="Release …"
      of={organisation.name}
      title={`Release ${name}?`}
      confirm={`Release ${name}`}
      act={release}
      focusAfter="registries"
    >
      <p>
        What the registry of {organisation.name} says about the person becomes valid for every organisation:
        the competences, and the name and the contact details where the platform has none of its own. Open
        jobs of every organisation are offered to the person.
      </p>
      <p>A release cannot be taken back. Release only people whom you know.</p>
    </ConfirmedAction>
  );
}

/** Erases a person after a confirmation. */
export function Erase({ person }: { person: Candidate }) {
  const { route } = useLocation();
  const name = fullName(person) || "this person";
  const erase = async () => {
    await ask(api.eraseCandidate({ params: { path: { candidateId: person.candidateId } } }));
    route("/console/people", true);
    return "The person is erased.";
  };
  return (
    <ConfirmedAction
      label="Erase …"
      title={`Erase ${name}?`}
      confirm={`Erase ${name}`}
      act={erase}
      focusAfter="main"
    >
      <p>
        The name, the personal number, the contact details, and the notifications are deleted everywhere on
        the platform. Past bookings stay without a name. This cannot be undone.
      </p>
      <p>
        A person who is booked for a shift that has not ended cannot be erased: withdraw the booking first.
      </p>
    </ConfirmedAction>
  );
}
