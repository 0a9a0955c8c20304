import type { ReplayPreview } from "../../../generated/operations/types.ts";
import { outcomeText } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { type ChangeText, changeTexts } from "./change-text.ts";
import { EventBadge } from "./event-badge.tsx";

interface Props {
  preview: ReplayPreview;
  /** IANA zone of the workplace. */
  zone: string | undefined;
}

/** The result of the dry run, which changes nothing. */
export function PreviewShown({ preview: { status, verdict, changes }, zone }: Props) {
  const names = useNames();
  const nameOf = (field: string, id: string) => {
    if (field === "workplaceId") return names.workplace(id)?.name;
    return field === "competenceId" ? names.competence(id)?.name : undefined;
  };
  const texts = changeTexts(changes, { zone, nameOf });
  return (
    <div class="replay-preview stack" role="status">
      <p>
        <strong>Result of a replay:</strong> <EventBadge status={status} attempts={0} />{" "}
        {outcomeText(verdict)}
      </p>
      {texts.length === 0 ? <p class="soft">The job would not change.</p> : <ChangeTable changes={texts} />}
    </div>
  );
}

function ChangeTable({ changes }: { changes: ChangeText[] }) {
  return (
    <table class="cards">
      <caption class="unseen">Changes of the job by a replay</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Now</th>
          <th scope="col">After a replay</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, from, to }) => (
          <tr key={field}>
            <td data-label="Field">{field}</td>
            <td data-label="Now">{from}</td>
            <td data-label="After a replay">{to}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
