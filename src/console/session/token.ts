import { signal } from "@preact/signals";

const KEPT_AS = "shiftpact.operationsToken";

/** The operations token; undefined while signed out. It is kept as long as the tab. */
export const token = signal<string | undefined>(takeFromFragment() ?? read());

/** The reason of an automatic sign-out, for the sign-in page. */
export const signedOutBecause = signal<string | undefined>(undefined);

export function signIn(given: string): void {
  sessionStorage.setItem(KEPT_AS, given);
  signedOutBecause.value = undefined;
  token.value = given;
}

export function signOut(because?: string): void {
  sessionStorage.removeItem(KEPT_AS);
  signedOutBecause.value = because;
  token.value = undefined;
}

function read(): string | undefined {
  return sessionStorage.getItem(KEPT_AS) ?? undefined;
}

/** Reads `#token=...`, as `npm start` prints it. A fragment is sent to no server, and it is removed from the address. */
function takeFromFragment(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  sessionStorage.setItem(KEPT_AS, given);
  return given;
}
