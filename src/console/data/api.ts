import { createClient } from "../../../generated/operations/client.ts";
import { signOut, token } from "../session/token.ts";

export const BASE_URL = `${location.origin}/operations/v1`;

/** Calls the platform with the token of the operator. A rejected token signs out. */
export const api = createClient({ baseUrl: BASE_URL, fetch: callWithToken });

/** For what the generated client does not read, such as a file. */
export async function callWithToken(request: Request): Promise<Response> {
  const used = token.value;
  const headers = new Headers(request.headers);
  headers.set("Authorization", `Bearer ${used}`);
  const response = await fetch(new Request(request, { headers }));
  if (response.status === 401 && token.value === used) {
    signOut("The platform no longer accepts this token.");
  }
  return response;
}
