import { randomUUID } from "node:crypto";
import type { Message } from "../../../generated/events/types.ts";
import { type Answer, type Fault, json, problemAnswer } from "./fault.ts";

const OVERSIZED = 10_000_000;

/** Every fault by its name. To add one, add an entry here: the command line and the tests find it. */
export const faults = {
  unavailable: {
    summary: "503 with Retry-After",
    instead: ({ settings }) => problemAnswer("overloaded", { "Retry-After": settings.retryAfter ?? "1" }),
  },
  "error-500": { summary: "500", instead: () => problemAnswer("internal_error") },
  "rate-limited": {
    summary: "429 with Retry-After",
    instead: ({ settings }) => problemAnswer("rate_limited", { "Retry-After": settings.retryAfter ?? "1" }),
  },
  slow: { summary: "no answer until the caller gives up", instead: () => "hang" },
  reset: { summary: "the connection is torn down", instead: () => "reset" },
  garbage: {
    summary: "200 with a web page",
    rewrite: () => ({ status: 200, headers: { "Content-Type": "text/html" }, body: "<h1>Welcome</h1>" }),
  },
  "empty-body": {
    summary: "the right status without a body",
    rewrite: ({ status }) => ({ status, headers: {}, body: undefined }),
  },
  truncated: {
    summary: "half of the JSON",
    rewrite: (answer) => ({ ...answer, body: halfOf(answer.body) }),
  },
  oversized: {
    summary: "200 with 10 MB",
    rewrite: () => json(200, { filler: "x".repeat(OVERSIZED) }),
  },
  redirect: {
    summary: "302 to another host",
    instead: () => ({ status: 302, headers: { Location: "https://elsewhere.example/" }, body: undefined }),
  },
  "shift-lag": {
    summary: "404 for the first three reads of a shift, as from a replica that lags",
    operations: ["getShift"],
    times: 3,
    instead: () => problemAnswer("shift_not_found"),
  },
  "shift-of-another": {
    summary: "the shift that is read has another id",
    operations: ["getShift"],
    rewrite: (answer) => withBody(answer, { id: randomUUID() }),
  },
  "time-without-offset": {
    summary: "the times of a shift have no offset",
    operations: ["getShift", "updateShift"],
    rewrite: (answer) => withBody(answer, localTimes(answer.body)),
  },
  "end-before-start": {
    summary: "a shift ends before it starts",
    operations: ["getShift", "updateShift"],
    rewrite: (answer) => withBody(answer, swappedTimes(answer.body)),
  },
  "update-refused": {
    summary: "409 to a change of a shift",
    operations: ["updateShift"],
    instead: () => problemAnswer("shift_started"),
  },
  "cancel-refused": {
    summary: "409 to a cancellation",
    operations: ["cancelShift"],
    instead: () => problemAnswer("shift_started"),
  },
  "assign-conflict": {
    summary: "409 shift_full to an assignment",
    operations: ["assignCandidate"],
    instead: () => problemAnswer("shift_full"),
  },
  "assign-not-successful": {
    summary: "200 with success: false to an assignment",
    operations: ["assignCandidate"],
    instead: () => json(200, { success: false }),
  },
  "assign-of-another": {
    summary: "the acknowledgement names another candidate",
    operations: ["assignCandidate"],
    rewrite: (_, { path }) => json(200, { success: true, ...path, candidateId: randomUUID() }),
  },
  "assign-lost-answer": {
    summary: "assigns, then answers 500 (once)",
    operations: ["assignCandidate"],
    times: 1,
    rewrite: () => problemAnswer("internal_error"),
  },
  "assign-no-content": {
    summary: "assigns and answers 204, which is right too",
    operations: ["assignCandidate"],
    rewrite: (answer) => (answer.status === 200 ? { status: 204, headers: {}, body: undefined } : answer),
  },
  "candidate-race": {
    summary: "409 to a creation, because somebody was quicker; a lookup then finds the candidate (once)",
    operations: ["createCandidate"],
    times: 1,
    rewrite: () => problemAnswer("candidate_exists"),
  },
  "two-candidates": {
    summary: "a lookup that finds a person finds a second one with the same number",
    operations: ["findCandidates"],
    rewrite: (answer) => ({ ...answer, body: doubled(answer.body) }),
  },
  "foreign-candidate": {
    summary: "a lookup ignores its query and finds everybody",
    operations: ["findCandidates"],
    instead: ({ request }) => {
      request.url = request.path;
      return undefined;
    },
  },
  "created-another": {
    summary: "the created candidate has somebody else's personal number",
    operations: ["createCandidate"],
    rewrite: (answer) => withBody(answer, { personalNumber: "197603212387" }),
  },
  "unassign-unknown-path": {
    summary: "404 to PUT /unassign/, as if there were no such path",
    operations: ["unassignCandidate"],
    instead: () => problemAnswer("not_found"),
  },
  "unassign-not-successful": {
    summary: "200 with success: false to an unassignment",
    operations: ["unassignCandidate", "deleteAssignment"],
    instead: () => json(200, { success: false }),
  },
  "no-echo": {
    summary: "no webhook for what the platform's own calls change",
    webhooks: (event, isEcho) => (isEcho ? [] : [event]),
  },
  "duplicate-webhooks": { summary: "each webhook twice, same traceId", webhooks: (event) => [event, event] },
  "webhook-of-another-shift": {
    summary: "webhooks name a shift that does not exist",
    webhooks: (event) => [{ ...event, content: { shiftId: randomUUID() } } as Message],
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** A problem and a list stay as they are. */
function withBody(answer: Answer, members: object): Answer {
  const { status, body } = answer;
  if (status >= 300 || typeof body !== "object" || body === null || Array.isArray(body)) return answer;
  return { ...answer, body: { ...body, ...members } };
}

function halfOf(body: unknown): string | undefined {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return text?.slice(0, Math.floor(text.length / 2));
}

function doubled(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  return body.flatMap((candidate: object) => [candidate, { ...candidate, id: randomUUID() }]);
}

interface Times {
  startTime: string;
  endTime: string;
}

function localTimes(body: unknown): Times | object {
  if (!hasTimes(body)) return {};
  const local = (time: string) => time.replace(/(Z|[+-]\d{2}:?\d{2})$/i, "");
  return { startTime: local(body.startTime), endTime: local(body.endTime) };
}

function swappedTimes(body: unknown): Times | object {
  return hasTimes(body) ? { startTime: body.endTime, endTime: body.startTime } : {};
}

function hasTimes(body: unknown): body is Times {
  return typeof body === "object" && body !== null && "startTime" in body && "endTime" in body;
}
