import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ResolveAll } from "../../src/clients/address-guard.ts";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp, type ProviderHttpOptions } from "../../src/clients/provider/http.ts";
import { CALL } from "../harness/provider-sandbox.ts";

const LITERALS = ["127.0.0.1", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "localhost"];

/** A resolver that resolves every name to this machine. */
const here: ResolveAll = (_hostname, _options, callback) =>
  callback(null, [{ address: "127.0.0.1", family: 4 }]);

describe("a provider's URL that resolves to this machine", () => {
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined).destroy();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  beforeEach(() => {
    connections = 0;
  });
  afterAll(() => server.close());

  /** Returns the result of a call, which ends only after its connection, if it made one. */
  async function call(host: string, options: ProviderHttpOptions) {
    const http = createProviderHttp({ timeoutMs: 5_000, ...options });
    const baseUrl = `https://${host}:${(server.address() as AddressInfo).port}`;
    const providerId = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
    const client = createProviderClient({ baseUrl, providerId, token: "t", fetch: http.fetch });
    const outcome = await client.listRoles(CALL);
    await http.close();
    return outcome;
  }

  it.each(LITERALS)("is not connected to when it is https://%s", async (host) => {
    expect(await call(host, {})).toEqual({
      kind: "unavailable",
      failure: "address_blocked",
      reason: expect.any(String),
    });
    expect(connections).toBe(0);
  });

  it("is not connected to when it is a name that the DNS resolves to it", async () => {
    expect(await call("provider.example", { resolve: here })).toEqual({
      kind: "unavailable",
      failure: "connection_failed",
      providerCode: "address_forbidden",
      reason: expect.any(String),
    });
    expect(connections).toBe(0);
  });

  it.each([...LITERALS, "provider.example"])(
    "is reached at %s when insecure providers are allowed",
    async (host) => {
      expect(await call(host, { allowInsecure: true, resolve: here })).toMatchObject({ kind: "unavailable" });
      expect(connections).toBe(1);
    },
  );
});
