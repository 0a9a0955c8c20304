import type { ComponentChildren } from "preact";
import type { Candidate } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { ConfirmedAction, DialogButton } from "../components/dialog.tsx";
import { Form, RadioField, textIn } from "../components/form.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, reloadNames, useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";

/** The most people of one call. */
const AT_ONCE = 200;

interface Props {
  people: readonly Candidate[];
  onChanged(): void;
}

/** Gives the chosen people a competence, or takes it away. */
export function CompetenceOfMany({ people, onChanged }: Props) {
  const count = counted(people.length, "person", "people");
  return (
    <DialogButton label={`Competence of ${count} …`} title={`A competence of ${count}`} onDone={onChanged}>
      {(done) => <CompetenceForm people={people} onChanged={done} />}
    </DialogButton>
  );
}

const CHANGES = [
  ["give", "They have it"],
  ["take", "They do not have it"],
] as const;

function CompetenceForm({ people, onChanged }: Props) {
  const { competences } = useNames();
  const ids = people.map(({ candidateId }) => candidateId);
  const action = useAction(async (competenceId: string, has: boolean) => {
    let total = 0;
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const body = { candidateIds: ids.slice(from, from + AT_ONCE), competenceId, has };
      total += (await ask(api.setCompetence({ body }))).changed;
    }
    void reloadNames();
    onChanged();
    return `${counted(total, "person is", "people are")} changed.`;
  });
  return (
    <Form
      action={action}
      fields={["competenceId"]}
      submit="Save"
      onSubmit={(given) => void action.run(textIn(given, "competenceId"), textIn(given, "change") === "give")}
    >
      <RadioField
        name="competenceId"
        legend="Competence"
        choices={competences.map(({ competenceId, name }) => [competenceId, name] as const)}
        chosen={competences[0]?.competenceId ?? ""}
      />
      <RadioField name="change" legend="From now on" choices={CHANGES} chosen="give" />
      <p class="hint">
        Open jobs that need it are offered to those who get it. Bookings stay. Taken away, it comes back when
        a registry names it again.
      </p>
    </Form>
  );
}

interface CompetenceFieldProps {
  isChosen?(competenceId: string): boolean;
  /** Beside the name of a competence. */
  aside?(competenceId: string): ComponentChildren;
}

/** A choice of competences, as the fields `competenceIds` of its form. */
export function CompetenceField({ isChosen, aside }: CompetenceFieldProps) {
  return (
    <fieldset class="choices">
      <legend>Competences</legend>
      {useNames().competences.map(({ competenceId, name }) => (
        <label key={competenceId}>
          <input
            type="checkbox"
            name="competenceIds"
            value={competenceId}
            defaultChecked={isChosen?.(competenceId) ?? false}
          />
          <span>
            {name} {aside?.(competenceId)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export const competencesIn = (given: FormData): string[] => given.getAll("competenceIds").map(String);

interface ReleaseManyProps {
  /** Those who are chosen. */
  people: readonly Candidate[];
  /** The organisation whose registry names them. */
  providerId: string;
  onReleased(): void;
}

/** Releases many people of a registry, after a confirmation that names the competences that become valid everywhere. */
export function ReleaseMany({ people, providerId, onReleased }: ReleaseManyProps) {
  const names = useNames();
  const organisation = names.integration(providerId)?.name ?? providerId;
  const ids = people.map(({ candidateId }) => candidateId);
  const release = async () => {
    let total = 0;
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const body = { candidateIds: ids.slice(from, from + AT_ONCE) };
      const { released } = await ask(api.releaseCandidates({ params: { path: { providerId } }, body }));
      total += released;
    }
    void reloadNames();
    onReleased();
    return `${counted(total, "person is", "people are")} released.`;
  };
  const asserted = people.flatMap(({ memberships }) =>
    memberships.filter((each) => each.providerId === providerId).flatMap((each) => each.competenceIds),
  );
  const competences = competencesOf({ competenceIds: [...new Set(asserted)] }, names);
  const count = counted(people.length, "person", "people");
  return (
    <div class="stack" id="release" tabIndex={-1}>
      <p class="soft">
        These people are valid for the shifts of {organisation} only. People about whom the sources differ, or
        whom another registry names too, are released one by one, on their page.
      </p>
      <p class="row">
        {people.length > 0 && (
          <ConfirmedAction
            label={`Release ${count} …`}
            title={`Release ${count}?`}
            confirm={`Release ${count}`}
            act={release}
            focusAfter="release"
          >
            <p>
              What the registry of {organisation} asserts about them becomes the company's: their competences
              ({competences}), names and contact details. Open jobs of every organisation are offered to them.
            </p>
            <p>A release cannot be taken back. Release only people whom you know.</p>
          </ConfirmedAction>
        )}
      </p>
    </div>
  );
}
