import { createClient } from "../../../generated/operations/client.ts";
import { leave, me } from "../session/me.ts";

export const BASE_URL = "/operations/v1";

/** Calls the platform with the session of the cookie. */
export const api = createClient({ baseUrl: BASE_URL, fetch: call });

/** For what the generated client does not read, such as a file. The end of the session, which another tab may cause, shows the sign-in page. */
async function call(request: Request): Promise<Response> {
  const caller = me.value;
  const response = await fetch(request);
  if (response.status === 401 && caller && me.value === caller) leave("Your session has ended.");
  return response;
}
