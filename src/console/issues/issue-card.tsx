import type { Issue, Subject } from "../../../generated/operations/types.ts";
import { issueText, subjectText } from "../../contract/operator-text.ts";
import { fullName, useNames } from "../data/names.ts";
import { Badge } from "../parts/badge.tsx";
import { CodeSpans } from "../parts/code-spans.tsx";
import { Resend } from "../parts/resend.tsx";
import { ShortId } from "../parts/short-id.tsx";
import { Time } from "../parts/time.tsx";
import { IssueLinks } from "./issue-links.tsx";
import { Resolve } from "./resolve.tsx";
import { URGENCIES, urgencyOf } from "./urgency.ts";

interface Props {
  issue: Issue;
  /** The job of the shift that the issue is about. */
  jobId: string | undefined;
  onResolved(): void;
}

/** What happened, what to do, where to do it, and the button that closes the issue. */
export function IssueCard({ issue, jobId, onResolved }: Props) {
  const { title, detail, remedy } = issueText(issue);
  const { notificationId } = issue.subject;
  const { name, tone } = URGENCIES[urgencyOf(issue.code)];
  const heading = `issue-${issue.issueId}`;
  return (
    <li class="issue">
      <article aria-labelledby={heading} class="stack">
        <header class="row">
          <h3 id={heading}>{title}</h3>
          <Badge tone={tone}>{name}</Badge>
          <code class="soft">{issue.code}</code>
        </header>
        <div>
          <p class="issue-detail">{detail}</p>
          <p class="hint">
            About <About subject={issue.subject} /> · <HowOften issue={issue} />
          </p>
        </div>
        {remedy !== "" && (
          <p class="issue-remedy">
            <strong>What to do</strong> <CodeSpans text={remedy} />
          </p>
        )}
        <footer class="row">
          <IssueLinks issue={issue} jobId={jobId} />
          {notificationId !== undefined && <Resend notificationId={notificationId} of={title} />}
          <Resolve issue={issue} title={title} onResolved={onResolved} />
        </footer>
      </article>
    </li>
  );
}

/** The subject, with short ids and the name of the candidate. */
function About({ subject }: { subject: Subject }) {
  const { kind, shiftId, candidateId } = subject;
  if (kind === "shift" && shiftId !== undefined) return <ShiftName shiftId={shiftId} />;
  if (kind === "booking" && shiftId !== undefined && candidateId !== undefined) {
    return (
      <>
        <CandidateName candidateId={candidateId} /> on <ShiftName shiftId={shiftId} />
      </>
    );
  }
  if (kind === "notification" && candidateId !== undefined) {
    return (
      <>
        a notification to <CandidateName candidateId={candidateId} />
      </>
    );
  }
  return <>{subjectText(subject)}</>;
}

function ShiftName({ shiftId }: { shiftId: string }) {
  return (
    <>
      shift <ShortId id={shiftId} />
    </>
  );
}

function CandidateName({ candidateId }: { candidateId: string }) {
  const candidate = useNames().candidate(candidateId);
  if (candidate) return <>{fullName(candidate)}</>;
  return (
    <>
      candidate <ShortId id={candidateId} />
    </>
  );
}

function HowOften({ issue: { count, firstAt, lastAt } }: { issue: Issue }) {
  if (count === 1) return <Time at={lastAt} />;
  return (
    <span>
      {count} times, first <Time at={firstAt} />, last <Time at={lastAt} />
    </span>
  );
}
