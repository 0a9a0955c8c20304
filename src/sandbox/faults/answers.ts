import { changeEntries, changeMembers, without } from "./entries.ts";
import { type Answer, empty, type Faults, isRefusal, isSuccess, problemAnswer } from "./fault.ts";

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
