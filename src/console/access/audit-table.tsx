import type { AuditEntry } from "../../../generated/operations/types.ts";
import { ShortId } from "../parts/short-id.tsx";
import { Time } from "../parts/time.tsx";

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <div class="scroll">
      <table class="cards">
        <caption class="unseen">Changes and reveals, newest first</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Operator</th>
            <th scope="col">Operation</th>
            <th scope="col">About</th>
            <th scope="col">Changes</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Row key={entry.auditId} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const { at, operator, address, operation, subjects, changes, reason } = entry;
  return (
    <tr>
      <td data-label="When">
        <Time at={at} exact />
      </td>
      <td data-label="Operator">
        <span>
          {operator.name}
          <br />
          <span class="soft">{address}</span>
        </span>
      </td>
      <td data-label="Operation">
        <code class="breaks">{operation}</code>
      </td>
      <td data-label="About">
        <ul>
          {Object.entries(subjects).map(([name, id]) => (
            <li key={name}>
              <span class="soft">{name}</span> <ShortId id={id} href={PAGES[name]?.(id)} />
            </li>
          ))}
        </ul>
      </td>
      <td data-label="Changes">
        <ul>
          {changes.map((change) => (
            <li key={change.field} class="breaks">
              {changeText(change)}
            </li>
          ))}
          {reason !== undefined && <li class="breaks">Reason: {reason}</li>}
        </ul>
      </td>
    </tr>
  );
}

/** Where an id leads; the others have no page. */
const PAGES: Readonly<Record<string, (id: string) => string>> = {
  candidateId: (id) => `/console/people/${id}`,
  jobId: (id) => `/console/jobs/${id}`,
  providerId: (id) => `/console/integrations/${id}`,
  eventId: (id) => `/console/events/${id}`,
};

/** `name: Kvarteret → Kajen`; the field alone for personal data and secrets. */
function changeText({ field, before, after }: AuditEntry["changes"][number]): string {
  if (before === undefined && after === undefined) return field;
  return `${field}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: AuditEntry["changes"][number]["before"]): string {
  if (value === undefined || value === null) return "none";
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
