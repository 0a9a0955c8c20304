import { randomUUID } from "node:crypto";
import type { Request } from "express";
import type { Message } from "../../../generated/events/types.ts";
import type { Organisation, StoredShift } from "../organisation.ts";
import { changeEntries, changeMembers, without } from "./entries.ts";
import { type Answer, type Call, empty, type Faults, isRefusal, isSuccess, problemAnswer } from "./fault.ts";

const IDS = ["id", "shiftId", "candidateId", "outletId", "roleId"];

/** Faults in the status, Content-Type or form of responses, regardless of their content. */
export const answerFaults = {
  garbage: {
    summary: "200 with a web page",
    rewrite: () => ({ status: 200, headers: { "Content-Type": "text/html" }, body: "<h1>Welcome</h1>" }),
  },
  "empty-body": {
    summary: "the right status without a body",
    rewrite: ({ status }) => empty(status),
  },
  truncated: {
    summary: "half of the JSON",
    rewrite: (answer) => ({ ...answer, body: halfOf(answer.body) }),
  },
  "json-as-html": {
    summary: "JSON labelled as a web page",
    rewrite: (answer) =>
      hasBody(answer) ? { ...answer, headers: { "Content-Type": "text/html; charset=utf-8" } } : answer,
  },
  "valid-refused": {
    summary: "400 to valid requests",
    rewrite: (answer) => (isSuccess(answer) ? problemAnswer("validation_failed") : answer),
  },
  "ids-as-numbers": {
    summary: "ids are numbers",
    rewrite: (answer) => changeEntries(answer, (entry) => changeMembers(entry, IDS, () => 4711)),
  },
  "wrapped-in-data": {
    summary: "every body is wrapped in an object as data",
    operations: [
      "getShift",
      "assignCandidate",
      "createCandidate",
      "findCandidates",
      "getCandidateRegistry",
      "listOutlets",
      "listRoles",
    ],
    rewrite: (answer) => (hasBody(answer) ? { ...answer, body: { data: answer.body } } : answer),
  },
  "invalid-now-and-then": {
    summary: "every fifth response lacks its ids",
    every: 5,
    rewrite: (answer) => changeEntries(answer, (entry) => without(entry, ["id", "success"])),
  },
  "errors-as-html": {
    summary: "refusals are web pages",
    rewrite: (answer) =>
      isRefusal(answer)
        ? { ...answer, headers: { "Content-Type": "text/html" }, body: "<h1>The request failed</h1>" }
        : answer,
  },
} as const satisfies Faults;

const hasBody = (answer: Answer): boolean => isSuccess(answer) && answer.body !== undefined;

function halfOf(body: unknown): string | undefined {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return text?.slice(0, Math.floor(text.length / 2));
}

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

const HEADERS = ["x-provider-id", "x-platform-provider-id"];

/** Returns the providerId of the call (contract 4.1), known or unknown. */
export function providerIdOf(request: Request): string | undefined {
  const [, prefix] = /^\/providers\/([^/]+)/.exec(request.path) ?? [];
  const [header] = HEADERS.map((name) => request.get(name)).filter((id) => id !== undefined);
  return (prefix ?? header)?.toLowerCase();
}

/** Returns the organisation that the call named originally. */
export function organisationOf({ organisations, providerId }: Call): Organisation | undefined {
  return organisations.get(providerId ?? "");
}

/** Returns the shift that the call names. */
export function shiftOf(call: Call): StoredShift | undefined {
  return organisationOf(call)?.shifts.get(call.path.shiftId ?? "");
}

/** Faults in webhooks: missing, duplicated or about another shift. */
export const webhookFaults = {
  "no-echo": {
    summary: "no webhook for changes by the platform's own calls",
    webhooks: (event, isEcho) => (isEcho ? [] : [event]),
  },
  "duplicate-webhooks": { summary: "every webhook twice, same traceId", webhooks: (event) => [event, event] },
  "webhook-of-another-shift": {
    summary: "webhooks contain the id of an unknown shift",
    webhooks: (event) => [{ ...event, content: { shiftId: randomUUID() } } as Message],
  },
} as const satisfies Faults;
