import { ActionButton } from "../components/action-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { ErrorBox } from "../components/error-box.tsx";
import { useAction } from "../data/use-action.ts";
import { me, ROLES } from "./me.ts";
import { offered, signIn } from "./session.ts";

/** Asks the operator who is signed in whether a link for another one may change that. */
export function OfferedToken() {
  const close = () => {
    offered.value = undefined;
  };
  const change = useAction(async (token: string) => {
    await signIn(token);
    close();
  });
  const current = me.value;
  const link = offered.value;
  return (
    <Dialog title="Change the operator?" isOpen={Boolean(current && link)} onClose={close}>
      {current && link && (
        <>
          <p>
            You are signed in as <strong>{current.name}</strong> ({ROLES[current.role].name}). The link is for{" "}
            <strong>{link.me.name}</strong> ({ROLES[link.me.role].name}). The choice holds for every tab.
          </p>
          {change.error && <ErrorBox error={change.error} />}
          <p class="row">
            <button type="button" class="primary" onClick={close}>
              Stay signed in as {current.name}
            </button>
            <ActionButton action={change} onClick={() => void change.run(link.token)}>
              Sign in as {link.me.name}
            </ActionButton>
          </p>
        </>
      )}
    </Dialog>
  );
}
