import type { Issue } from "../../../generated/operations/types.ts";
import { addressOf } from "../events/event-filter.ts";
import { readSubject } from "./issue-subject.ts";
import { wordsOf } from "./issue-words.ts";

interface Props {
  issue: Issue;
  jobId: string | undefined;
}

/** Where to look, or to do something about it. */
export function IssueLinks({ issue: { code, providerId, subject, traceId }, jobId }: Props) {
  const { shiftId } = readSubject(subject);
  const { place = "The organisation" } = wordsOf(code);
  return (
    <ul class="row">
      {providerId !== undefined && (
        <li>
          <a href={`/console/integrations/${providerId}`}>{place}</a>
        </li>
      )}
      {jobId !== undefined && (
        <li>
          <a href={`/console/jobs/${jobId}`}>The job</a>
        </li>
      )}
      {traceId !== undefined && (
        <li>
          <a href={addressOf({ traceId })}>Events of its story</a>
        </li>
      )}
      {shiftId !== undefined && (
        <li>
          <a href={addressOf({ shiftId, ...(providerId !== undefined && { providerId }) })}>
            All events of the shift
          </a>
        </li>
      )}
    </ul>
  );
}
