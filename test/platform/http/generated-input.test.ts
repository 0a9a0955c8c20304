import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import { engines } from "../../harness/engines.ts";
import { expectSomeProblem, type HttpResponse } from "../../harness/http.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { KIND, shiftEvent, type Tenant, useTenants } from "../../harness/tenants.ts";
import { bodies, type OperationId } from "../../harness/valid-requests.ts";

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

/** At the edges of what a calendar, a clock, `Date` or a database takes, and beyond. */
const TIMES = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00+23:59",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59-23:59",
  "9999-12-31T23:59:59.999999999Z",
  "2024-02-29t23:59:59z",
  "2026-02-29T00:00:00Z",
  "2026-12-31T23:59:60Z",
  "+010000-01-01T00:00:00Z",
  "2026-01-01T00:00:00",
];

const time = fc.oneof(
  fc.constantFrom(...TIMES),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary" }), fc.uuid(), time);
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

type BodyOf = () => Record<string, unknown>;

/** A right body with some members replaced, left out or added; or any JSON; or any text. */
function bodyOf(right: BodyOf): fc.Arbitrary<unknown> {
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

/** Of each time in a right body every harness, with nothing else wrong: chance would seldom bring that. */
function edgesOf(right: BodyOf): Record<string, unknown>[] {
  const times = Object.entries(right()).filter(
    ([, was]) => typeof was === "string" && /^\d{4}-\d{2}-\d{2}T/.test(was),
  );
  return times.flatMap(([name]) => TIMES.map((harness) => ({ ...right(), [name]: harness })));
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

/** About something that is there, where it can be: a wrong value must get past the look-up to do harm. */
function rightBody(operationId: OperationId, { providerId }: Tenant): BodyOf | undefined {
  const right = bodies[operationId];
  if (operationId === "replayEvents") return () => ({ ...right?.(), providerId });
  if (operationId !== "changeJob") return right;
  const times = { startTime: "2027-03-01T08:00:00Z", endTime: "2027-03-01T16:00:00Z" };
  return () => ({ ...right?.(), ...times });
}

function isHandled(answer: HttpResponse): void {
  // 502: the provider of a valid request, which is not running.
  if (answer.status !== 502) expect(answer.status).toBeLessThan(500);
  if (answer.status >= 400) expectSomeProblem(answer);
}

describe.each(engines)("generated input, on %s", (engine) => {
  const harness = useTenants(engine);

  // A stream does not end.
  it.each(operationsTable.filter((each) => each.operationId !== "readStream"))(
    "never breaks $operationId",
    async ({ operationId, method, path, parameters }) => {
      const right = rightBody(operationId, harness().tenant);
      const names = parameters.filter((each) => each.in === "query").map(({ name }) => name);
      // These call the provider of a known organisation, and no organisation is registered here.
      const callsProvider = ["discoverIntegration", "importRegistry"].includes(operationId);
      const known = callsProvider ? randomUUID() : harness().tenant.providerId;
      const request = fc.record({
        path: pathOf(path, known),
        query: queryOf(names),
        body: right ? bodyOf(right) : fc.constant(undefined),
      });
      const property = fc.asyncProperty(request, async ({ path: filled, query, body }) => {
        const authorization = `Bearer ${OPERATIONS_TOKEN}`;
        isHandled(await harness().send(`/operations/v1${filled}${query}`, { method, authorization, body }));
      });
      const edges = right ? edgesOf(right) : [];
      const filled = path.replaceAll(/\{\w+\}/g, known);
      await fc.assert(property, {
        ...RUNS,
        examples: edges.map((body) => [{ path: filled, query: "", body }]),
      });
    },
  );

  it("never breaks a webhook, and keeps what was stored", async () => {
    // Not of the tenant above: a generated call may well have rotated its token away.
    const { send, other: tenant } = harness();
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
    const { body: found } = await harness().operate("GET", `/events?traceId=${before.traceId}`);
    expect(found).toMatchObject({ items: [{ traceId: before.traceId }] });
  });
});
