import { useLocation } from "preact-iso";
import type { CandidateCreate } from "../../../generated/operations/types.ts";
import { DialogButton } from "../components/dialog.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { LanguageField, languageIn } from "../components/language-field.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames, useNames } from "../data/names.ts";
import { fullName } from "../data/person-name.ts";
import { useAction } from "../data/use-action.ts";
import { CompetenceField, competencesIn } from "./competence-field.tsx";

/** A button, and the dialog in which a person is added. The page of the person follows. */
export function AddPerson() {
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
