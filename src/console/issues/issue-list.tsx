import "./issues.css";
import type { ComponentChildren } from "preact";
import type { Issue, IssueHistory } from "../../../generated/operations/types.ts";
import { counted, issueText, subjectText } from "../../contract/operator-text.ts";
import { ShortId } from "../components/cells.tsx";
import { Resend } from "../components/resend.tsx";
import { Section } from "../components/section.tsx";
import { Span, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { nameOf, placeOf, useNames, workOf } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { eventsAddress } from "../events/event.tsx";
import { placeToFix } from "./issues.ts";

/** Issues as lines: what each is about, its links, and its history. */
export function IssueList({
  issues,
  choose,
}: {
  issues: readonly Issue[];
  choose?(issue: Issue): ComponentChildren;
}) {
  return (
    <ul class="stack issue-list">
      {issues.map((issue) => (
        <li key={issue.issueId} class="row">
          {choose?.(issue)}
          <IssueLine issue={issue} />
        </li>
      ))}
    </ul>
  );
}

/** What one issue is about, and what an operator may do about it. */
export function IssueLine({ issue, detail = issueText(issue).detail }: { issue: Issue; detail?: string }) {
  const { subject, snoozedUntil, assignedTo } = issue;
  return (
    <div class="issue-line">
      <p class="issue-detail">{detail}</p>
      <p class="hint">
        <About issue={issue} />
        <Occurrences issue={issue} />
        {assignedTo !== undefined && <> · assigned to {assignedTo}</>}
        {snoozedUntil !== undefined && (
          <>
            {" "}
            · snoozed until <Time at={snoozedUntil} />
          </>
        )}
      </p>
      <div class="row">
        <IssueLinks issue={issue} />
        {subject.notificationId !== undefined && (
          <Resend notificationId={subject.notificationId} of={subjectText(subject)} />
        )}
        <History issue={issue} />
      </div>
    </div>
  );
}

/** The shift by its work, place and time; the candidate by name. An outlet or role is named in the detail. */
function About({ issue: { subject, providerId, job } }: { issue: Issue }) {
  const names = useNames();
  const { kind, shiftId, candidateId } = subject;
  if (kind === "outlet" || kind === "role" || kind === "integration") return null;
  return (
    <>
      {candidateId !== undefined && nameOf(candidateId, names, providerId)}
      {candidateId !== undefined && (job ?? shiftId) !== undefined && ", "}
      {job ? (
        <a href={`/console/jobs/${job.jobId}`}>
          {workOf(job, names)}, {placeOf(job, names)},{" "}
          <Span from={job.startTime} to={job.endTime} zone={names.integration(providerId ?? "")?.timeZone} />
        </a>
      ) : shiftId === undefined ? (
        candidateId === undefined && subjectText(subject)
      ) : (
        <>
          shift <ShortId id={shiftId} />
        </>
      )}{" "}
      ·{" "}
    </>
  );
}

function Occurrences({ issue: { count, firstAt, lastAt, providerId } }: { issue: Issue }) {
  const zone = useNames().integration(providerId ?? "")?.timeZone;
  if (count === 1) return <Time at={lastAt} zone={zone} />;
  return (
    <span>
      {count} times, first <Time at={firstAt} zone={zone} />, last <Time at={lastAt} zone={zone} />
    </span>
  );
}

/** Links to the page where the issue is fixed, and to its cause. */
function IssueLinks({ issue }: { issue: Issue }) {
  const { providerId, subject, params, traceId, waitingJobs } = issue;
  const { shiftId } = subject;
  const links = [
    providerId !== undefined && placeToFix(issue),
    waitingJobs && {
      href: `/console/?providerId=${providerId}&status=blocked_mapping`,
      name: "Waiting jobs",
    },
    params.otherJobId !== undefined && { href: `/console/jobs/${params.otherJobId}`, name: "Other job" },
    traceId !== undefined && { href: eventsAddress({ traceId }), name: "Events of the trace" },
    shiftId !== undefined && {
      href: eventsAddress({ shiftId, ...(providerId !== undefined && { providerId }) }),
      name: "Events of the shift",
    },
  ].filter((link) => link !== false && link !== undefined);
  return (
    <>
      {links.map(({ href, name }) => (
        <a key={name} href={href}>
          {name}
        </a>
      ))}
    </>
  );
}

function History({ issue: { firstAt, history, resolvedAt } }: { issue: Issue }) {
  const closed = resolvedAt !== undefined && !history.some(({ resolved }) => resolved);
  if (history.length === 0 && !closed) return null;
  return (
    <details>
      <summary>History ({counted(history.length + (closed ? 2 : 1), "entry", "entries")})</summary>
      <ol>
        <li>
          <Time at={firstAt} /> raised
        </li>
        {history.map((entry) => (
          <li key={entry.at}>
            <Time at={entry.at} /> {entry.by} <Entry {...entry} />
          </li>
        ))}
        {closed && (
          <li>
            <Time at={resolvedAt} /> closed automatically: its cause was gone
          </li>
        )}
      </ol>
    </details>
  );
}

function Entry({ resolved, assignedTo, snoozedUntil }: IssueHistory) {
  if (resolved) return <>resolved it</>;
  if (assignedTo !== undefined)
    return <>{assignedTo === null ? "assigned it to no one" : `assigned it to ${assignedTo}`}</>;
  if (!snoozedUntil) return <>ended the snooze</>;
  return (
    <>
      snoozed it until <Time at={snoozedUntil} />
    </>
  );
}

/** The open issues of a job: the refusal beside the cancellation that was requested. */
export function JobIssues({ jobId }: { jobId: string }) {
  const { data } = useQuery(
    `issues of job ${jobId}`,
    () => ask(api.listIssues({ params: { query: { jobId } } })),
    ({ type }) => type === "issue",
  );
  if (!data || data.items.length === 0) return null;
  return (
    <Section id="issues" title="Open issues">
      <IssueList issues={data.items} />
    </Section>
  );
}
