import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import { KIND, OPERATIONS_TOKEN, shiftEvent, useEdge } from "./edge.ts";
import { type Answer, expectSomeProblem } from "./send.ts";
import { bodies } from "./valid-requests.ts";

const RUNS = { numRuns: 25 };

const NASTY = [
  "\u0000",
  "\ud800",
  "%00",
  "%",
  "../..",
  "'; drop table events; --",
  "💥".repeat(60),
  "__proto__",
];

const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary" }), fc.uuid());
const value = fc.oneof(
  text,
  fc.jsonValue(),
  fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, "", [], {}, [[]]),
);

/** One character after the other may be encoded or not; nothing that ends the request line. */
const segment = fc.oneof(
  fc.uuid(),
  text.map((raw) => encodeURIComponent(raw.toWellFormed())),
  fc.stringMatching(/^[!-~]{1,40}$/).map((raw) => raw.replaceAll(/[/?#]/g, "%")),
);

/** A right body with some members replaced, left out or added; or any JSON; or any text. */
function bodyOf(right: () => Record<string, unknown>): fc.Arbitrary<unknown> {
  const changed = fc
    .dictionary(fc.constantFrom(...Object.keys(right()), "more"), fc.option(value, { nil: undefined }), {
      minKeys: 1,
    })
    .map((changes) => ({ ...right(), ...changes }));
  return fc.oneof(
    { arbitrary: changed, weight: 3 },
    fc.jsonValue().map((json) => JSON.stringify(json)),
    text,
  );
}

/** A query with declared names, right and wrong values, and some repeated. */
function queryOf(names: readonly string[]): fc.Arbitrary<string> {
  if (names.length === 0) return fc.constant("");
  const pair = fc.tuple(fc.constantFrom(...names, "unknown"), segment);
  return fc.array(pair, { maxLength: 4 }).map((pairs) => `?${pairs.map((each) => each.join("=")).join("&")}`);
}

function pathOf(template: string, known: string): fc.Arbitrary<string> {
  const parts = template.split("/").map((part) => {
    if (!part.startsWith("{")) return fc.constant(part);
    return fc.oneof(segment, fc.constant(known));
  });
  return fc.tuple(...parts).map((segments) => segments.join("/"));
}

function isHandled(answer: Answer): void {
  expect(answer.status).toBeLessThan(500);
  if (answer.status >= 400) expectSomeProblem(answer);
}

// What a text does to either engine is shown in text.test.ts.
describe("generated input", () => {
  const edge = useEdge("postgres");

  it.each(operationsTable)("never breaks $operationId", async ({ operationId, method, path, parameters }) => {
    const right = bodies[operationId];
    const names = parameters.filter((each) => each.in === "query").map(({ name }) => name);
    // These call the provider of a known organisation, and there is none here.
    const callsProvider = ["discoverIntegration", "importRegistry"].includes(operationId);
    const known = callsProvider ? randomUUID() : edge().tenant.providerId;
    const request = fc.record({
      path: pathOf(path, known),
      query: queryOf(names),
      body: right ? bodyOf(right) : fc.constant(undefined),
    });
    const property = fc.asyncProperty(request, async ({ path: filled, query, body }) => {
      const authorization = `Bearer ${OPERATIONS_TOKEN}`;
      isHandled(await edge().send(`/operations/v1${filled}${query}`, { method, authorization, body }));
    });
    await fc.assert(property, RUNS);
  });

  it("never breaks a webhook, and keeps what was stored", async () => {
    // Not of the tenant above: a generated call may well have rotated its token away.
    const { send, other: tenant } = edge();
    const before = shiftEvent(tenant.providerId);
    const authorization = `Bearer ${tenant.platformToken}`;
    const stored = { method: "POST", authorization, body: before };
    expect((await send("/webhooks/scheduling-provider", stored)).status).toBe(200);
    const paths = [`/api/v3/integrations/${KIND}/webhook`, "/webhooks/scheduling-provider"];
    const body = bodyOf(() => shiftEvent(tenant.providerId));
    const property = fc.asyncProperty(fc.constantFrom(...paths), body, async (path, sent) => {
      isHandled(await send(path, { method: "POST", authorization, body: sent }));
    });
    await fc.assert(property, { numRuns: 150 });
    const { body: found } = await edge().operate("GET", `/events?traceId=${before.traceId}`);
    expect(found).toMatchObject({ items: [{ traceId: before.traceId }] });
  });
});
