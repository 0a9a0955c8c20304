import type { Candidate } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { DialogButton } from "../components/dialog.tsx";
import { Form, RadioField, textIn } from "../components/form.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames, useNames } from "../data/names.ts";
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
