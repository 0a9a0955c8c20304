import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import variantA from "../../spec/examples/shift-variant-a.json" with { type: "json" };
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { ADA, ADAS_NUMBER, CALL } from "../harness/provider-sandbox.ts";

const DOCUMENT = new URL("../../generated/spec/provider.openapi-3.1.yaml", import.meta.url);

/** Creates a client of a provider with one fixed response. */
function clientOf(status: number, body?: unknown) {
  const asked: string[] = [];
  const client = createProviderClient({
    baseUrl: "https://provider.example",
    providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
    token: "provider-token",
    fetch: async ({ method }) => {
      asked.push(method);
      return new Response(body === undefined ? null : JSON.stringify(body), { status });
    },
  });
  return { client, asked };
}

/** These ids fit neither into a path nor into the database. */
const UNUSABLE = ["a\0b", "a\ud800b", ".", ".."];

describe("a candidate whose id cannot be used", () => {
  const what = { kind: "unavailable", reason: expect.stringContaining("breaks the contract") };

  it.each(UNUSABLE)("breaks the contract when it is looked up: %j", async (id) => {
    const { client } = clientOf(200, [
      { ...ADA, id: "c" },
      { ...ADA, id },
    ]);
    const answer = await client.findCandidates(ADAS_NUMBER, CALL);
    expect(answer).toMatchObject(what);
    expect(answer).toMatchObject({ reason: expect.stringContaining("/1/id") });
  });

  it.each(UNUSABLE)("breaks the contract when it is created: %j", async (id) => {
    const { client, asked } = clientOf(201, { ...ADA, id });
    const answer = await client.createCandidate(ADA, CALL);
    expect(answer).toMatchObject(what);
    expect(answer).toMatchObject({ reason: expect.stringContaining("/id") });
    expect(asked).toEqual(["POST"]);
  });

  it.each([".", "..", "a\0b"])("breaks the contract on the list of a shift: %j", async (candidateId) => {
    const { client } = clientOf(200, { ...variantA, assignedCandidates: [{ candidateId }] });
    const answer = await client.getShift(variantA.id, CALL);
    const pointers = ["/assignedCandidates/0/candidateId"];
    expect(answer).toMatchObject({ kind: "unavailable", failure: "contract_violation", pointers });
  });
});

describe("an entry of a list that breaks the contract", () => {
  const OTHER = "189001169813";

  it.each([
    ["another person without an id", { ...ADA, personalNumber: OTHER, id: "" }],
    ["another person whose id cannot be used", { ...ADA, personalNumber: OTHER, id: "a\0b" }],
  ])("does not affect the others when it is %s", async (_what, entry) => {
    const { client } = clientOf(200, [{ ...ADA, id: "c" }, entry]);
    expect(await client.findCandidates(ADAS_NUMBER, CALL)).toEqual({
      kind: "found",
      candidates: [{ ...ADA, id: "c" }],
    });
  });

  it.each([{ id: 7 }, { ...ADA, id: "" }, null])(
    "stops the lookup when it may be the person: %j",
    async (entry) => {
      const { client } = clientOf(200, [{ ...ADA, id: "c" }, entry]);
      const answer = await client.findCandidates(ADAS_NUMBER, CALL);
      expect(answer).toMatchObject({ kind: "unavailable", failure: "contract_violation" });
    },
  );

  it.each(["listOutlets", "listRoles"] as const)("is reported and left out: %s", async (operation) => {
    const good = { id: "1", name: "Bar" };
    const { client } = clientOf(200, [good, { id: "2" }, null, { id: "3", name: "a\0b" }]);
    expect(await client[operation](CALL)).toEqual({
      kind: "list",
      items: [good],
      faults: [
        { entry: 2, reason: "name is missing" },
        { entry: 3, reason: "it must be of type object" },
        { entry: 4, reason: "name cannot be stored" },
      ],
    });
  });
});

describe("a list that is too long", () => {
  const tooMany = (what: string, pointer: string) => ({
    kind: "unavailable",
    failure: "contract_violation",
    pointers: [pointer],
    reason: expect.stringContaining(what),
  });

  it("breaks the contract, whatever its entries are", async () => {
    const { client } = clientOf(200, Array(10_001).fill(null));
    const lists = [
      client.listOutlets(CALL),
      client.listRoles(CALL),
      client.findCandidates(ADAS_NUMBER, CALL),
    ];
    for (const list of lists) expect(await list).toMatchObject(tooMany("must have at most 10000 items", ""));
  });

  it("is read up to the bound of the document", async () => {
    const document = parse(readFileSync(DOCUMENT, "utf8"));
    const responses = [
      document.paths["/outlets"],
      document.paths["/roles"],
      document.paths["/candidates"],
    ].map(({ get }) => get.responses[200].content["application/json"].schema.maxItems);
    expect(responses).toEqual([10_000, 10_000, 10_000]);
    expect(document.components.schemas.CandidateRegistry.properties.candidates.maxItems).toBe(100_000);
    const outlets = Array.from({ length: 10_000 }, (_, id) => ({ id: `o-${id}`, name: "Kitchen" }));
    const read = await clientOf(200, outlets).client.listOutlets(CALL);
    expect(read).toEqual({ kind: "list", items: outlets, faults: [] });
  });

  it("breaks the contract as a page of the registry", async () => {
    const page = (length: number) => clientOf(200, { candidates: Array(length).fill(null) }).client;
    const read = (length: number) => page(length).readRegistry({ limit: 5 }, CALL);
    expect(await read(100_001)).toMatchObject(
      tooMany("/candidates must have at most 100000 items", "/candidates"),
    );
    expect(await read(100_000)).toMatchObject({ kind: "page" });
  });

  it("breaks the contract as the people of a shift", async () => {
    const shift = { ...variantA, assignedCandidates: Array(1_001).fill(null) };
    const read = await clientOf(200, shift).client.getShift(shift.id, CALL);
    expect(read).toMatchObject({
      pointers: ["/assignedCandidates"],
      reason: expect.stringContaining("/assignedCandidates must have at most 1000 items"),
    });
  });
});

describe("a registry", () => {
  it.each([404, 405, 410, 501])("is not offered after status %i", async (status) => {
    expect(await clientOf(status).client.readRegistry({ limit: 5 }, CALL)).toEqual({ kind: "absent" });
  });

  it.each([400, 401, 403])("is refused after status %i", async (status) => {
    expect(await clientOf(status).client.readRegistry({ limit: 5 }, CALL)).toMatchObject({
      kind: "refused",
      status,
    });
  });

  it.each([500, 503, 429])("is temporarily unavailable after status %i", async (status) => {
    expect(await clientOf(status).client.readRegistry({ limit: 5 }, CALL)).toMatchObject({
      kind: "unavailable",
    });
  });
});
