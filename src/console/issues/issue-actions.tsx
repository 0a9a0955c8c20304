import type { ComponentChildren } from "preact";
import type { IssueCode } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import { ActionButton } from "../components/action-button.tsx";
import { ConfirmedAction, DialogButton } from "../components/dialog.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { readersZone } from "../components/zone.ts";
import { useAction } from "../data/use-action.ts";
import { toLocal } from "../job/zoned-time.ts";
import { me } from "../session/me.ts";
import { type Change, changeIssues, type Selection } from "./issues.ts";

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
export function IssueActions(props: Props) {
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
