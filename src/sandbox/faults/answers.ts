import { changeEntries, changeList, changeMembers, type Entry, without } from "./entries.ts";
import { type Answer, empty, type Faults, isSuccess, json, problemAnswer } from "./fault.ts";
import { LISTS, WITH_BODY, WITH_CANDIDATES } from "./operations.ts";

const IDS = ["id", "shiftId", "candidateId", "outletId", "roleId"];
const NAMES = ["name", "firstName", "lastName", "outletName", "roleName"];
const NUMBERS = ["slots", "numberOfPositions", "breakMinutes"];

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
  "truncated-now-and-then": {
    summary: "half of the JSON, every fifth time",
    every: 5,
    rewrite: (answer) => ({ ...answer, body: halfOf(answer.body) }),
  },
  "single-quotes": {
    summary: "single quotes in place of JSON's double quotes",
    operations: WITH_BODY,
    rewrite: (answer) => onSuccess(answer, () => JSON.stringify(answer.body).replaceAll('"', "'")),
  },
  "byte-order-mark": {
    summary: "a byte order mark before the JSON",
    rewrite: (answer) => onSuccess(answer, () => `\uFEFF${JSON.stringify(answer.body)}`),
  },
  "warning-before-json": {
    summary: "a warning of PHP before the JSON",
    operations: WITH_BODY,
    rewrite: (answer) =>
      onSuccess(answer, () => `<br />\n<b>Warning</b>: Undefined array key\n${JSON.stringify(answer.body)}`),
  },
  "list-as-object": {
    summary: "a list as an object with the keys 1, 2, 3",
    operations: ["listOutlets", "listRoles"],
    rewrite: (answer) =>
      onSuccess(answer, () =>
        Object.fromEntries([answer.body].flat().map((each, index) => [index + 1, each])),
      ),
  },
  "no-content-with-length": {
    summary: "204 that announces a body",
    rewrite: (answer) =>
      answer.status === 204 ? { ...answer, headers: { ...answer.headers, "Content-Length": "2" } } : answer,
  },
  "length-too-large": {
    summary: "a body five bytes shorter than announced",
    operations: WITH_BODY,
    rewrite: (answer) => shorterThanAnnounced(answer),
  },
  "json-as-html": {
    summary: "JSON labelled as a web page",
    rewrite: (answer) => relabelled(answer, "text/html; charset=utf-8"),
  },
  "json-as-text": {
    summary: "JSON labelled as text",
    rewrite: (answer) => relabelled(answer, "text/plain"),
  },
  "json-without-label": {
    summary: "JSON without Content-Type",
    rewrite: (answer) => (isSuccess(answer) ? { ...answer, headers: {} } : answer),
  },
  "status-accepted": {
    summary: "202 in place of the contract's success status",
    rewrite: (answer) => (isSuccess(answer) ? { ...answer, status: 202 } : answer),
  },
  "cancel-with-body": {
    summary: "200 with success: true to a cancellation, in place of 204",
    operations: ["cancelShift"],
    rewrite: (answer) => (isSuccess(answer) ? json(200, { success: true }) : answer),
  },
  "valid-refused": {
    summary: "400 to valid requests",
    rewrite: (answer) => (isSuccess(answer) ? problemAnswer("validation_failed") : answer),
  },
  "operation-missing": {
    summary: "404, as for an unknown path",
    instead: () => problemAnswer("not_found"),
  },
  "method-refused": {
    summary: "405, as for a method that is not offered",
    instead: () => problemAnswer("method_not_allowed"),
  },
  "ids-missing": {
    summary: "no id",
    rewrite: (answer) => changeEntries(answer, (entry) => without(entry, ["id", "success"])),
  },
  "names-missing": {
    summary: "outlets and roles have no name",
    operations: ["listOutlets", "listRoles"],
    rewrite: (answer) => changeEntries(answer, (entry) => without(entry, ["name"])),
  },
  "details-missing": {
    summary: "optional fields are missing",
    operations: ["getShift", "findCandidates", "createCandidate", "listOutlets"],
    rewrite: (answer) =>
      changeEntries(answer, (entry) => without(entry, ["outletName", "createdAt", "phone", "address"])),
  },
  "ids-as-numbers": {
    summary: "ids are numbers",
    rewrite: (answer) => changeEntries(answer, (entry) => changeMembers(entry, IDS, () => 4711)),
  },
  "numbers-as-text": {
    summary: "the numbers of a shift are strings",
    operations: ["getShift", "updateShift"],
    rewrite: (answer) => changeEntries(answer, (entry) => changeMembers(entry, NUMBERS, String)),
  },
  "names-as-objects": {
    summary: "names are objects by language",
    operations: ["getShift", "findCandidates", "createCandidate", "listOutlets", "listRoles"],
    rewrite: (answer) => changeEntries(answer, (entry) => changeMembers(entry, NAMES, (sv) => ({ sv }))),
  },
  "list-in-object": {
    summary: "a list is wrapped in an object",
    operations: LISTS,
    rewrite: (answer) => changeList(answer, (items) => ({ items })),
  },
  "single-in-list": {
    summary: "a single object is wrapped in a list",
    operations: ["getShift", "createCandidate", "assignCandidate"],
    rewrite: (answer) => changeEntries(answer, (entry) => [entry]),
  },
  "wrapped-in-data": {
    summary: "every body is wrapped in an object as data",
    operations: WITH_BODY,
    rewrite: (answer) => onSuccess(answer, () => ({ data: answer.body })),
  },
  "snake-case": {
    summary: "fields are written in snake_case",
    operations: ["getShift", ...WITH_CANDIDATES],
    rewrite: (answer) => changeEntries(answer, inSnakeCase),
  },
  "duplicate-ids": {
    summary: "an entry of a list appears twice",
    operations: LISTS,
    rewrite: (answer) => changeList(answer, (entries) => [...entries, ...entries.slice(0, 1)]),
  },
  "short-personal-numbers": {
    summary: "personal numbers lack the century",
    operations: WITH_CANDIDATES,
    rewrite: (answer) => changeEntries(answer, (entry) => withNumber(entry, (text) => text.slice(2))),
  },
  "impossible-personal-numbers": {
    summary: "the last digit of personal numbers is wrong",
    operations: ["getCandidateRegistry"],
    rewrite: (answer) => changeEntries(answer, (entry) => withNumber(entry, withOtherLastDigit)),
  },
  "invalid-now-and-then": {
    summary: "every fifth response lacks its ids",
    every: 5,
    rewrite: (answer) => changeEntries(answer, (entry) => without(entry, ["id", "success"])),
  },
} as const satisfies Faults;

function onSuccess(answer: Answer, body: () => unknown): Answer {
  return isSuccess(answer) && answer.body !== undefined ? { ...answer, body: body() } : answer;
}

function shorterThanAnnounced(answer: Answer): Answer {
  if (!isSuccess(answer) || answer.body === undefined) return answer;
  const length = String(Buffer.byteLength(JSON.stringify(answer.body)) + 5);
  return { ...answer, headers: { ...answer.headers, "Content-Length": length, Connection: "close" } };
}

function relabelled(answer: Answer, type: string): Answer {
  return isSuccess(answer) && answer.body !== undefined
    ? { ...answer, headers: { "Content-Type": type } }
    : answer;
}

function halfOf(body: unknown): string | undefined {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return text?.slice(0, Math.floor(text.length / 2));
}

function inSnakeCase(entry: Entry): Entry {
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [snake(name), value]));
}

function withNumber(entry: Entry, change: (text: string) => string): Entry {
  return changeMembers(entry, ["personalNumber"], (value) => change(String(value)));
}

const withOtherLastDigit = (text: string) => text.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
