import { useSignal } from "@preact/signals";
import { ErrorBox } from "../components/error-box.tsx";
import { errorOf } from "../data/errors.ts";
import { signedOutBecause } from "./me.ts";
import { failure, readMe, rejected, signIn } from "./session.ts";

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
