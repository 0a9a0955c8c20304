import type { Issue } from "../../../generated/operations/types.ts";
import { ActionButton } from "../components/action-button.tsx";
import { ConfirmedAction } from "../components/dialog.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";

/** The list of issues, which gets the focus when a card is gone. */
export const ISSUE_LIST = "open-issues";

interface Props {
  issue: Issue;
  title: string;
  onResolved(): void;
}

/** Resolves an issue. A mass disappearance asks first, because its resolution cancels jobs and releases candidates. */
export function Resolve({ issue, title, onResolved }: Props) {
  const resolve = async () => {
    await ask(api.resolveIssue({ params: { path: { issueId: issue.issueId } } }));
    onResolved();
    return "Resolved. The issue comes back if its cause remains.";
  };
  if (issue.code === "mass_disappearance") return <ConfirmDisappearance title={title} resolve={resolve} />;
  return <ResolveButton title={title} resolve={resolve} />;
}

interface ResolveProps {
  title: string;
  resolve(): Promise<string>;
}

function ResolveButton({ title, resolve }: ResolveProps) {
  const action = useAction(resolve);
  return (
    <>
      <ActionButton action={action} isPushed onClick={action.run}>
        Resolve<span class="visually-hidden">: {title}</span>
      </ActionButton>
      {action.error && <ErrorBox error={action.error} />}
    </>
  );
}

function ConfirmDisappearance({ title, resolve }: ResolveProps) {
  return (
    <span class="push">
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
    </span>
  );
}
