import { type Call, type Faults, problemAnswer } from "./fault.ts";
import { organisationOf } from "./tenant.ts";

/** Faults in checking tokens (contract 5). */
export const accessFaults = {
  "no-token-accepted": {
    summary: "a call without a token is served",
    instead: authorizeIfAbsent,
  },
  "token-rejected": {
    summary: "401 to every call, as after a rotation without the platform",
    instead: () => problemAnswer("unauthorized"),
  },
  "token-forbidden": {
    summary: "403 to every call",
    instead: () => problemAnswer("forbidden"),
  },
} as const satisfies Faults;

/** A call without a known organisation is unchanged. */
function authorizeIfAbsent(call: Call): undefined {
  const { headers } = call.request;
  const organisation = organisationOf(call);
  if (organisation) headers.authorization ??= `Bearer ${organisation.token}`;
}
