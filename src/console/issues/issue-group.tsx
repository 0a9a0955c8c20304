import { useState } from "preact/hooks";
import type { Issue, IssueGroup } from "../../../generated/operations/types.ts";
import { counted, issueText } from "../../contract/operator-text.ts";
import { Badge } from "../components/badge.tsx";
import { CodeSpans } from "../components/code-spans.tsx";
import { More } from "../components/paged-list.tsx";
import { QueryView } from "../components/query-view.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { usePages } from "../data/use-pages.ts";
import { may } from "../session/me.ts";
import { IssueActions } from "./issue-actions.tsx";
import { IssueLine, IssueList } from "./issue-list.tsx";
import { type Selection, URGENCIES, urgencyOf } from "./issues.ts";

interface Props {
  group: IssueGroup;
  state: "open" | "snoozed";
  onDone(): void;
}

/** The issues with one cause: what to do about them, and the buttons that change all of them. */
export function GroupCard({ group, state, onDone }: Props) {
  const { providerId, code, cause, count, latest } = group;
  const { title, remedy } = issueText(latest);
  const { name, tone } = URGENCIES[urgencyOf(code)];
  const organisation = useNames().integration(providerId)?.name ?? providerId;
  const heading = `issues-${latest.issueId}`;
  const selection = { providerId, code, cause, state };
  return (
    <article aria-labelledby={heading} class="panel stack issue">
      <header class="row">
        <h2 id={heading}>{title}</h2>
        <Badge tone={tone}>{name}</Badge>
        <a href={`/console/integrations/${providerId}`}>{organisation}</a>
        {may("changeIssues") && <IssueActions {...{ selection, count, code, title, onDone }} />}
      </header>
      <IssueLine issue={latest} {...(count > 1 && { detail: groupText(group) })} />
      {remedy !== "" && (
        <p class="issue-remedy">
          <strong>What to do</strong> <CodeSpans text={remedy} />
        </p>
      )}
      {count > 1 && <Members group={group} selection={selection} onDone={onDone} />}
    </article>
  );
}

/** `12 shifts wait for 3 outlets`, or how many issues and shifts there are, and the latest. */
function groupText({ code, count, jobs, latest }: IssueGroup): string {
  const { detail } = issueText(latest);
  const wait = `${counted(jobs, "shift")} ${jobs === 1 ? "waits" : "wait"} for`;
  if (code === "outlet_not_mapped") return `${wait} ${counted(count, "outlet")}. The latest: ${detail}`;
  if (code === "role_not_mapped") return `${wait} ${counted(count, "role")}. The latest: ${detail}`;
  const shifts = jobs === 0 ? "" : ` of ${counted(jobs, "shift")}`;
  return `${counted(count, "issue")}${shifts}. The latest: ${detail}`;
}

/** The issues of a group, read when they are opened. Chosen ones are changed together. */
function Members({ group, selection, onDone }: Omit<Props, "state"> & { selection: Selection }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show the {group.count} issues</summary>
      {isOpen && <ChosenMembers group={group} selection={selection} onDone={onDone} />}
    </details>
  );
}

function ChosenMembers({ group, selection, onDone }: Omit<Props, "state"> & { selection: Selection }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { title } = issueText(group.latest);
  const pages = usePages(
    `issues ${JSON.stringify(selection)}`,
    (page) => ask(api.listIssues({ params: { query: { ...selection, limit: 50, ...page } } })),
    ({ type }) => type === "issue",
  );
  const toggle = ({ issueId }: Issue) =>
    setChosen((before) =>
      before.includes(issueId) ? before.filter((each) => each !== issueId) : [...before, issueId],
    );
  const done = () => {
    setChosen([]);
    onDone();
  };
  return (
    <div class="stack">
      {chosen.length > 0 && (
        <div class="row">
          <strong>{chosen.length} chosen</strong>
          <IssueActions
            selection={{ issueIds: [...chosen] }}
            count={chosen.length}
            code={group.code}
            title={`the chosen of ${title}`}
            onDone={done}
          />
        </div>
      )}
      <QueryView query={pages}>
        {(issues) => (
          <IssueList
            issues={issues}
            {...(may("changeIssues") && {
              choose: (issue: Issue) => (
                <input
                  type="checkbox"
                  aria-label={issueText(issue).detail}
                  checked={chosen.includes(issue.issueId)}
                  onChange={() => toggle(issue)}
                />
              ),
            })}
          />
        )}
      </QueryView>
      <More pages={pages} />
    </div>
  );
}
