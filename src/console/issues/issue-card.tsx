import type { Issue } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { fullName, useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Badge } from "../parts/badge.tsx";
import { ShortId } from "../parts/short-id.tsx";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { IssueLinks } from "./issue-links.tsx";
import { readSubject } from "./issue-subject.ts";
import { URGENCIES, wordsOf } from "./issue-words.ts";

interface Props {
  issue: Issue;
  /** Of the shift that it is about. */
  jobId: string | undefined;
  onResolved(): void;
}

/** What happened, what to do, where to look, and to close it. */
export function IssueCard({ issue, jobId, onResolved }: Props) {
  const { title, urgency } = wordsOf(issue.code);
  const { name, tone } = URGENCIES[urgency];
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
          <p class="issue-detail">{issue.detail}</p>
          <p class="hint">
            <About subject={issue.subject} /> · <HowOften issue={issue} />
          </p>
        </div>
        <p class="issue-remedy">
          <strong>What to do</strong> <Remedy text={issue.remedy} />
        </p>
        <footer class="row">
          <IssueLinks issue={issue} jobId={jobId} />
          <Resolve issueId={issue.issueId} title={title} onResolved={onResolved} />
        </footer>
      </article>
    </li>
  );
}

function About({ subject }: { subject: string }) {
  const names = useNames();
  const { kind, shiftId, candidateId } = readSubject(subject);
  if (shiftId === undefined) return <span>About {kind}</span>;
  const candidate = candidateId === undefined ? undefined : names.candidate(candidateId);
  return (
    <span>
      About shift <ShortId id={shiftId} />
      {candidateId !== undefined && (
        <> and {candidate ? fullName(candidate) : <ShortId id={candidateId} />}</>
      )}
    </span>
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

/** What stands between backticks is a call or a name. */
function Remedy({ text }: { text: string }) {
  return (
    <>{text.split("`").map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>
  );
}

interface ResolveProps {
  issueId: string;
  title: string;
  onResolved(): void;
}

function Resolve({ issueId, title, onResolved }: ResolveProps) {
  const { run, isRunning, trouble } = useAction(async () => {
    await ask(api.resolveIssue({ params: { path: { issueId } } }));
    onResolved();
    return "Resolved. It comes back if its cause is still there.";
  });
  return (
    <>
      <button type="button" class="push" aria-busy={isRunning} onClick={() => void run()}>
        Resolve<span class="unseen">: {title}</span>
      </button>
      {trouble && <TroubleBox trouble={trouble} />}
    </>
  );
}
