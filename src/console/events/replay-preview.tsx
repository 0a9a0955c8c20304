import type { ReplayPreview } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { type ChangeInWords, changesInWords } from "./change-words.ts";

interface Props {
  preview: ReplayPreview;
  /** The workplace's. */
  zone: string | undefined;
}

/** What the dry run found: nothing of it is done yet. */
export function PreviewShown({ preview: { verdict, changes }, zone }: Props) {
  const names = useNames();
  const nameOf = (field: string, id: string) => {
    if (field === "workplaceId") return names.workplace(id)?.name;
    return field === "competenceId" ? names.competence(id)?.name : undefined;
  };
  const inWords = changesInWords(changes, { zone, nameOf });
  return (
    <div class="replay-preview stack" role="status">
      <p>
        <strong>What would change:</strong> {verdict}
      </p>
      {inWords.length === 0 ? (
        <p class="soft">Nothing of the job would change.</p>
      ) : (
        <ChangeTable changes={inWords} />
      )}
    </div>
  );
}

function ChangeTable({ changes }: { changes: ChangeInWords[] }) {
  return (
    <table class="cards">
      <caption class="unseen">What a replay would change of the job</caption>
      <thead>
        <tr>
          <th scope="col">Of the job</th>
          <th scope="col">Now</th>
          <th scope="col">After a replay</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, from, to }) => (
          <tr key={field}>
            <td data-label="Of the job">{field}</td>
            <td data-label="Now">{from}</td>
            <td data-label="After a replay">{to}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
