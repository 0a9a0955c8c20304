import { createServer } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { listening } from "../harness/listening.ts";

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
