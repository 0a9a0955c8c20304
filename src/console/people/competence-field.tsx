import type { ComponentChildren } from "preact";
import { useNames } from "../data/names.ts";

interface Props {
  isChosen?(competenceId: string): boolean;
  /** Beside the name of a competence. */
  aside?(competenceId: string): ComponentChildren;
}

/** A choice of competences, as the fields `competenceIds` of its form. */
export function CompetenceField({ isChosen, aside }: Props) {
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
