import { useState } from "preact/hooks";
import type { Candidate, CandidateChange } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { fullName, readNamesAgain, useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { fieldFaults } from "../integrations/field-faults.ts";
import { FormField } from "../integrations/form-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

interface Props {
  person: Candidate;
  onChanged(): void;
}

/** Corrects the addresses and the competences of a person. */
export function ChangePerson({ person, onChanged }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Edit …
      </button>
      <Dialog title={`Edit ${fullName(person)}`} isOpen={isOpen} onClose={close}>
        <ChangeForm
          person={person}
          onChanged={() => {
            close();
            onChanged();
          }}
        />
      </Dialog>
    </>
  );
}

function ChangeForm({ person, onChanged }: Props) {
  const { competences, areRead } = useNames();
  const action = useAction(async (body: CandidateChange) => {
    await ask(api.changeCandidate({ params: { path: { candidateId: person.candidateId } }, body }));
    void readNamesAgain();
    onChanged();
    return `${fullName(person)} is saved.`;
  });
  const { of: faults, rest } = fieldFaults(action.trouble, ["email", "phone"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void action.run(changeIn(event.currentTarget as HTMLFormElement));
  };
  // Without the list, saving would remove every competence.
  if (!areRead) return <p class="soft">Loading</p>;
  return (
    <form class="stack" onSubmit={submit} autocomplete="off" noValidate>
      <FormField
        name="email"
        label="E-mail"
        fault={faults.email}
        hint="Leave it empty to keep the stored one."
      />
      <FormField
        name="phone"
        label="Phone"
        fault={faults.phone}
        hint="Leave it empty to keep the stored one."
      />
      <fieldset class="routing">
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
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={action} tone="primary">
          Save the changes
        </ActionButton>
      </p>
    </form>
  );
}

function changeIn(form: HTMLFormElement): CandidateChange {
  const given = new FormData(form);
  const [email, phone] = ["email", "phone"].map((name) => String(given.get(name) ?? "").trim());
  return {
    ...(email && { email }),
    ...(phone && { phone }),
    competenceIds: given.getAll("competenceIds").map(String),
  };
}
