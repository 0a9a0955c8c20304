import { useSignal } from "@preact/signals";
import { createClient } from "../../../generated/operations/client.ts";
import { BASE_URL } from "../data/api.ts";
import { ask, type Trouble, troubleOf } from "../data/trouble.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { signedOutBecause, signIn } from "./token.ts";

/** Asks for the operations token, and checks it before it is stored. */
export function SignIn() {
  const trouble = useSignal<Trouble | undefined>(undefined);
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
      trouble.value = wrongToken(troubleOf(error));
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
          <span>Operations token</span>
          <input name="token" type="password" required autocomplete="off" spellcheck={false} autofocus />
        </label>
        <p class="hint">
          The <code>OPERATIONS_TOKEN</code> of the platform. If it is not set, the token is in the file{" "}
          <code>operations-token</code> of the data folder, and <code>npm start</code> prints it.
        </p>
        {trouble.value && <TroubleBox trouble={trouble.value} />}
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

function wrongToken(trouble: Trouble): Trouble {
  if (trouble.status !== 401) return trouble;
  return { ...trouble, title: "Wrong operations token", detail: "The platform rejected the token." };
}
