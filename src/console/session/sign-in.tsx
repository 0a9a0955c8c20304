import { useSignal } from "@preact/signals";
import { DAY_MS } from "../../contract/timestamp.ts";
import { ActionButton, Dialog } from "../components/dialog.tsx";
import { ErrorBox } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { errorOf } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { may, me, ROLES, signedOutBecause } from "./me.ts";
import { failure, offered, readMe, rejected, signIn } from "./session.ts";

/** Asks for a token, and opens a session with it. */
export function SignIn() {
  const isTrying = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isTrying.value) return;
    const given = new FormData(event.currentTarget as HTMLFormElement).get("token");
    isTrying.value = true;
    try {
      await signIn(String(given).trim());
    } catch (error) {
      failure.value = rejected(errorOf(error));
    } finally {
      isTrying.value = false;
    }
  };
  return (
    <main class="sign-in">
      <h1>shiftpact console</h1>
      {signedOutBecause.value && <p class="notice">{signedOutBecause}</p>}
      <form onSubmit={submit} class="stack">
        <label class="field">
          <span>Token</span>
          <input name="token" type="password" required autocomplete="off" spellcheck={false} autofocus />
        </label>
        <p class="hint">
          Your operator token, or the <code>OPERATIONS_TOKEN</code> of the platform. If neither is set, the
          token is in the file <code>operations-token</code> of the data folder, and <code>npm start</code>{" "}
          prints it.
        </p>
        {failure.value && <ErrorBox error={failure.value} />}
        <button type="submit" class="primary" aria-disabled={isTrying.value}>
          Sign in
        </button>
      </form>
    </main>
  );
}

/** Until it is known who is signed in. */
export function Starting() {
  if (!failure.value) return null;
  return (
    <main class="sign-in">
      <h1>shiftpact console</h1>
      <ErrorBox error={failure.value} onRetry={() => void readMe()} />
    </main>
  );
}

const WARNED_MS = 14 * DAY_MS;

/** Whether a token expires within 14 days. */
export const isEnding = (validUntil: string): boolean => Date.parse(validUntil) - Date.now() < WARNED_MS;

/** Warns the operator whose token expires soon. */
export function ExpiryNotice() {
  const validUntil = me.value?.tokenValidUntil;
  if (validUntil === undefined || !isEnding(validUntil)) return null;
  return (
    <p class="notice">
      Your token expires <Time at={validUntil} />.{" "}
      {may("rotateOperatorToken") ? (
        <>
          Make another under <a href="/console/operators">Operators</a>.
        </>
      ) : (
        "Ask an admin for another."
      )}
    </p>
  );
}

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
