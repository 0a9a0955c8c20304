import type { Candidate } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { ConfirmedAction } from "../components/dialog.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, reloadNames, useNames } from "../data/names.ts";

interface Props {
  /** Those who are chosen. */
  people: readonly Candidate[];
  /** The organisation whose registry names them. */
  providerId: string;
  onReleased(): void;
}

/** The most people of one request. */
const AT_ONCE = 200;

/** Releases many people of a registry, after a confirmation that names the competences that become valid everywhere. */
export function ReleaseMany({ people, providerId, onReleased }: Props) {
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
        These people are valid for the shifts of {organisation} only. People about whom the sources differ are
        released one by one, on their page.
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
