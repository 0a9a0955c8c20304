import { createServer } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { listening } from "../harness/http.ts";
import { ADAS_NUMBER, CALL } from "../harness/provider-sandbox.ts";
import { entryOf } from "../harness/responders.ts";

const SHIFT_ID = "6a1f6e2c-9d0f-4a50-8f3e-3a4d0a4d7f10";
const SHIFT = { id: SHIFT_ID, startTime: "2030-01-01T08:00:00Z", endTime: "2030-01-01T16:00:00Z" };
const OUTLET = { id: "o1", name: "Stureplan", address: null };
const [MB, REGISTRY] = [1_000_000, 10_000_000];

/** JSON may end with any number of spaces. */
const ofLength = (value: unknown, length: number) => JSON.stringify(value).padEnd(length);
const registryOf = (entries: string) => `{"candidates":[${entries}],"nextCursor":"2"}`;
const listOf = (count: number) => JSON.stringify(Array.from({ length: count }, () => OUTLET));

async function clientOf(body: string, status = 200) {
  const server = await listening(
    createServer((_, response) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(body);
    }),
  );
  const http = createProviderHttp({ allowInsecure: true, timeoutMs: 200_000 });
  onTestFinished(async () => {
    await http.close();
    await server.close();
  });
  const organisation = { providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11", token: "provider-token" };
  return createProviderClient({ baseUrl: server.url, ...organisation, fetch: http.fetch });
}

describe("a response is read up to a length", () => {
  const shift = { ...SHIFT, outletId: "o1", roleId: "r1", slots: 1, assignedCandidates: [] };
  const tooLong = { kind: "unavailable", failure: "response_too_long" };

  it("of 1 MB", async () => {
    const client = await clientOf(ofLength(shift, MB));
    expect(await client.getShift(SHIFT_ID, CALL)).toMatchObject({ kind: "shift" });
    const longer = await clientOf(ofLength(shift, MB + 1));
    expect(await longer.getShift(SHIFT_ID, CALL)).toMatchObject(tooLong);
    expect(await longer.findCandidates(ADAS_NUMBER, CALL)).toMatchObject(tooLong);
    expect(await longer.listOutlets(CALL)).toMatchObject(tooLong);
  });

  it("of 10 MB for a registry", async () => {
    const entries = `${"{}".padEnd(MB - 1)},`.repeat(9);
    const page = registryOf(`${entries}{}`);
    const body = page.replace(/]/, "]".padStart(REGISTRY - page.length + 1));
    const client = await clientOf(body);
    expect(await client.readRegistry({ limit: 5 }, CALL)).toMatchObject({ kind: "page" });
    const longer = await clientOf(`${body} `);
    const reason = expect.stringContaining("offer the registry in pages");
    expect(await longer.readRegistry({ limit: 5 }, CALL)).toMatchObject({ ...tooLong, reason });
  });

  it("of 1 MB for an error instead of a registry", async () => {
    const client = await clientOf(ofLength({ code: "validation_failed" }, MB + 1), 400);
    expect(await client.readRegistry({ limit: 5 }, CALL)).toMatchObject(tooLong);
  });

  it("of 10,000 entries of a list", async () => {
    const client = await clientOf(listOf(10_000));
    expect(await client.listOutlets(CALL)).toMatchObject({ kind: "list", faults: [] });
    const longer = await clientOf(listOf(10_001));
    const reason = "the list of outlets breaks the contract: the body must have at most 10000 items";
    expect(await longer.listOutlets(CALL)).toMatchObject({ failure: "contract_violation", reason });
  });
});

describe("a registry in one response", () => {
  const read = async (body: string) => {
    const outcome = await (await clientOf(body)).readRegistry({ limit: 5 }, CALL);
    return outcome.kind === "page" ? outcome.page : outcome;
  };
  const violation = (pointer: string) => ({ failure: "contract_violation", pointers: [pointer] });

  it("has at most 100,000 entries", async () => {
    const page = await read(registryOf(`${"{},".repeat(99_999)}{}`));
    expect("candidates" in page && page.candidates.length).toBe(100_000);
    expect(await read(registryOf(`${"{},".repeat(100_000)}{}`))).toMatchObject(violation("/candidates"));
  });

  it("loses only the entries that are longer than 1 MB, or are not JSON", async () => {
    const [person, other] = [JSON.stringify(entryOf(1)), JSON.stringify(entryOf(2))];
    const entries = [person, `{"id":"${"x".repeat(MB)}"}`, "{1}", other, ""];
    const faults = (message: string) => ({ fault: { pointer: "", message } });
    expect(await read(registryOf(entries.join(",")))).toEqual({
      candidates: [
        { entry: entryOf(1) },
        faults("is longer than 1000000 characters"),
        faults("is not JSON"),
        { entry: entryOf(2) },
        faults("is not JSON"),
      ],
      nextCursor: "2",
    });
  });

  it.each([
    ["is another list", `[${"[],".repeat(500_000)}[]]`, ""],
    ["has another long member", `{"x":[${"[],".repeat(500_000)}[]],"candidates":[]}`, ""],
    ["breaks off", `{"candidates":[{},{}`, "/candidates"],
    ["has no list", '{"candidates":{"a":[{}]}}', "/candidates"],
    [
      "has two members of the name, and the second is no list",
      '{"candidates":[{}],"candidates":1}',
      "/candidates",
    ],
  ])("breaks the contract when it %s", async (_, body, pointer) => {
    expect(await read(body)).toMatchObject(violation(pointer));
  });
});

describe("a response is nested 64 deep at most", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const shift = (description: string) =>
    `{"id":"${SHIFT_ID}","startTime":"2030-01-01T08:00:00Z","endTime":"2030-01-01T16:00:00Z","outletId":"o1","roleId":"r1","slots":1,"assignedCandidates":[],"unread":${description}}`;
  const tooDeep = { kind: "unavailable", failure: "contract_violation", pointers: [""] };
  const reason = (what: string) => `the ${what} must be nested at most 64 deep`;

  it("also where nothing of it is read", async () => {
    expect(await (await clientOf(shift(nested(63)))).getShift(SHIFT_ID, CALL)).toMatchObject({
      kind: "shift",
    });
    const brackets = JSON.stringify(`"\\${nested(500)}`);
    expect(await (await clientOf(shift(brackets))).getShift(SHIFT_ID, CALL)).toMatchObject({ kind: "shift" });
    const deeper = await clientOf(shift(nested(64)));
    expect(await deeper.getShift(SHIFT_ID, CALL)).toMatchObject({ ...tooDeep, reason: reason("shift") });
  });

  it("in a list, where every entry is refused", async () => {
    const client = await clientOf(`[${JSON.stringify(OUTLET)},${nested(490_000)}]`);
    expect(await client.listOutlets(CALL)).toMatchObject(tooDeep);
  });

  it("in a registry, where the others are read", async () => {
    const client = await clientOf(registryOf(`${JSON.stringify(entryOf(1))},${nested(490_000)}`));
    const fault = { pointer: "", message: "must be nested at most 64 deep" };
    expect(await client.readRegistry({ limit: 5 }, CALL)).toMatchObject({
      page: { candidates: [{ entry: entryOf(1) }, { fault }] },
    });
    const frame = await clientOf(`{"candidates":[],"unread":${nested(100)}}`);
    expect(await frame.readRegistry({ limit: 5 }, CALL)).toMatchObject(tooDeep);
  });

  it("also as an error, whose status alone counts", async () => {
    const client = await clientOf(nested(490_000), 409);
    expect(await client.getShift(SHIFT_ID, CALL)).toEqual({ kind: "refused", status: 409, code: undefined });
    const shallow = await clientOf('{"code":"shift_full"}', 409);
    expect(await shallow.getShift(SHIFT_ID, CALL)).toMatchObject({ code: "shift_full" });
  });

  it("before any part of it is parsed", async () => {
    const parsed: number[] = [];
    const original = JSON.parse;
    JSON.parse = (text, ...others) => {
      parsed.push(text.length);
      return original(text, ...others);
    };
    onTestFinished(() => {
      JSON.parse = original;
    });
    for (const status of [200, 409])
      await (await clientOf(shift(nested(490_000)), status)).getShift(SHIFT_ID, CALL);
    expect(parsed.filter((length) => length > 900_000)).toEqual([]);
  });
});

const MAX_BYTES = 10_000;

/** Returns what the client reads from a body with this encoding. */
async function receive(encoding: string, body: Buffer): Promise<string> {
  const server = await listening(
    createServer((_request, response) => {
      response.setHeader("Content-Encoding", encoding);
      response.end(body);
    }),
  );
  const http = createProviderHttp({ allowInsecure: true, maxBytes: MAX_BYTES });
  onTestFinished(async () => {
    await http.close();
    await server.close();
  });
  return (await http.fetch(new Request(server.url))).text();
}

describe("a response that a gateway has compressed", () => {
  it.each([
    ["gzip", gzipSync],
    ["GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", Buffer.from],
  ] as [string, (text: string) => Buffer][])("is read: %s", async (encoding, encode) => {
    expect(await receive(encoding, encode('{"id":"s1"}'))).toBe('{"id":"s1"}');
  });

  it("is refused when it is longer than allowed once it is decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(1_000 * MAX_BYTES));
    expect(bomb.byteLength).toBeLessThan(MAX_BYTES);
    await expect(receive("gzip", bomb)).rejects.toMatchObject({ failure: "response_too_long" });
  });

  it("is unusable when it does not match its encoding", async () => {
    const refused = { name: "ProviderHttpError", failure: "connection_failed" };
    await expect(receive("gzip", Buffer.from("no gzip"))).rejects.toMatchObject(refused);
  });
});
