import { useSignal } from "@preact/signals";
import { createClient } from "../../../generated/operations/client.ts";
import { ErrorBox } from "../components/error-box.tsx";
import { BASE_URL } from "../data/api.ts";
import { ask, type CallError, errorOf } from "../data/errors.ts";
import { signedOutBecause, signIn } from "./token.ts";

/** Asks for the operations token, and checks it before it is stored. */
export function SignIn() {
  const failure = useSignal<CallError | undefined>(undefined);
  const isTrying = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isTrying.value) return;
    const given = new FormData(event.currentTarget as HTMLFormElement).get("token");
    isTrying.value = true;
    try {
      await tryToken(String(given).trim());
      signIn(String(given).trim());
    } catch (error) {
      failure.value = wrongToken(errorOf(error));
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

async function tryToken(given: string): Promise<void> {
  const client = createClient({ baseUrl: BASE_URL, headers: { Authorization: `Bearer ${given}` } });
  await ask(client.listIntegrations({ params: { query: { limit: 1 } } }));
}

function wrongToken(error: CallError): CallError {
  if (error.status !== 401) return error;
  return { ...error, title: "Wrong token", detail: "The platform rejected the token." };
}
