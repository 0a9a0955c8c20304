import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answerCodes as codes } from "../../src/verify/codes/answers.ts";
import type { Exchange, OperationId } from "../../src/verify/exchange.ts";
import type { Found } from "../../src/verify/finding.ts";
import { jsonOf } from "../../src/verify/http-target.ts";
import { judge } from "../../src/verify/judge/judge.ts";

const example = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../spec/examples/${name}.json`, import.meta.url), "utf8"));

const A = {
  id: "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3",
  startTime: "2027-03-27T22:00:00+01:00",
  endTime: "2027-03-28T06:00:00+02:00",
  outletId: "4a9d3e5f-2f7d-4f39-bb5a-6f5c4b7b8d21",
  outletName: "Restaurang Stureplan",
  roleId: "9d2f7a6b-1c3e-4a5d-8f7b-2e4d6c8a0b31",
  roleName: "Waiter",
  slots: 2,
  assignedCandidates: [{ candidateId: "7e7d0c9a-92a7-4a30-9f4e-6f3a0a2b9c11" }],
};
const B = {
  id: A.id,
  startTime: A.startTime,
  endTime: A.endTime,
  outletId: A.outletId,
  roleId: A.roleId,
  breakMinutes: 30,
  numberOfPositions: 2,
  assignedCandidates: [{ id: "c-1", personalNumber: "189001169813" }],
  status: "open",
  description: null,
  createdAt: "2027-03-01T08:00:00Z",
  updatedAt: "2027-03-01T09:30:00Z",
};
const person = {
  id: "c-1",
  personalNumber: "189001169813",
  firstName: "Astrid",
  lastName: "Lind",
  email: "astrid.lind@example.com",
  phone: "+46701740605",
};
const path = { shiftId: A.id, candidateId: "7e7d0c9a-92a7-4a30-9f4e-6f3a0a2b9c11" };
const JSON_TYPE = "application/json; charset=utf-8";

interface Answer {
  status?: number;
  /** Sent as JSON, unless it is a string. */
  body?: unknown;
  /** Null: none. */
  type?: string | null;
  headers?: Record<string, string>;
}

const codesOf = (operation: OperationId, answer: Answer) => judged(operation, answer).map(({ code }) => code);

function judged(operation: OperationId, { status = 200, body, type = JSON_TYPE, headers = {} }: Answer) {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const exchange: Exchange = {
    probe: { operation, path },
    sent: {
      method: "GET",
      url: "http://provider.example/",
      headers: { Authorization: "Bearer the-token-of-the-test" },
      body: undefined,
    },
    answer: {
      kind: "answer",
      status,
      text,
      json: jsonOf(text),
      headers: { ...headers, ...(type !== null && { "content-type": type }) },
    },
  };
  return judge(exchange) as Found[];
}

function without(body: object, ...names: string[]) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

describe("a response that follows the contract has no finding", () => {
  it.each<[string, OperationId, Answer]>([
    ["variant A", "getShift", { body: A }],
    ["variant B", "getShift", { body: B }],
    ["unknown fields", "getShift", { body: { ...A, colour: "red" } }],
    [
      "an unknown field of lists in 63 others",
      "getShift",
      { body: JSON.stringify(A).replace("{", `{"unread":${"[".repeat(63)}${"]".repeat(63)},`) },
    ],
    ["an id spelt in capitals", "getShift", { body: { ...A, id: A.id.toUpperCase() } }],
    ["an update with the shift", "updateShift", { body: A }],
    ["an update with another body", "updateShift", { body: { success: true } }],
    ["an update with an empty 200", "updateShift", { type: null }],
    ["an update with 204", "updateShift", { status: 204, type: null }],
    ["a cancellation", "cancelShift", { status: 204, type: null }],
    ["a minimal acknowledgement", "assignCandidate", { body: { success: true } }],
    [
      "a full acknowledgement",
      "assignCandidate",
      { body: { success: true, ...path, assignedAt: "2027-03-01T09:30:00Z" } },
    ],
    ["an assignment with 204", "assignCandidate", { status: 204, type: null }],
    ["an unassignment with 200", "unassignCandidate", { body: { success: true } }],
    ["no match", "findCandidates", { body: [] }],
    ["a match", "findCandidates", { body: [person] }],
    [
      "a match under the hyphenated form",
      "findCandidates",
      { body: [{ ...person, personalNumber: "18900116-9813" }] },
    ],
    ["a candidate created with 200", "createCandidate", { body: person }],
    ["a candidate created with 201", "createCandidate", { status: 201, body: person }],
    ["outlets", "listOutlets", { body: [{ id: "o-1", name: "Kajen", address: null }] }],
    ["no outlets", "listOutlets", { body: [] }],
    ["roles", "listRoles", { body: [{ id: "r-1", name: "Waiter" }] }],
    ["an empty registry", "getCandidateRegistry", { body: { candidates: [] } }],
    ["the whole registry", "getCandidateRegistry", { body: example("candidate-registry") }],
    ["a registry entry with few fields", "getCandidateRegistry", { body: { candidates: [person] } }],
    ["a registry that is not offered", "getCandidateRegistry", { status: 501, ...problemBody(501) }],
    ["a problem document", "getShift", { status: 404, ...problemBody(404) }],
  ])("%s", (_, operation, answer) => {
    expect(codesOf(operation, answer)).toEqual([]);
  });

  it.each(["shift-variant-a", "shift-variant-b"])("the spec's example %s", (name) => {
    const body = example(name);
    expect(codesOf("getShift", { body: { ...body, id: A.id } })).toEqual([]);
  });
});

function registryWithout(name: string) {
  const [entry] = example("candidate-registry").candidates;
  return { body: { candidates: [without(entry, name), person] } };
}

function problemBody(status: number) {
  const body = { type: "about:blank", title: "Not here", status, code: "not_found" };
  return { body, type: "application/problem+json" };
}

describe("a response that violates the contract has a finding", () => {
  it.each<[string, OperationId, Answer, string[]]>([
    ["a 5xx", "getShift", { status: 500, ...problemBody(500) }, ["server_error"]],
    ["501 for a required operation", "listRoles", { status: 501, type: null }, ["server_error"]],
    ["a redirect", "getShift", { status: 302, type: null }, ["redirected"]],
    ["429 after every wait", "getShift", { status: 429, ...problemBody(429) }, ["skipped_rate_limited"]],
    ["201 for a read", "getShift", { status: 201, body: A }, ["status_wrong"]],
    ["200 for a cancellation", "cancelShift", { body: { success: true } }, ["status_wrong"]],
    ["202 for a creation", "createCandidate", { status: 202, body: person }, ["status_wrong"]],
    ["204 for a read", "listOutlets", { status: 204, type: null }, ["status_wrong"]],
    ["an empty body", "getShift", {}, ["body_missing"]],
    ["half a body", "getShift", { body: '{"id": "0c6' }, ["body_not_json"]],
    [
      "lists in 65 others",
      "getShift",
      { body: JSON.stringify(A).replace("{", `{"unread":${"[".repeat(64)}${"]".repeat(64)},`) },
      ["body_not_json"],
    ],
    [
      "an error of lists in 65 others",
      "getShift",
      { status: 404, body: `${"[".repeat(65)}${"]".repeat(65)}` },
      ["error_body_broken"],
    ],
    ["a web page", "getShift", { body: "<h1>Hi</h1>", type: "text/html" }, ["body_not_json"]],
    ["JSON as a web page", "getShift", { body: A, type: "text/html" }, ["content_type_wrong"]],
    [
      "bytes that are not UTF-8",
      "listRoles",
      { body: '[{"id":"r","name":"Kock \uFFFD"}]' },
      ["body_not_json"],
    ],
    [
      "the token in an error",
      "getShift",
      { status: 401, body: { error: "bad token the-token-of-the-test" } },
      ["error_not_problem", "token_leaked"],
    ],
    ["JSON as text", "listRoles", { body: [], type: "text/plain" }, ["content_type_wrong"]],
    ["JSON without Content-Type", "listRoles", { body: [], type: null }, ["content_type_missing"]],
    ["null", "getShift", { body: "null" }, ["field_wrong"]],
    ["a list in an object", "listOutlets", { body: { items: [] } }, ["field_wrong"]],
    ["a shift in a list", "getShift", { body: [A] }, ["field_wrong"]],
    ["no start", "getShift", { body: without(A, "startTime") }, ["field_missing"]],
    ["no assigned candidates", "getShift", { body: without(B, "assignedCandidates") }, ["field_missing"]],
    ["slots as a string", "getShift", { body: { ...A, slots: "2" } }, ["field_wrong"]],
    ["a break as a string", "getShift", { body: { ...B, breakMinutes: "30" } }, ["field_wrong"]],
    ["null for the outlet's name", "getShift", { body: { ...A, outletName: null } }, ["field_wrong"]],
    ["a status in capitals", "getShift", { body: { ...B, status: "OPEN" } }, ["field_wrong"]],
    ["an id as a number", "getShift", { body: { ...A, id: 7 } }, ["field_wrong"]],
    ["a time as a number", "getShift", { body: { ...A, startTime: 1_800_000_000 } }, ["time_invalid"]],
    ["no positions in A", "getShift", { body: without(A, "slots") }, ["positions_missing"]],
    ["no positions in B", "getShift", { body: without(B, "numberOfPositions") }, ["positions_missing"]],
    ["two numbers of positions", "getShift", { body: { ...B, slots: 3 } }, ["positions_differ"]],
    ["no name of the outlet", "getShift", { body: without(A, "outletName") }, ["field_recommended"]],
    [
      "a start without offset",
      "getShift",
      { body: { ...A, startTime: "2027-03-27T22:00:00" } },
      ["time_without_offset"],
    ],
    [
      "a creation time without offset",
      "getShift",
      { body: { ...B, createdAt: "2027-03-01T08:00:00" } },
      ["time_without_offset"],
    ],
    ["a local time", "getShift", { body: { ...A, startTime: "27/03/2027 22:00" } }, ["time_invalid"]],
    [
      "the end first",
      "getShift",
      { body: { ...A, startTime: A.endTime, endTime: A.startTime } },
      ["end_not_after_start"],
    ],
    [
      "an end that databases cannot store",
      "getShift",
      { body: { ...A, endTime: "9999-12-31T23:59:59-23:59" } },
      ["time_invalid"],
    ],
    [
      "another shift",
      "getShift",
      { body: { ...A, id: "1c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3" } },
      ["id_mismatch"],
    ],
    [
      "a candidate twice",
      "getShift",
      { body: { ...A, assignedCandidates: [...A.assignedCandidates, ...A.assignedCandidates] } },
      ["duplicate_id"],
    ],
    [
      "an entry of variant B in A",
      "getShift",
      { body: { ...A, assignedCandidates: B.assignedCandidates } },
      ["field_missing"],
    ],
    [
      "an entry of variant A in B",
      "getShift",
      { body: { ...B, assignedCandidates: A.assignedCandidates } },
      ["field_missing"],
    ],
    ["an update with a string for slots", "updateShift", { body: { ...A, slots: "2" } }, ["field_wrong"]],
    ["an update of another shift", "updateShift", { body: { ...A, id: "other" } }, ["id_mismatch"]],
    ["an update that fails", "updateShift", { body: { success: false } }, ["success_denied"]],
    ["an update with broken JSON", "updateShift", { body: "{" }, ["body_not_json"]],
    ["an assignment that fails", "assignCandidate", { body: { success: false } }, ["success_denied"]],
    ["success as a string", "assignCandidate", { body: { success: "true" } }, ["field_wrong"]],
    ["no success", "assignCandidate", { body: {} }, ["field_missing"]],
    [
      "an assignment of another",
      "assignCandidate",
      { body: { success: true, candidateId: "other" } },
      ["id_mismatch"],
    ],
    [
      "an assignment without offset",
      "assignCandidate",
      { body: { success: true, assignedAt: "2027-03-01T09:30:00" } },
      ["time_without_offset"],
    ],
    ["an unassignment that fails", "deleteAssignment", { body: { success: false } }, ["success_denied"]],
    ["candidates with one id", "findCandidates", { body: [person, person] }, ["duplicate_id"]],
    ["a candidate without id", "findCandidates", { body: [without(person, "id")] }, ["field_missing"]],
    [
      "a candidate without phone",
      "findCandidates",
      { body: [without(person, "phone")] },
      ["field_recommended"],
    ],
    [
      "a number in ten digits",
      "createCandidate",
      { body: { ...person, personalNumber: "9001169813" } },
      ["personal_number_wrong"],
    ],
    [
      "a number that cannot exist",
      "createCandidate",
      { body: { ...person, personalNumber: "19900721-2394" } },
      ["personal_number_invalid"],
    ],
    [
      "outlets with one id",
      "listOutlets",
      { body: [1, 2].map(() => ({ id: "o", name: "Kajen", address: null })) },
      ["duplicate_id"],
    ],
    ["an outlet without name", "listOutlets", { body: [{ id: "o", address: null }] }, ["field_missing"]],
    ["a registry that is a list", "getCandidateRegistry", { body: [person] }, ["field_wrong"]],
    [
      "an entry without number",
      "getCandidateRegistry",
      { body: { candidates: [without(person, "personalNumber")] } },
      ["field_missing"],
    ],
    [
      "a registry without any work history",
      "getCandidateRegistry",
      registryWithout("workHistory"),
      ["field_missing"],
    ],
    [
      "a registry without bank details",
      "getCandidateRegistry",
      registryWithout("bankDetails"),
      ["field_recommended"],
    ],
    [
      "an invalid date",
      "getCandidateRegistry",
      { body: { candidates: [{ ...person, workHistory: [{ date: "3 May 2026" }] }] } },
      ["time_invalid"],
    ],
    [
      "an error that is not JSON",
      "getShift",
      { status: 404, body: "{", type: JSON_TYPE },
      ["error_body_broken"],
    ],
    [
      "a problem with another status",
      "getShift",
      { status: 404, ...problemBody(400) },
      ["error_body_broken"],
    ],
    [
      "a problem without code",
      "getShift",
      { status: 404, body: { title: "Gone" }, type: "application/problem+json" },
      ["error_not_problem"],
    ],
    ["an error in another form", "getShift", { status: 404, body: { error: "gone" } }, ["error_not_problem"]],
    ["an error page", "getShift", { status: 404, body: "<p>", type: "text/html" }, ["error_not_problem"]],
    [
      "a stack trace",
      "getShift",
      { status: 400, body: { error: "Traceback (most recent call last):" } },
      ["error_not_problem", "error_leaks"],
    ],
    [
      "a database message",
      "getShift",
      { status: 400, body: { error: "SELECT id, name FROM shifts WHERE id = 'x'" } },
      ["error_not_problem", "error_leaks"],
    ],
    [
      "prose with words of SQL",
      "getShift",
      { status: 400, body: { error: "please select a shift from the list, or update it" } },
      ["error_not_problem"],
    ],
  ])("%s", (_, operation, answer, codes) => {
    expect(codesOf(operation, answer)).toEqual(codes);
  });

  it.each([
    ["hung", "no_answer"],
    ["broken", "connection_broken"],
  ] as const)("%s: %s", (kind, code) => {
    const sent = { method: "GET", url: "http://provider.example/", headers: {}, body: undefined };
    const answer = { kind, reason: "the connection failed: ECONNRESET" };
    expect(judge({ probe: { operation: "listRoles" }, sent, answer }).map((each) => each.code)).toEqual([
      code,
    ]);
  });
});

describe("the texts of a finding", () => {
  const startTime = "2027-03-27T22:00:00";

  it.each<[string, OperationId, Answer, { expected?: string; actual: string; fix?: RegExp }]>([
    [
      "a number as a string",
      "getShift",
      { body: { ...A, slots: "2" } },
      { expected: "slots: an integer", actual: 'slots: received "2"' },
    ],
    [
      "null for a list",
      "getShift",
      { body: { ...A, assignedCandidates: null } },
      {
        expected: "assignedCandidates: an array",
        actual: "assignedCandidates: received null",
        fix: /Return an empty array/,
      },
    ],
    [
      "null for the whole list",
      "findCandidates",
      { body: "null" },
      { actual: "the body: received null", fix: /Return an empty array/ },
    ],
    [
      "a local time of another form",
      "getShift",
      { body: { ...A, startTime: "27/03/2027 22:00" } },
      {
        expected: "startTime: an ISO 8601 time with an offset",
        actual: 'startTime: received "27/03/2027 22:00"',
      },
    ],
    [
      "two times without offset, in one finding",
      "getShift",
      { body: { ...A, startTime, endTime: "2027-03-28T06:00:00" } },
      {
        expected: "startTime and endTime in ISO 8601 with an offset",
        actual: 'startTime: received "2027-03-27T22:00:00"',
      },
    ],
    [
      "a status in capitals",
      "getShift",
      { body: { ...B, status: "OPEN" } },
      { expected: 'status: one of "open", "filled", "cancelled"', actual: 'status: received "OPEN"' },
    ],
    [
      "success as a string",
      "assignCandidate",
      { body: { success: "true" } },
      { actual: 'success: received "true"' },
    ],
    [
      "several fields that are missing",
      "getShift",
      { body: without(A, "startTime", "roleId") },
      {
        expected: "every field that the contract lists",
        actual: "startTime is missing; roleId is missing",
      },
    ],
    [
      "a field of an entry",
      "listOutlets",
      { body: [{ id: 7, name: "Kajen", address: null }] },
      { expected: "[*].id: a string", actual: "[*].id: received 7" },
    ],
    [
      "a body that ends early",
      "getShift",
      { body: '{"id": "0c6', headers: { "content-length": "11" } },
      {
        actual: expect.stringContaining("after the 11 bytes that Content-Length announces"),
        fix: /in bytes/,
      },
    ],
    [
      "a redirect",
      "getShift",
      { status: 301, type: null, headers: { location: "https://api.example/v2/shifts/1?key=secret" } },
      {
        actual: "status 301, Location: https://api.example/v2/shifts/1",
        fix: /Use the final address: https:\/\/api\.example\/v2\/shifts\/1\./,
      },
    ],
  ])("describe %s", (_, operation, answer, { fix, ...texts }) => {
    const [finding, ...others] = judged(operation, answer);
    expect(others).toEqual([]);
    expect(finding).toMatchObject(texts);
    if (fix) expect(finding?.fix).toMatch(fix);
  });

  it.each<[string, OperationId, Answer]>([
    ["a name", "createCandidate", { body: { ...person, lastName: 4711 } }],
    ["a personal number", "createCandidate", { body: { ...person, personalNumber: 9001169813 } }],
    ["an e-mail address", "createCandidate", { body: { ...person, email: ["4711"] } }],
    ["a phone number", "createCandidate", { body: { ...person, phone: 4711 } }],
    ["an id that is a personal number", "createCandidate", { body: { ...person, id: 9001169813 } }],
  ])("never show %s", (_, operation, answer) => {
    const texts = judged(operation, answer).map(({ expected, actual, fix }) => [expected, actual, fix]);
    expect(texts.length).toBeGreaterThan(0);
    expect(JSON.stringify(texts)).not.toMatch(/4711|9001169813/);
  });

  it("have the same cause for another value in the same field", () => {
    const causes = ["2", "3"].map((slots) => judged("getShift", { body: { ...A, slots } })[0]?.cause);
    expect(causes[0]).toBe(causes[1]);
  });
});

describe("an error body as text", () => {
  const codes = (body: string) => codesOf("getShift", { status: 400, body, type: "text/plain" });

  it.each([
    "Error: no shift\n    at read (/srv/api/shifts.js:10:21)\n    at next (node:internal:5:1)",
    "java.lang.NullPointerException\r\n\tat se.provider.Shifts.read(Shifts.java:42)",
    "panic: nil\ngoroutine 12 [running]:",
    "Undefined index in /srv/shifts.php on line 7",
    "near: INSERT INTO shifts VALUES (1)",
    "UPDATE shifts SET status = 1",
    "DELETE FROM shifts",
    "(SELECT id\nFROM shifts\nJOIN roles",
    "SQLSTATE 23505",
    "ORA-00942: no table",
  ])("leaks when it holds a stack trace or a database message: %j", (body) => {
    expect(codes(body)).toEqual(["error_leaks", "error_not_problem"]);
  });

  it("is searched up to its 50,000th character", () => {
    const endingAt = (end: number) => codes("SQLSTATE".padStart(end));
    expect(endingAt(50_000)).toContain("error_leaks");
    expect(endingAt(50_001)).not.toContain("error_leaks");
  });

  it.each(["SELECT <a> FROM the list WHERE you like", "The shift is at 10:15:20.", "at 10:15:20"])(
    "leaks nothing when it is prose: %j",
    (body) => {
      expect(codes(body)).toEqual(["error_not_problem"]);
    },
  );
});

describe("a body that is not what the contract says names the cause and its fix:", () => {
  const notFound = '<br />\n<b>Warning</b>:  Undefined array key "x" in /srv/a.php on line 7\n';
  const at = (startTime: unknown) => ({ ...A, startTime });

  it.each<[string, OperationId, Answer, string, string, string]>([
    [
      "a warning before it",
      "getShift",
      { body: `${notFound}{}` },
      "body_not_json",
      'begins with "Warning',
      "display_errors=0",
    ],
    [
      "a stack of Python",
      "getShift",
      { body: "Traceback (most recent call last)" },
      "body_not_json",
      'with "Traceback',
      "Log",
    ],
    [
      "a digit run in a warning",
      "getShift",
      { body: "Notice: 189001169813" },
      "body_not_json",
      'with "Notice: …"',
      "Log",
    ],
    [
      "a comma too many",
      "listRoles",
      { body: '[{"name": "å",}]' },
      "body_not_json",
      "at byte 15",
      "complete JSON",
    ],
    [
      "a name without quotes",
      "listRoles",
      { body: "[{id: 1}]" },
      "body_not_json",
      "at byte 2",
      "complete JSON",
    ],
    [
      "a list with gaps",
      "listRoles",
      { body: { 1: { id: "r", name: "R" } } },
      "field_wrong",
      "an object",
      "array_values",
    ],
    [
      "a space instead of T",
      "getShift",
      { body: at("2027-03-27 22:00:00+01:00") },
      "time_invalid",
      "2027-03-27 22",
      "T instead of",
    ],
    [
      "the form of e-mail",
      "getShift",
      { body: at("Sat, 27 Mar 2027 22:00:00 +0100") },
      "time_invalid",
      "Sat, 27",
      "e-mail",
    ],
    [
      "a named zone",
      "getShift",
      { body: at("2027-03-27T22:00:00 Europe/Stockholm") },
      "time_invalid",
      "Stock",
      "name of the zone",
    ],
    [
      "a letter zone",
      "getShift",
      { body: at("2027-03-27T22:00:00 CET") },
      "time_invalid",
      "CET",
      "name of the zone",
    ],
    [
      "a number",
      "getShift",
      { body: at(1_806_181_200) },
      "time_invalid",
      "received a number",
      "number of seconds",
    ],
    ["a date", "getShift", { body: at("2027-03-27") }, "time_invalid", "2027-03-27", "date alone"],
    [
      "the order of a country",
      "getShift",
      { body: at("27/03/2027 22:00") },
      "time_invalid",
      "27/03",
      "in this order",
    ],
  ])("%s", (_, operation, answer, code, actual, fix) => {
    const [first, ...more] = judged(operation, answer);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ code, actual: expect.stringContaining(actual) });
    expect(first?.fix ?? codes[first?.code as keyof typeof codes].fix).toContain(fix);
  });
});
