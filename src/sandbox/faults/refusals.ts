import { type Answer, empty, type Faults, isRefusal, json } from "./fault.ts";

/** Faults in the body of a 4xx with the right status. */
export const refusalFaults = {
  "errors-empty": {
    summary: "refusals have no body",
    rewrite: (answer) => (isRefusal(answer) ? empty(answer.status) : answer),
  },
  "errors-as-text": {
    summary: "refusals are plain text",
    rewrite: (answer) => refused(answer, "text/plain", "The request failed."),
  },
  "errors-as-html": {
    summary: "refusals are web pages",
    rewrite: (answer) => refused(answer, "text/html", "<h1>The request failed</h1>"),
  },
  "errors-as-json": {
    summary: "refusals are JSON in the provider's own form",
    rewrite: (answer) => (isRefusal(answer) ? json(answer.status, { error: "the request failed" }) : answer),
  },
  "errors-truncated": {
    summary: "half of the problem document",
    rewrite: (answer) => refused(answer, "application/problem+json", '{"type": "about:bl'),
  },
  "errors-mislabelled": {
    summary: "a web page labelled as JSON",
    rewrite: (answer) => refused(answer, "application/json", "<h1>The request failed</h1>"),
  },
  "errors-with-another-status": {
    summary: "the status in a problem document differs from the status of the response",
    rewrite: (answer) => refused(answer, "application/problem+json", JSON.stringify({ status: 200 })),
  },
  "errors-with-token": {
    summary: "refusals repeat the Authorization header",
    rewrite: (answer, { request }) =>
      refused(answer, "text/plain", `refused: ${request.get("authorization")}`),
  },
  "errors-with-stack-trace": {
    summary: "refusals show a stack trace",
    rewrite: (answer) => refused(answer, "text/plain", STACK_TRACE),
  },
} as const satisfies Faults;

const STACK_TRACE = [
  "Traceback (most recent call last):",
  '  File "/srv/provider/shifts.py", line 17, in read',
  "KeyError: 'shift'",
].join("\n");

function refused(answer: Answer, type: string, body: string): Answer {
  return isRefusal(answer) ? { status: answer.status, headers: { "Content-Type": type }, body } : answer;
}
