import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import { engines, featureEngines } from "../../harness/engines.ts";
import { expectProblem, pointersOf } from "../../harness/http.ts";
import { shiftEvent, storedEvents, useTenants } from "../../harness/tenants.ts";

/** What PostgreSQL's text cannot hold, or would hold changed. */
const UNSTORABLE = [
  ["U+0000", "a\u0000b"],
  ["a lone high surrogate", "a\ud800b"],
  ["a lone low surrogate", "a\udfffb"],
] as const;

const person = (change: object) => ({
  personalNumber: "189001169813",
  firstName: "Ada",
  lastName: "Strand",
  email: "ada.strand@example.com",
  phone: "+46701740605",
  competenceIds: [],
  ...change,
});

const integration = (change: object) => ({
  providerId: randomUUID(),
  kind: "tempo",
  name: "Kajen",
  baseUrl: "http://127.0.0.1:9",
  providerToken: "provider-token",
  ...change,
});

const hire = (address: string) => ({
  address,
  postCode: "11122",
  city: "Stockholm",
  countryCode: "se",
  emergencyContact: { name: "Bo", phone: "+46701740606", relationship: "brother" },
  bankDetails: { clearingNumber: "8000", accountNumber: "1" },
  documents: { citizenship: "SE", workPermitRequired: false, workPermitExpiry: null, passportVerified: true },
});

const BODIES: [path: string, pointer: string, body: (text: string) => object][] = [
  ["/workplaces", "/name", (name) => ({ name })],
  ["/workplaces", "/address", (address) => ({ name: "Kajen", address })],
  ["/competences", "/name", (name) => ({ name })],
  ["/candidates", "/firstName", (firstName) => person({ firstName })],
  ["/candidates", "/lastName", (lastName) => person({ lastName })],
  ["/candidates", "/email", (email) => person({ email })],
  ["/candidates", "/phone", (phone) => person({ phone })],
  ["/candidates", "/hire/address", (text) => person({ hire: hire(text) })],
  ["/integrations", "/name", (name) => integration({ name })],
  ["/integrations", "/kind", (kind) => integration({ kind })],
  ["/integrations", "/baseUrl", (text) => integration({ baseUrl: `http://127.0.0.1/${text}` })],
  ["/integrations", "/providerToken", (text) => integration({ providerToken: `provider-${text}` })],
  ["/integrations", "/timeZone", (timeZone) => integration({ timeZone })],
];

/** Every query parameter of the document. */
const QUERIES = operationsTable.flatMap(({ method, path, parameters }) =>
  parameters.filter((each) => each.in === "query").map(({ name }) => [method, path, name] as const),
);

describe.each(featureEngines)("text that cannot be stored, on %s", (engine) => {
  const harness = useTenants(engine);

  it.each(QUERIES)(
    "is refused in the query of %s %s as %s, in a response that is not kept",
    async (method, path, name) => {
      const filled = path.replaceAll(/\{\w+\}/g, randomUUID());
      const answer = await harness().operate(method, `${filled}?${name}=%00`);
      expectProblem(answer, "validation_failed");
      expect(answer.headers["cache-control"]).toBe("no-store");
    },
  );

  it.each(BODIES)("is refused by POST %s in %s", async (path, pointer, body) => {
    for (const [, text] of UNSTORABLE) {
      const answer = await harness().operate("POST", path, body(text));
      expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual([pointer]);
    }
  });

  it("is refused in filters and path values", async () => {
    const { operate } = harness();
    const wrong: [string, string][] = [
      ["/jobs?shiftId=a%00b", "#/query/shiftId"],
      ["/events?shiftId=%00", "#/query/shiftId"],
      ["/events?traceId=a%00", "#/query/traceId"],
      ["/traces/a%00b", "#/path/traceId"],
      ["/jobs/%00", "#/path/jobId"],
    ];
    for (const [path, pointer] of wrong) {
      expect(pointersOf(expectProblem(await operate("GET", path), "validation_failed"))).toEqual([pointer]);
    }
    const id = randomUUID();
    const mappings = { outlets: [{ outletId: "a\u0000b", workplaceId: id }], roles: [] };
    const { providerId } = harness().tenant;
    const answer = await operate("PUT", `/integrations/${providerId}/mappings`, mappings);
    expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual(["/outlets/0/outletId"]);
  });

  it("is replaced in the name of an unknown event: a lone surrogate", async () => {
    const { sendEvent, tenant } = harness();
    const event = shiftEvent(tenant.providerId, "shift.\ud800");
    expect((await sendEvent(event)).status).toBe(200);
    expect(await storedEvents(harness())).toEqual([
      expect.objectContaining({ traceId: event.traceId, event: "shift.\ufffd", status: "ignored" }),
    ]);
  });

  it("is no part of an unknown event, which is stored without content or with content of any form", async () => {
    const { sendEvent, tenant } = harness();
    const { content, ...event } = shiftEvent(tenant.providerId, "shift.moved");
    for (const other of [undefined, {}, { shiftId: "a\u0000" }, { shiftId: 5 }, { shiftId: "å" }]) {
      const answer = await sendEvent({ ...event, traceId: randomUUID(), ...(other && { content: other }) });
      expect(answer.status).toBe(200);
    }
    expect((await sendEvent({ ...event, content })).status).toBe(200);
  });

  it("is stored nowhere after it was refused", async () => {
    const { operate } = harness();
    for (const list of ["workplaces", "competences", "candidates"]) {
      expect((await operate("GET", `/${list}`)).body).toEqual({ items: [] });
    }
  });
});

/** In the form of the documents, and before year 1 or after year 9999 in UTC: no engine reads all of them. */
const BEYOND = [
  "0000-01-01T00:00:00Z",
  "0000-12-31t23:59:59.999z",
  "0001-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59-23:59",
];
const AT_THE_EDGE = [
  "0001-01-01T00:00:00Z",
  "0000-12-31T23:59:59-23:59",
  "9999-12-31T23:59:59.999999999Z",
  "2024-02-29T23:59:59.123456789+23:59",
];

describe.each(engines)("a time in a request, on %s", (engine) => {
  const harness = useTenants(engine);
  const replay = (since: string) =>
    harness().operate("POST", "/events/replay", { providerId: harness().tenant.providerId, since });

  it.each(BEYOND)("is refused where it cannot be stored: %s", async (time) => {
    expect(pointersOf(expectProblem(await replay(time), "validation_failed"))).toEqual(["/since"]);
    const change = { startTime: time, endTime: time };
    const answer = await harness().operate("PATCH", `/jobs/${randomUUID()}`, change);
    expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual(["/startTime", "/endTime"]);
  });

  it.each(AT_THE_EDGE)("is accepted up to the limit: %s", async (time) => {
    expect(await replay(time)).toMatchObject({ status: 202, body: { queued: 0 } });
  });
});
