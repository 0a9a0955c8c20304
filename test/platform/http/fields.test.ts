import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { expectProblem, pointersOf } from "../../harness/http.ts";
import { shiftEvent, storedEvents, useTenants } from "../../harness/tenants.ts";

const ID = randomUUID();
/** As deep as 64 kB allow: recursion over it would end the stack. */
/** As deep as an unknown member may be: the body around it is one more. */
const DEEP = "[".repeat(63) + "]".repeat(63);
const PERSON = {
  personalNumber: "189001169813",
  firstName: "Ada",
  lastName: "Strand",
  email: "ada.strand@example.com",
  phone: "+46701740605",
  competenceIds: [],
};
const INTEGRATION = {
  providerId: ID,
  kind: "tempo",
  name: "Kajen",
  baseUrl: "http://127.0.0.1:9/api",
  providerToken: "provider-token",
};
const HIRE = {
  address: "Storgatan 1",
  postCode: "11122",
  city: "Stockholm",
  countryCode: "SE",
  emergencyContact: { name: "Bo", phone: "+46701740606" },
  bankDetails: {},
  documents: { citizenship: "SE", workPermitRequired: "no", workPermitExpiry: null, passportVerified: true },
};

/** An address of this length whose parts are short enough. */
const longEmail = (length: number) =>
  `a@${`${"x".repeat(60)}.`.repeat(4)}`.padEnd(length - 3, "y").concat(".se");

/** Each operation that takes a body, a body that is wrong, and where. */
const WRONG: [method: string, path: string, body: object, pointers: string[]][] = [
  ["POST", "/integrations", {}, ["/providerId", "/kind", "/name", "/baseUrl", "/providerToken"]],
  ["POST", "/integrations", { ...INTEGRATION, providerId: "7", kind: "Tempo 1" }, ["/providerId", "/kind"]],
  ["POST", "/integrations", { ...INTEGRATION, name: "" }, ["/name"]],
  ["POST", "/integrations", { ...INTEGRATION, name: "x".repeat(101) }, ["/name"]],
  ["POST", "/integrations", { ...INTEGRATION, kind: "k".repeat(33) }, ["/kind"]],
  ["POST", "/integrations", { ...INTEGRATION, routing: "cookie", timeZone: 2 }, ["/routing", "/timeZone"]],
  ["POST", "/integrations", { ...INTEGRATION, providerToken: "with space" }, ["/providerToken"]],
  ["POST", "/integrations", { ...INTEGRATION, baseUrl: "not a url" }, ["/baseUrl"]],
  ["POST", "/integrations", { ...INTEGRATION, baseUrl: "ftp://provider.example" }, ["/baseUrl"]],
  ["POST", "/integrations", { ...INTEGRATION, baseUrl: "http://u:p@provider.example" }, ["/baseUrl"]],
  ["POST", "/integrations", { ...INTEGRATION, baseUrl: "http://provider.example/?a=1" }, ["/baseUrl"]],
  ["POST", "/integrations", { ...INTEGRATION, baseUrl: "http://provider.example/#a" }, ["/baseUrl"]],
  ["POST", "/integrations", { ...INTEGRATION, timeZone: "Europe/Atlantis" }, ["/timeZone"]],
  ["POST", "/integrations", { ...INTEGRATION, timeZone: "+01:00" }, ["/timeZone"]],
  // The time of Bangladesh, a zone that no database knows, and one without summer time.
  ["POST", "/integrations", { ...INTEGRATION, timeZone: "BST" }, ["/timeZone"]],
  ["POST", "/integrations", { ...INTEGRATION, timeZone: "AET" }, ["/timeZone"]],
  ["POST", "/integrations", { ...INTEGRATION, timeZone: "EST" }, ["/timeZone"]],
  ["POST", "/integrations", { ...INTEGRATION, name: "Kajen\r\nSubject: a" }, ["/name"]],
  ["POST", "/integrations", { ...INTEGRATION, name: "\u202eKajen" }, ["/name"]],
  ["POST", "/workplaces", { name: "Kajen\u200b" }, ["/name"]],
  ["POST", "/competences", { name: "\u3164\u2800 " }, ["/name"]],
  ["POST", "/candidates", { ...PERSON, firstName: "  " }, ["/firstName"]],
  ["POST", "/candidates", { ...PERSON, lastName: "Ek\u200b" }, ["/lastName"]],
  [
    "POST",
    "/integrations",
    { ...INTEGRATION, baseUrl: "ftp://x", timeZone: "Mars" },
    ["/baseUrl", "/timeZone"],
  ],
  ["PATCH", `/integrations/${ID}`, { baseUrl: "ftp://x", timeZone: "Mars" }, ["/baseUrl", "/timeZone"]],
  ["PATCH", `/integrations/${ID}`, { kind: "Tempo 1", routing: "cookie" }, ["/kind", "/routing"]],
  ["PUT", `/integrations/${ID}/mappings`, {}, ["/outlets", "/roles"]],
  [
    "PUT",
    `/integrations/${ID}/mappings`,
    { outlets: [{}], roles: 1 },
    ["/outlets/0/outletId", "/outlets/0/workplaceId", "/roles"],
  ],
  ["POST", "/workplaces", {}, ["/name"]],
  ["POST", "/workplaces", { name: 5, address: "" }, ["/name", "/address"]],
  ["POST", "/competences", { name: null }, ["/name"]],
  [
    "POST",
    "/candidates",
    {},
    ["/personalNumber", "/firstName", "/lastName", "/email", "/phone", "/competenceIds"],
  ],
  ["POST", "/candidates", { ...PERSON, personalNumber: "199007212394" }, ["/personalNumber"]],
  ["POST", "/candidates", { ...PERSON, personalNumber: "9001169813" }, ["/personalNumber"]],
  ["POST", "/candidates", { ...PERSON, email: "ada@", phone: "1" }, ["/email", "/phone"]],
  [
    "POST",
    "/candidates",
    { ...PERSON, firstName: "x".repeat(101), lastName: "" },
    ["/firstName", "/lastName"],
  ],
  ["POST", "/candidates", { ...PERSON, email: longEmail(255) }, ["/email"]],
  ["POST", "/candidates", { ...PERSON, competenceIds: [ID, "x"] }, ["/competenceIds/1"]],
  [
    "POST",
    "/candidates",
    { ...PERSON, competenceIds: [ID, randomUUID()] },
    ["/competenceIds/0", "/competenceIds/1"],
  ],
  [
    "POST",
    "/candidates",
    { ...PERSON, hire: HIRE },
    [
      "/hire/countryCode",
      "/hire/emergencyContact/relationship",
      "/hire/bankDetails/clearingNumber",
      "/hire/bankDetails/accountNumber",
      "/hire/documents/workPermitRequired",
    ],
  ],
  ["POST", `/jobs/${ID}/bookings`, {}, ["/candidateId"]],
  ["POST", `/jobs/${ID}/bookings`, { candidateId: 1e308 }, ["/candidateId"]],
  ["POST", "/jobs/not-a-job/bookings", { candidateId: "x" }, ["#/path/jobId", "/candidateId"]],
];

const WRONG_QUERIES: [path: string, pointers: string[]][] = [
  ...[
    "integrations",
    "workplaces",
    "competences",
    "candidates",
    "jobs",
    "events",
    "notifications",
    "issues",
  ].flatMap((list): [string, string[]][] => [
    [`/${list}?limit=0`, ["#/query/limit"]],
    [`/${list}?limit=-1`, ["#/query/limit"]],
    [`/${list}?limit=201`, ["#/query/limit"]],
    [`/${list}?limit=abc`, ["#/query/limit"]],
    [`/${list}?limit=`, ["#/query/limit"]],
    [`/${list}?limit=1.5`, ["#/query/limit"]],
    [`/${list}?limit=1e2`, ["#/query/limit"]],
    [`/${list}?limit=${"9".repeat(400)}`, ["#/query/limit"]],
    [`/${list}?limit=1&limit=2`, ["#/query/limit"]],
    [`/${list}?cursor=`, ["#/query/cursor"]],
    [`/${list}?cursor=nonsense`, ["#/query/cursor"]],
    [`/${list}?cursor=${"x".repeat(201)}`, ["#/query/cursor"]],
    [`/${list}?cursor=%00`, ["#/query/cursor"]],
    [`/${list}?limit=x&cursor=`, ["#/query/limit", "#/query/cursor"]],
  ]),
  ["/jobs?status=closed&providerId=7", ["#/query/providerId", "#/query/status"]],
  ["/jobs?shiftId=", ["#/query/shiftId"]],
  [`/jobs?shiftId=${"x".repeat(201)}`, ["#/query/shiftId"]],
  ["/events?status=QUEUED&traceId=", ["#/query/traceId", "#/query/status"]],
  ["/notifications?jobId=x&candidateId=y", ["#/query/candidateId", "#/query/jobId"]],
  ["/issues?providerId=x", ["#/query/providerId"]],
  ["/integrations/7", ["#/path/providerId"]],
  ["/jobs/7", ["#/path/jobId"]],
  [`/jobs/${ID}x`, ["#/path/jobId"]],
  [`/traces/${"x".repeat(101)}`, ["#/path/traceId"]],
  ["/jobs/%E0%A4%A", ["#/path"]],
  ["/integrations/%", ["#/path"]],
  ["/traces/%ff", ["#/path"]],
];

/** An event with one thing wrong, and where; `undefined` is left out. */
const WRONG_EVENTS: [change: object, pointers: string[]][] = [
  [{ event: undefined }, ["/event"]],
  [{ providerId: undefined }, ["/providerId"]],
  [{ content: undefined }, ["/content"]],
  [{ traceId: undefined }, ["/traceId"]],
  [
    { providerId: undefined, content: undefined, traceId: undefined },
    ["/providerId", "/content", "/traceId"],
  ],
  [{ event: 5 }, ["/event"]],
  [{ event: "" }, ["/event"]],
  [{ event: "x".repeat(101) }, ["/event"]],
  [{ event: "shift.\u0000moved" }, ["/event"]],
  [{ providerId: 1e308 }, ["/providerId"]],
  [{ providerId: "no-uuid" }, ["/providerId"]],
  [{ content: [] }, ["/content"]],
  [{ content: {} }, ["/content/shiftId"]],
  [{ content: { shiftId: ".." } }, ["/content/shiftId"]],
  [{ content: { shiftId: "\u0000" } }, ["/content/shiftId"]],
  [{ traceId: "\ud800" }, ["/traceId"]],
  [{ traceId: [randomUUID()] }, ["/traceId"]],
  [{ content: { shiftId: null }, traceId: null }, ["/content/shiftId", "/traceId"]],
];

/** What each path answers when there is no such thing. */
const UNKNOWN = [
  ["GET", `/integrations/${ID}`, undefined, "provider_not_found"],
  ["POST", `/integrations/${ID}/discover`, undefined, "provider_not_found"],
  ["PUT", `/integrations/${ID}/mappings`, { outlets: [], roles: [] }, "provider_not_found"],
  ["POST", `/integrations/${ID}/activate`, undefined, "provider_not_found"],
  ["GET", `/jobs/${ID}`, undefined, "job_not_found"],
  ["POST", `/jobs/${ID}/bookings`, { candidateId: ID }, "job_not_found"],
  ["POST", `/jobs/${ID}/cancel`, undefined, "job_not_found"],
  ["GET", `/traces/${ID}`, undefined, "trace_not_found"],
] as const;

// Refused before anything is asked of the database, so one engine is enough.
describe("fields", () => {
  const harness = useTenants("postgres");

  it.each(WRONG)("%s %s with %j names %j", async (method, path, body, pointers) => {
    const faults = expectProblem(await harness().operate(method, path, body), "validation_failed");
    expect(pointersOf(faults).sort()).toEqual([...pointers].sort());
    expect(faults.every(({ message }) => message.length > 0)).toBe(true);
  });

  it("names every wrong query and path value", async () => {
    for (const [path, pointers] of WRONG_QUERIES) {
      const faults = expectProblem(await harness().operate("GET", path), "validation_failed");
      expect([path, pointersOf(faults)]).toEqual([path, pointers]);
    }
  });

  it("names every wrong field of an event, and stores none of them", async () => {
    const { sendEvent, tenant } = harness();
    for (const [change, pointers] of WRONG_EVENTS) {
      const faults = expectProblem(
        await sendEvent({ ...shiftEvent(tenant.providerId), ...change }),
        "validation_failed",
      );
      expect([change, pointersOf(faults)]).toEqual([change, pointers]);
    }
    expect(await storedEvents(harness())).toEqual([]);
  });

  it.each(UNKNOWN)("%s %s: an unknown id is 404", async (method, path, body, code) => {
    expectProblem(await harness().operate(method, path, body), code);
  });

  it("withdraws no candidate from an unknown job", async () => {
    const answer = await harness().operate("DELETE", `/jobs/${ID}/bookings/${ID}`);
    expect(["job_not_found", "booking_not_found"]).toContain((answer.body as { code: string }).code);
    expect(answer.status).toBe(404);
  });

  it("ignores fields that it does not know", async () => {
    const { operate, sendEvent, tenant } = harness();
    const created = await operate("POST", "/workplaces", `{"name":"Kajen","colour":"red","deep":${DEEP}}`);
    expect([created.status, created.body]).toEqual([
      201,
      { workplaceId: expect.any(String), name: "Kajen", address: null, outletCount: 0, outlets: [] },
    ]);
    const event = { ...shiftEvent(tenant.providerId), note: "\u0000\ud800" };
    expect((await sendEvent(event)).status).toBe(200);
    expect(
      (await sendEvent(JSON.stringify(shiftEvent(tenant.providerId)).replace("{", `{"deep":${DEEP},`)))
        .status,
    ).toBe(200);
  });
});
