import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import { asProblem } from "../../../src/platform/http/errors.ts";
import { silent } from "../../harness/engines.ts";
import { expectProblem, type HttpResponse, pointersOf, type RequestOptions } from "../../harness/http.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { KIND, shiftEvent, storedEvents, type TenantHarness, useTenants } from "../../harness/tenants.ts";

const LIMIT = 64 * 1024;

interface Target {
  name: string;
  method: string;
  /** Sends to it with the right token. */
  call(harness: TenantHarness, sending: RequestOptions): Promise<HttpResponse>;
}

/** An operation of each method that takes a body: the generated router reads the bodies of all in one place. */
const OPERATIONS: readonly string[] = ["createWorkplace", "changeJob", "updateMappings"];

const targets: Target[] = [
  ...[`/api/v3/integrations/${KIND}/webhook`, "/webhooks/scheduling-provider"].map((path) =>
    targetOf("POST", path, ({ tenant }) => tenant.platformToken),
  ),
  ...operationsTable
    .filter(({ operationId }) => OPERATIONS.includes(operationId))
    .map(({ method, path }) =>
      targetOf(method, `/operations/v1${path.replaceAll(/\{\w+\}/g, randomUUID())}`, () => OPERATIONS_TOKEN),
    ),
];

function targetOf(method: string, path: string, tokenOf: (harness: TenantHarness) => string): Target {
  return {
    name: `${method} ${path.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "{id}")}`,
    method,
    call: (harness, sending) =>
      harness.send(path, { method, authorization: `Bearer ${tokenOf(harness)}`, ...sending }),
  };
}

const NOT_JSON: [string, unknown][] = [
  ["half an object", '{"event":'],
  ["a word", "hello"],
  ["two values", "{}{}"],
  ["a trailing comma", '{"name":"x",}'],
  ["single quotes", "{'name':'x'}"],
  ["NaN", '{"name":NaN}'],
  ["a raw line feed in a string", '{"name":"a\nb"}'],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ["UTF-16", Buffer.from('{"name":"x"}', "utf16le")],
];

const NOT_AN_OBJECT: [string, string][] = [
  ["null", "null"],
  ["a number", "17"],
  ["a huge number", `1${"0".repeat(400)}`],
  ["a string", '"hello"'],
  ["a list", "[]"],
  ["true", "true"],
  ["a deep list", `${"[".repeat(30_000)}${"]".repeat(30_000)}`],
];

const WRONG_TYPES: [string, Record<string, string>][] = [
  ["no content type", { "content-type": "" }],
  ["text", { "content-type": "text/plain" }],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }],
  ["problem+json", { "content-type": "application/problem+json" }],
  ["a look-alike", { "content-type": "application/jsonp" }],
  ["another charset", { "content-type": "application/json; charset=latin1" }],
  ["compressed", { "content-encoding": "gzip" }],
];

const RIGHT_TYPES = [
  "application/json;charset=utf-8",
  'Application/JSON; charset="UTF-8"',
  "application/json; v=3",
];

// Refused before anything is asked of the database, so one engine is enough.
describe("bodies", () => {
  const harness = useTenants("postgres");

  describe.each(targets)("$name", ({ call }) => {
    it("refuses a body that is not JSON with 400", async () => {
      for (const [, body] of NOT_JSON) expectProblem(await call(harness(), { body }), "malformed_json");
    });

    it("refuses JSON that is not an object, with a pointer to the whole body", async () => {
      for (const [, body] of NOT_AN_OBJECT) {
        const faults = expectProblem(await call(harness(), { body }), "validation_failed");
        expect(pointersOf(faults)).toEqual([""]);
      }
    });

    it("refuses a body that is missing or empty", async () => {
      const empty = { headers: { "content-type": "application/json" } };
      for (const sending of [{}, empty, { ...empty, body: "", chunked: true }]) {
        const faults = expectProblem(await call(harness(), sending), "validation_failed");
        expect(faults).toEqual([{ pointer: "", message: "is missing" }]);
      }
    });

    it("refuses more than 64 kB with 413, with and without a content length", async () => {
      const body = JSON.stringify({ filler: "x".repeat(LIMIT) });
      expectProblem(await call(harness(), { body }), "payload_too_large");
      expectProblem(await call(harness(), { body, chunked: true }), "payload_too_large");
      const most = JSON.stringify({ filler: "x".repeat(LIMIT - '{"filler":""}'.length) });
      expectProblem(await call(harness(), { body: most }), "validation_failed");
    });

    it("refuses another media type, charset or encoding with 415", async () => {
      for (const [, headers] of WRONG_TYPES) {
        expectProblem(await call(harness(), { body: "{}", headers }), "unsupported_media_type");
      }
      for (const type of RIGHT_TYPES) {
        const answer = await call(harness(), { body: "{}", headers: { "content-type": type } });
        expectProblem(answer, "validation_failed");
      }
    });
  });

  it("keep what was stored before; none that was refused is stored", async () => {
    const { sendEvent, tenant } = harness();
    const before = shiftEvent(tenant.providerId);
    expect((await sendEvent(before)).status).toBe(200);
    const stored = await storedEvents(harness());
    expect(stored).toContainEqual(expect.objectContaining({ traceId: before.traceId }));
    for (const [, body] of [...NOT_JSON, ...NOT_AN_OBJECT]) await sendEvent(body);
    await sendEvent({ ...shiftEvent(tenant.providerId), filler: "x".repeat(LIMIT) });
    expect(await storedEvents(harness())).toEqual(stored);
  });
});

const coded = (code: string, message = "x") => Object.assign(new Error(message), { code });

/** What the driver rejects with when the database cannot do its work. */
const DOWN: unknown[] = [
  ...["08006", "53300", "57P01", "57P03", "25006", "3D000"].map((code) => coded(code)),
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENOTFOUND", "EAI_AGAIN"].map(
    (code) => coded(code),
  ),
  new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]),
  new Error("Connection terminated unexpectedly"),
  new Error("Connection terminated due to connection timeout"),
  new Error("timeout exceeded when trying to connect"),
  new Error("Client has encountered a connection error and is not queryable"),
];

const OURS: unknown[] = [
  coded("23505", "duplicate key: Key (email)=(ada@example.com)"),
  coded("42P01", 'relation "jobs" does not exist'),
  new TypeError("x is not a function"),
  "a string",
  undefined,
];

describe("what a handler throws", () => {
  it.each(["40001", "40P01"])(
    "is returned as 503 with Retry-After after a conflict of transactions: %s",
    (code) => {
      const lines: string[] = [];
      const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
      const { problem, headers } = asProblem(coded(code), log);
      expect([problem.code, problem.status, headers["Retry-After"]]).toEqual(["store_unavailable", 503, "5"]);
      expect(lines.join()).not.toContain("does not answer");
    },
  );

  it.each(DOWN)("is returned as 503 with Retry-After when the database is down: %s", (error) => {
    const { problem, headers } = asProblem(error, silent);
    expect([problem.code, problem.status, headers["Retry-After"]]).toEqual(["store_unavailable", 503, "5"]);
  });

  it.each(OURS)("is returned as 500 without details otherwise: %s", (error) => {
    const { problem } = asProblem(error, silent);
    expect(problem).toEqual({
      type: expect.stringContaining("internal_error"),
      title: "An internal error occurred",
      status: 500,
      code: "internal_error",
    });
  });
});
