import { useNames } from "../data/names.ts";
import { may } from "../session/me.ts";
import { EditEntry } from "./edit-entry.tsx";
import type { Entry, Kind } from "./kinds.ts";

interface Props {
  kind: Kind;
  entries: Entry[];
  onSaved(): void;
}

export function EntryTable({ kind, entries, onSaved }: Props) {
  const isEditable = may("operator");
  return (
    <table class="cards">
      <caption class="unseen">{kind.title}, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          {kind.hasAddress && <th scope="col">Address</th>}
          <th scope="col">{kind.mapped}</th>
          {kind.people && <th scope="col">People</th>}
          {isEditable && <th scope="col">Actions</th>}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td data-label="Name">{entry.name}</td>
            {kind.hasAddress && <td data-label="Address">{entry.address}</td>}
            <td data-label={kind.mapped}>
              <Mapped {...entry} />
            </td>
            {kind.people && (
              <td data-label="People">
                <a href={kind.people(entry.id)}>
                  People<span class="unseen"> with {entry.name}</span>
                </a>
              </td>
            )}
            {isEditable && (
              <td data-label="Actions">
                <EditEntry kind={kind} entry={entry} onSaved={onSaved} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Each leads to the mapping where it can be changed. */
function Mapped({ mapped, mappedCount }: Entry) {
  const { integration } = useNames();
  if (mappedCount === 0) return <span class="soft">none</span>;
  return (
    <ul>
      {mapped.map(({ providerId, id, name }) => (
        <li key={`${providerId} ${id}`}>
          <a href={`/console/integrations/${providerId}#mapping`}>{name}</a>{" "}
          <span class="soft">{integration(providerId)?.name ?? providerId}</span>
        </li>
      ))}
      {mappedCount > mapped.length && <li class="soft">and {mappedCount - mapped.length} more</li>}
    </ul>
  );
}
