import type { Job, ProviderPerson } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { ShortId } from "../parts/short-id.tsx";
import { nameOf } from "./labels.ts";

/** The people whom the provider assigned itself. The API lists at most 100 of them. */
export function OwnPeoplePanel({ job: { ownPeople, ownPeopleCount } }: { job: Job }) {
  const unlisted = ownPeopleCount - ownPeople.length;
  return (
    <section class="panel stack" aria-labelledby="own-people-title">
      <h2 id="own-people-title">Assigned by the provider</h2>
      <p class="hint">They take positions. The platform never removes them.</p>
      <ul class="own-people">
        {ownPeople.map((person) => (
          <OwnPerson key={person.providerCandidateId} person={person} />
        ))}
      </ul>
      {unlisted > 0 && <p class="soft">{counted(unlisted, "more person", "more people")}</p>}
    </section>
  );
}

function OwnPerson({ person: { providerCandidateId, candidateId } }: { person: ProviderPerson }) {
  const names = useNames();
  return (
    <li>
      {candidateId === undefined ? (
        <span class="soft">Not a candidate on the platform</span>
      ) : (
        nameOf(candidateId, names)
      )}{" "}
      <span class="soft">
        (<ShortId id={providerCandidateId} />)
      </span>
    </li>
  );
}
