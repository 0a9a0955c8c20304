import { describe, expect, it } from "vitest";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { ADA, ADAS_NUMBER, CALL } from "./provider-sandbox.ts";

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
        { entry: 2, reason: "/name is missing" },
        { entry: 3, reason: "it must be of type object" },
        { entry: 4, reason: "/name cannot be stored" },
      ],
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
