import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { entryOf, issueText, subjectText } from "../../contract/operator-text.ts";
import { Badge } from "../components/badge.tsx";
import { CodeSpans } from "../components/code-spans.tsx";
import { Resend } from "../components/resend.tsx";
import { ShortId } from "../components/short-id.tsx";
import { Time } from "../components/time.tsx";
import { useNames } from "../data/names.ts";
import { fullName, validFor } from "../data/person-name.ts";
import { eventsAddress } from "../events/event.ts";
import { URGENCIES, urgencyOf } from "./issues.ts";
import { Resolve } from "./resolve.tsx";

interface Props {
  issue: Issue;
  /** The job of the shift that the issue is about. */
  jobId: string | undefined;
  onResolved(): void;
}

/** An issue with its remedy, links, and the button that resolves it. */
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
            About <About issue={issue} /> · <Occurrences issue={issue} />
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
function About({ issue: { subject, providerId } }: { issue: Issue }) {
  const { kind, shiftId, candidateId } = subject;
  if (kind === "shift" && shiftId !== undefined) return <ShiftName shiftId={shiftId} />;
  if (kind === "booking" && shiftId !== undefined && candidateId !== undefined) {
    return (
      <>
        <CandidateName {...{ candidateId, providerId }} /> on <ShiftName shiftId={shiftId} />
      </>
    );
  }
  if (kind === "notification" && candidateId !== undefined) {
    return (
      <>
        a notification to <CandidateName {...{ candidateId, providerId }} />
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

interface NameProps {
  candidateId: string;
  /** The organisation whose name of the person is shown. */
  providerId: string | undefined;
}

function CandidateName({ candidateId, providerId }: NameProps) {
  const candidate = validFor(useNames().candidate(candidateId), providerId);
  if (candidate) return <>{fullName(candidate)}</>;
  return (
    <>
      candidate <ShortId id={candidateId} />
    </>
  );
}

function Occurrences({ issue: { count, firstAt, lastAt } }: { issue: Issue }) {
  if (count === 1) return <Time at={lastAt} />;
  return (
    <span>
      {count} times, first <Time at={firstAt} />, last <Time at={lastAt} />
    </span>
  );
}

interface Place {
  name: string;
  /** A section of the page of the integration. */
  section?: string;
}

const ORGANISATION: Place = { name: "Organisation" };
const MAPPING: Place = { name: "Mapping", section: "mapping" };
const HEALTH: Place = { name: "Provider health", section: "health" };
const TOKENS: Place = { name: "Tokens", section: "tokens" };
const CHECK: Place = { name: "Provider check", section: "check" };

/** The section in which an operator acts on an issue; all others are handled on the page of the integration. */
const PLACES: Partial<Record<IssueCode, Place>> = {
  outlet_not_mapped: MAPPING,
  role_not_mapped: MAPPING,
  provider_down: HEALTH,
  provider_implausible: HEALTH,
  route_missing: HEALTH,
  mass_disappearance: HEALTH,
  token_rejected: TOKENS,
  provider_check: CHECK,
  provider_check_failed: CHECK,
};

/** Links to the cause of the issue, and to the page where it is fixed. */
function IssueLinks({ issue, jobId }: Omit<Props, "onResolved">) {
  const { code, providerId, subject, params, traceId } = issue;
  const { name, section } = entryOf(PLACES, code) ?? ORGANISATION;
  const { shiftId } = subject;
  const links = [
    providerId !== undefined && {
      href: `/console/integrations/${providerId}${section === undefined ? "" : `#${section}`}`,
      name,
    },
    jobId !== undefined && { href: `/console/jobs/${jobId}`, name: "Job" },
    params.otherJobId !== undefined && { href: `/console/jobs/${params.otherJobId}`, name: "Other job" },
    traceId !== undefined && { href: eventsAddress({ traceId }), name: "Events of the trace" },
    shiftId !== undefined && {
      href: eventsAddress({ shiftId, ...(providerId !== undefined && { providerId }) }),
      name: "Events of the shift",
    },
  ].filter((link) => link !== false);
  return (
    <ul class="row">
      {links.map((link) => (
        <li key={link.name}>
          <a href={link.href}>{link.name}</a>
        </li>
      ))}
    </ul>
  );
}
