import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Issue, IssueCode, IssueGroup } from "../../../generated/operations/types.ts";
import { counted, issueText } from "../../contract/operator-text.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { Badge, CodeSpans } from "../components/cells.tsx";
import { ActionButton, ConfirmedAction, DialogButton } from "../components/dialog.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { ErrorBox } from "../components/section.tsx";
import { More, QueryView } from "../components/table.tsx";
import { readersZone } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { usePages } from "../data/pages.ts";
import { useAction } from "../data/use-action.ts";
import { toLocal } from "../job/job.ts";
import { may, me } from "../session/me.ts";
import { IssueLine, IssueList } from "./issue-list.tsx";
import { type Change, changeIssues, type Selection, URGENCIES, urgencyOf } from "./issues.ts";

/** The list of issues, which gets the focus when a card is gone. */
export const ISSUE_LIST = "open-issues";

interface Props {
  selection: Selection;
  count: number;
  code: IssueCode | undefined;
  /** The object, because several buttons have the same label. */
  title: string;
  onDone(): void;
}

/** Resolves, assigns and snoozes issues: those of a group, or the chosen ones. */
function IssueActions(props: Props) {
  return (
    <div class="row push">
      <Assign {...props} />
      <Snooze {...props} />
      <Resolve {...props} />
    </div>
  );
}

/** A mass disappearance asks first, because its resolution cancels jobs and releases candidates. */
function Resolve({ selection, count, code, title, onDone }: Props) {
  const resolve = async () => {
    const resolved = await changeIssues(selection, { resolve: true });
    onDone();
    return resolved === 1
      ? "Resolved. The issue comes back if its cause remains."
      : `${resolved} issues resolved. They come back if their cause remains.`;
  };
  const action = useAction(resolve);
  if (code === "mass_disappearance") return <ConfirmDisappearance title={title} resolve={resolve} />;
  return (
    <>
      <ActionButton action={action} onClick={action.run}>
        {count === 1 ? "Resolve" : `Resolve ${count}`}
        <span class="visually-hidden">: {title}</span>
      </ActionButton>
      {action.error && <ErrorBox error={action.error} />}
    </>
  );
}

function ConfirmDisappearance({ title, resolve }: { title: string; resolve(): Promise<string> }) {
  return (
    <ConfirmedAction
      label="Resolve …"
      of={title}
      title="Accept the disappearance?"
      confirm="Accept the disappearance"
      act={resolve}
      focusAfter={ISSUE_LIST}
    >
      <p>
        This cannot be undone. Every shift that has disappeared is then treated as deleted, and every
        candidate who has disappeared from a list as removed: jobs are cancelled, and the candidates are
        notified.
      </p>
      <p>If they come back at the provider, leave the issue open: it is resolved automatically.</p>
    </ConfirmedAction>
  );
}

function Assign(props: Props) {
  return (
    <ChangeDialog
      {...props}
      label="Assign"
      field="assignedTo"
      read={(text) => ({ assignedTo: text || null })}
    >
      <FormField
        name="assignedTo"
        label="Operator"
        defaultValue={me.value?.name ?? ""}
        hint="The name of an operator. Empty: no operator handles it."
      />
    </ChangeDialog>
  );
}

function Snooze(props: Props) {
  const zone = readersZone();
  const tomorrow = `${toLocal(new Date(Date.now() + DAY_MS).toISOString(), zone).slice(0, 10)}T08:00`;
  const read = (text: string) => ({ snoozedUntil: text === "" ? null : new Date(text).toISOString() });
  return (
    <ChangeDialog {...props} label="Snooze" field="snoozedUntil" read={read}>
      <FormField
        name="snoozedUntil"
        label="Until"
        kind="time"
        defaultValue={tomorrow}
        hint={`In the time of ${zone}. Until then it is not in the list of open issues. Empty: not snoozed.`}
      />
    </ChangeDialog>
  );
}

interface DialogProps extends Props {
  label: string;
  /** The member of the request. */
  field: string;
  read(text: string): Change;
  children: ComponentChildren;
}

function ChangeDialog({ selection, count, title, onDone, label, field, read, children }: DialogProps) {
  const action = useAction(async (change: Change, done: () => void) => {
    const changed = await changeIssues(selection, change);
    done();
    return `${counted(changed, "issue")} changed.`;
  });
  return (
    <DialogButton
      label={`${label} …`}
      of={title}
      title={`${label} ${counted(count, "issue")}`}
      onDone={onDone}
    >
      {(done) => (
        <Form
          action={action}
          fields={[field]}
          submit={label}
          onSubmit={(given) => action.run(read(textIn(given, field)), done)}
        >
          {children}
        </Form>
      )}
    </DialogButton>
  );
}

interface IssueGroupProps {
  group: IssueGroup;
  state: "open" | "snoozed";
  onDone(): void;
}

/** The issues with one cause: what to do about them, and the buttons that change all of them. */
export function GroupCard({ group, state, onDone }: IssueGroupProps) {
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
function Members({ group, selection, onDone }: Omit<IssueGroupProps, "state"> & { selection: Selection }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show the {group.count} issues</summary>
      {isOpen && <ChosenMembers group={group} selection={selection} onDone={onDone} />}
    </details>
  );
}

function ChosenMembers({
  group,
  selection,
  onDone,
}: Omit<IssueGroupProps, "state"> & { selection: Selection }) {
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
