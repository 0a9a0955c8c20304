import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Candidate, CandidateChange, RevealedCandidate } from "../../../generated/operations/types.ts";
import { Facts } from "../components/cells.tsx";
import { ConfirmedAction, DialogButton, Focused } from "../components/dialog.tsx";
import { Form, FormField, LanguageField, languageIn, textIn } from "../components/form.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { fullName, reloadNames, useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { CompetenceField, competencesIn } from "./many.tsx";

interface ChangeProps {
  person: Candidate;
  onChanged(): void;
}

/** Changes the contact details of a person. */
export function ChangeContact({ person, onChanged }: ChangeProps) {
  return (
    <DialogButton label="Edit …" title={`Edit ${fullName(person)}`} onDone={onChanged}>
      {(done) => <ContactForm person={person} onChanged={done} />}
    </DialogButton>
  );
}

/** Changes the competences of a person: a dialog of its own, because its list replaces what registries assert. */
export function ChangeCompetences({ person, onChanged }: ChangeProps) {
  const title = `Competences of ${fullName(person)}`;
  return (
    <DialogButton label="Competences …" title={title} onDone={onChanged}>
      {(done) => <CompetencesForm person={person} onChanged={done} />}
    </DialogButton>
  );
}

function useChange({ person, onChanged }: ChangeProps) {
  return useAction(async (body: CandidateChange) => {
    await ask(api.changeCandidate({ params: { path: { candidateId: person.candidateId } }, body }));
    void reloadNames();
    onChanged();
    return `${fullName(person)} is saved.`;
  });
}

function ContactForm(props: ChangeProps) {
  const action = useChange(props);
  return (
    <Form
      action={action}
      fields={["email", "phone", "employeeNumber"]}
      submit="Save the changes"
      onSubmit={(given) => void action.run(contactIn(given))}
    >
      <FormField name="email" label="E-mail" hint="Leave it empty to keep the stored one." />
      <FormField name="phone" label="Phone" hint="Leave it empty to keep the stored one." />
      <FormField
        name="employeeNumber"
        label="Employee number"
        maxLength={40}
        defaultValue={props.person.employeeNumber ?? ""}
        hint="The company's own, which keeps namesakes apart."
      />
      <LanguageField chosen={props.person.language} otherwise="That of the organisation" />
      <p class="hint">Notifications of every organisation go to this address. Providers are not informed.</p>
    </Form>
  );
}

function contactIn(given: FormData): CandidateChange {
  const [email, phone] = [textIn(given, "email"), textIn(given, "phone")];
  const employeeNumber = textIn(given, "employeeNumber");
  const language = languageIn(given);
  return {
    ...(email && { email }),
    ...(phone && { phone }),
    ...(language && { language }),
    employeeNumber,
  } as CandidateChange;
}

function CompetencesForm(props: ChangeProps) {
  const { person } = props;
  const names = useNames();
  const action = useChange(props);
  // Without the list, saving would remove every competence.
  if (!names.areLoaded) return <p class="soft">Loading</p>;
  return (
    <Form
      action={action}
      fields={[]}
      submit="Save the competences"
      onSubmit={(given) => void action.run({ competenceIds: competencesIn(given) })}
    >
      <CompetenceField
        isChosen={(competenceId) => person.competenceIds.includes(competenceId)}
        aside={(competenceId) => <AssertedBy {...{ person, competenceId }} />}
      />
      <p class="hint">
        The list is the company's, and replaces what registries assert. Open jobs that need a new competence
        are offered to the person. Bookings stay. Providers are not informed.
      </p>
    </Form>
  );
}

/** `by the registry of Kajen`. */
function AssertedBy({ person, competenceId }: { person: Candidate; competenceId: string }) {
  const names = useNames();
  const by = person.memberships.filter(({ competenceIds }) => competenceIds.includes(competenceId));
  if (by.length === 0) return null;
  const organisations = by.map(({ providerId }) => names.integration(providerId)?.name ?? providerId);
  return <span class="soft">by the registry of {organisations.join(", ")}</span>;
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

function PersonalData({ memberships, ...person }: RevealedCandidate) {
  const names = useNames();
  const { personalNumber, firstName, lastName, email, phone } = person;
  const contact = { "E-mail": email || "none", Phone: phone || "none" };
  return (
    <Focused>
      <Facts of={{ "Personal number": personalNumber, Name: `${firstName} ${lastName}`, ...contact }} />
      {memberships.map(({ providerId, ...asserted }) => (
        <section key={providerId}>
          <h3>Registry of {names.integration(providerId)?.name ?? providerId}</h3>
          <Facts
            of={{
              Name: fullName(asserted),
              "E-mail": asserted.email || "none",
              Phone: asserted.phone || "none",
            }}
          />
        </section>
      ))}
    </Focused>
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
