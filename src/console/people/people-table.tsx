import type { Candidate } from "../../../generated/operations/types.ts";
import { fullName, useNames } from "../data/names.ts";
import { competencesText } from "./competences-text.ts";

export function PeopleTable({ people }: { people: Candidate[] }) {
  const names = useNames();
  return (
    <table class="cards">
      <caption class="unseen">People, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Personal number</th>
          <th scope="col">Competences</th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <tr key={person.candidateId}>
            <td data-label="Name">
              <a href={`/console/people/${person.candidateId}`}>{fullName(person) || "without a name"}</a>
            </td>
            <td data-label="Personal number">{person.personalNumber}</td>
            <td data-label="Competences">{competencesText(person, names)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
