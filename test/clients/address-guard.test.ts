import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  checkProviderUrl,
  ForbiddenAddressError,
  guardedLookup,
  type ResolveAll,
} from "../../src/clients/address-guard.ts";

const STRICT = { allowInsecure: false };
const LAX = { allowInsecure: true };

describe("checkProviderUrl", () => {
  it.each([
    "https://provider.example/api",
    "https://provider.example:8443/",
    "https://8.8.8.8/",
    "https://172.32.0.1/",
    "https://100.128.0.1/",
    "https://192.0.1.1/",
    "https://[2606:4700::1111]/",
    "https://[2a00:1450:400f::1]/",
    "https://mylocalhost.example/",
    "https://127.0.0.1.provider.example/",
  ])("lets %s pass", (url) => {
    expect(checkProviderUrl(url, STRICT)).toEqual({ ok: true, url: new URL(url) });
  });

  it.each([
    [
      "loopback",
      [
        "127.0.0.1",
        "127.255.255.254",
        "127.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "0177.1",
        "017700000001",
      ],
    ],
    [
      "loopback, disguised",
      ["127.0.0.1.", "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "0x7F.0.0.0x1"],
    ],
    ["unspecified", ["0.0.0.0", "0", "0.1.2.3", "[::]"]],
    ["private", ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "0xc0a80001"]],
    [
      "link-local and cloud metadata",
      ["169.254.0.1", "169.254.169.254", "0xa9fea9fe", "2852039166", "[fe80::1]", "[febf::1]"],
    ],
    ["carrier-grade NAT", ["100.64.0.1", "100.127.255.254"]],
    ["documentation", ["192.0.2.1", "198.51.100.7", "203.0.113.9", "[2001:db8::1]", "[3fff::1]"]],
    [
      "benchmarks and assignments",
      ["198.18.0.1", "198.19.255.255", "192.0.0.1", "192.88.99.1", "[2001:2::1]"],
    ],
    [
      "multicast, reserved, broadcast",
      ["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "[ff02::1]"],
    ],
    ["loopback v6", ["[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]"]],
    ["unique-local and site-local", ["[fc00::1]", "[fd12:3456::1]", "[fec0::1]"]],
    [
      "v4 inside v6",
      ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[::127.0.0.1]", "[::ffff:8.8.8.8]"],
    ],
    [
      "NAT64, 6to4, Teredo",
      ["[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001::1]"],
    ],
    ["names of this machine", ["localhost", "LOCALHOST", "localhost.", "api.localhost", "a.b.localhost."]],
  ])("refuses %s, unless insecure providers are allowed", (_kind, hosts) => {
    for (const host of hosts) {
      expect(checkProviderUrl(`https://${host}/`, STRICT), host).toMatchObject({ ok: false });
      expect(checkProviderUrl(`http://${host}:4010/`, LAX), host).toMatchObject({ ok: true });
    }
  });

  it.each([
    "http://provider.example/",
    "ftp://provider.example/",
    "file:///etc/hosts",
    "data:,x",
    "javascript:1",
  ])("refuses the scheme of %s", (url) => {
    expect(checkProviderUrl(url, STRICT)).toEqual({ ok: false, reason: "only https is allowed" });
  });

  it.each(["ftp://provider.example/", "file:///etc/hosts"])("refuses %s even for development", (url) => {
    expect(checkProviderUrl(url, LAX)).toMatchObject({ ok: false });
  });

  it.each(["", "provider.example", "/api", "https://", "https://[::1", "https://256.0.0.1/", "https://a b/"])(
    "refuses %j, which is no URL",
    (url) => {
      expect(checkProviderUrl(url, STRICT)).toEqual({ ok: false, reason: "not an absolute URL" });
    },
  );

  it.each([
    "https://user@provider.example/",
    "https://user:secret@provider.example/",
    "https://:secret@provider.example/",
  ])("refuses %s and does not repeat the secret", (url) => {
    for (const policy of [STRICT, LAX]) {
      const verdict = checkProviderUrl(url, policy);
      expect(verdict.ok).toBe(false);
      expect(JSON.stringify(verdict)).not.toContain("secret");
    }
  });
});

/** Returns a resolver with one fixed result. */
function answering(...addresses: string[]): ResolveAll {
  return (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
}

type Resolved = { error: NodeJS.ErrnoException | null; address: unknown; family: number | undefined };

function resolve(lookup: ReturnType<typeof guardedLookup>, all: boolean): Promise<Resolved> {
  return new Promise((resolve) => {
    lookup("provider.example", { all }, (error, address, family) => resolve({ error, address, family }));
  });
}

describe("guardedLookup", () => {
  it.each([
    [["127.0.0.1"]],
    [["8.8.8.8", "10.0.0.1"]],
    [["::1", "8.8.8.8"]],
    [["fe80::1%eth0"]],
    [["::ffff:7f00:1"]],
    [[]],
    [["?"]],
  ])("refuses a name that resolves to %j", async (addresses) => {
    for (const all of [true, false]) {
      const { error } = await resolve(guardedLookup(STRICT, answering(...addresses)), all);
      expect(error).toBeInstanceOf(ForbiddenAddressError);
      expect(error?.message).toContain("provider.example");
    }
  });

  it("returns the requested form", async () => {
    const lookup = guardedLookup(STRICT, answering("8.8.8.8", "2606:4700::1111"));
    expect(await resolve(lookup, false)).toEqual({ error: null, address: "8.8.8.8", family: 4 });
    expect((await resolve(lookup, true)).address).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
  });

  it("passes on the resolver's error for an unknown name", async () => {
    const unknown = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    const lookup = guardedLookup(STRICT, (_hostname, _options, callback) => callback(unknown, []));
    expect((await resolve(lookup, true)).error).toBe(unknown);
  });
});

describe("guardedLookup under undici", () => {
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => response.end("reached")).on(
      "connection",
      () => connections++,
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => server.close());

  async function get(policy: { allowInsecure: boolean }): Promise<string> {
    const agent = new Agent({ connect: { lookup: guardedLookup(policy, answering("127.0.0.1")) } });
    try {
      const { port } = server.address() as AddressInfo;
      const response = await request(`http://provider.example:${port}/`, { dispatcher: agent });
      return await response.body.text();
    } finally {
      await agent.close();
    }
  }

  it("opens no connection to a name that resolves to this machine", async () => {
    connections = 0;
    await expect(get(STRICT)).rejects.toMatchObject({ code: "address_forbidden" });
    expect(connections).toBe(0);
  });

  it("reaches the same name when insecure providers are allowed", async () => {
    connections = 0;
    expect(await get(LAX)).toBe("reached");
    expect(connections).toBe(1);
  });
});
