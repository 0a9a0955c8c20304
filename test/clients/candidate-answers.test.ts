import { describe, expect, it } from "vitest";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { ADA, ADAS_NUMBER, CALL } from "./provider-sandbox.ts";

/** A provider that answers every call with this. */
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

/** Neither fits into a path, nor into the database. */
const UNUSABLE = ["a\0b", "a\ud800b"];

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

describe("a registry", () => {
  it.each([404, 405, 410, 501])("that is answered %i is not offered", async (status) => {
    expect(await clientOf(status).client.readRegistry({ limit: 5 }, CALL)).toEqual({ kind: "absent" });
  });

  it.each([400, 401, 403])("that is answered %i is refused", async (status) => {
    expect(await clientOf(status).client.readRegistry({ limit: 5 }, CALL)).toMatchObject({
      kind: "refused",
      status,
    });
  });

  it.each([500, 503, 429])("that is answered %i may be there", async (status) => {
    expect(await clientOf(status).client.readRegistry({ limit: 5 }, CALL)).toMatchObject({
      kind: "unavailable",
    });
  });
});
