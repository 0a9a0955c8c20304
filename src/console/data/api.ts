import { createClient } from "../../../generated/operations/client.ts";
import { signOut, token } from "../session/token.ts";

export const BASE_URL = `${location.origin}/operations/v1`;

/** Every call of the console, with the token of whoever is signed in; a token that is refused signs out. */
export const api = createClient({ baseUrl: BASE_URL, fetch: callWithToken });

/** For what the generated client does not do: the stream. */
export async function callWithToken(request: Request): Promise<Response> {
  const used = token.value;
  const headers = new Headers(request.headers);
  headers.set("Authorization", `Bearer ${used}`);
  const response = await fetch(new Request(request, { headers }));
  if (response.status === 401 && token.value === used) {
    signOut("The platform does not accept this token any more.");
  }
  return response;
}
