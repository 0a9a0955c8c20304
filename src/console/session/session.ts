import { signal } from "@preact/signals";
import { createClient } from "../../../generated/operations/client.ts";
import type { Me } from "../../../generated/operations/types.ts";
import { api, BASE_URL } from "../data/api.ts";
import { ask, type CallError, errorOf } from "../data/errors.ts";
import { onMessage } from "../data/live.ts";
import { announce } from "../data/use-action.ts";
import { leave, me, signedOutBecause } from "./me.ts";

/** The token of a link for another operator than the one who is signed in, and who chooses. */
export const offered = signal<{ token: string; me: Me } | undefined>(undefined);

/** Why the last sign-in failed, or why it is not known who is signed in. */
export const failure = signal<CallError | undefined>(undefined);

/** All tabs have the session of one cookie. */
const otherTabs = new BroadcastChannel("shiftpact-session");

/** Reads who is signed in, and follows links with a token and the other tabs; returns how to stop that. */
export function followSession(): () => void {
  const follow = () => void useLink(takeToken());
  addEventListener("hashchange", follow);
  otherTabs.onmessage = () => void readMe();
  const given = takeToken();
  void readMe().then(() => useLink(given));
  return () => {
    removeEventListener("hashchange", follow);
    otherTabs.onmessage = null;
  };
}

/** Reads again after each gap in the stream: the role may be another one. */
export const followMe = (): (() => void) => onMessage(({ type }) => type === "gap" && void readMe());

export async function readMe(): Promise<void> {
  try {
    me.value = await ask(api.getMe());
    failure.value = undefined;
  } catch (error) {
    const details = errorOf(error);
    if (details.status === 401) me.value = null;
    else if (me.value === undefined) failure.value = details;
  }
}

/** Sends the token once, for a session. @throws FailedCall */
export async function signIn(token: string): Promise<void> {
  const signedIn = await ask(clientWith(token).signIn({}));
  failure.value = undefined;
  signedOutBecause.value = undefined;
  me.value = signedIn;
  otherTabs.postMessage("signed in");
}

/** @throws FailedCall if the session may not have ended. */
export async function signOut(): Promise<void> {
  await ask(api.signOut({})).catch((error) => {
    if (errorOf(error).status !== 401) throw error;
  });
  leave();
  otherTabs.postMessage("signed out");
}

const clientWith = (token: string) =>
  createClient({ baseUrl: BASE_URL, headers: { Authorization: `Bearer ${token}` } });

/** Reads `#token=...`, as `npm start` prints it. A fragment is sent to no server, and it is removed from the address. */
function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return given;
}

/** Signs in with the token of a link, unless another operator is signed in: a link must not decide who acts. */
async function useLink(token: string | undefined): Promise<void> {
  if (token === undefined || me.value === undefined) return;
  try {
    if (me.value === null) return await signIn(token);
    const linked = await ask(clientWith(token).getMe());
    if (linked.operatorId !== me.value?.operatorId) offered.value = { token, me: linked };
    else if (linked.tokenValidUntil !== me.value?.tokenValidUntil) await signIn(token);
  } catch (error) {
    failure.value = rejected(errorOf(error));
    if (me.value)
      announce(`The token of the link is not used. ${failure.value.detail ?? failure.value.title}`);
  }
}

/** The problem of a rejected token has its reason. */
export function rejected(error: CallError): CallError {
  return error.status === 401 ? { ...error, title: "Token rejected" } : error;
}
