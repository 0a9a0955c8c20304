import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "../harness/platform.ts";
import { PROXIES, startProxy } from "./proxies.ts";

/** Paths that a proxy and a router may read in two ways. */
const PATHS = [
  "/console/..%2fwebhooks%2fx",
  "/console/",
  "/webhooks/../console/",
  "/webhooks/..%2fconsole/",
  "/webhooks/%2e%2e/operations/v1/me",
  "/webhooks/x/../../operations/v1/me",
  "/api/v3/..;/operations/v1/me",
  "//operations/v1/me",
  "/operations/v1/me",
  "/OPERATIONS/v1/me",
  "/operations/v1/backup?/webhooks/",
  "/docs/..%2fwebhooks%2fx",
  "/metrics",
  "/metrics/",
  "/METRICS",
];

/** What a client may send to be taken for another one. */
const forged = (address: string) => ({
  "X-Forwarded-For": address,
  Forwarded: `for=${address}`,
  "X-Real-IP": address,
});

let harness: Harness;
const opened: (() => Promise<void>)[] = [];
let ports: Parameters<typeof startProxy>[1];
let authorization: string;
beforeAll(async () => {
  const pages = { folder: new URL("./", import.meta.url).pathname };
  harness = await startHarness("pglite", {
    config: { publicPlace: { host: "127.0.0.1", port: 0 }, trustProxy: ["loopback"], unknownTokenLimit: 30 },
    pages: { console: pages, docs: pages },
  });
  opened.push(harness.close);
  const { port, publicPort = 0, operationsToken } = harness.platform;
  authorization = `Bearer ${operationsToken}`;
  ports = { platforms: [port, port], publics: [publicPort, publicPort] };
});
afterAll(async () => {
  for (const close of opened.toReversed()) await close();
});

/** Sends the path as it is, with a body as a POST. */
async function status(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<number> {
  const { hostname, port } = new URL(url);
  const method = body === undefined ? "GET" : "POST";
  const sent = request({ hostname, port, path, method, headers, rejectUnauthorized: false, agent: false });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

describe.each(PROXIES)("behind %s", (name) => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    proxy = await startProxy(name, ports);
    opened.push(proxy.stop);
  });

  it.each(PATHS)("the internet does not reach the operators' side by %s", async (path) => {
    expect([400, 404]).toContain(await status(proxy.url, path, { authorization }));
  });

  it("the internet reaches the webhooks and the health checks", async () => {
    expect(await status(proxy.url, "/webhooks/scheduling-provider")).toBe(405);
    expect(await status(proxy.url, "/health/ready")).toBe(200);
  });

  it("operators reach their side", async () => {
    expect(await status(proxy.operatorsUrl, "/operations/v1/me", { authorization })).toBe(200);
    expect(await status(proxy.operatorsUrl, "/console/", {})).not.toBe(404);
  });

  it("the audit log has the address that the proxy saw, whatever the client says", async () => {
    const headers = { ...forged("203.0.113.7"), authorization, "Content-Type": "application/json" };
    const made = await status(proxy.operatorsUrl, "/operations/v1/workplaces", headers, {
      name: randomUUID(),
    });
    expect(made).toBe(201);
    const { data } = await harness.operations.listAudit({
      params: { query: { operation: "createWorkplace" } },
    });
    expect(data?.items[0]).toMatchObject({ address: "127.0.0.1" });
  });

  it("guesses that name an address each are limited as those of one client", async () => {
    for (let nth = 0; ; nth += 1) {
      const headers = { ...forged(`203.0.113.${nth % 256}`), authorization: `Bearer ${randomUUID()}` };
      const answer = await status(proxy.url, "/webhooks/scheduling-provider", headers, {});
      if (answer === 429) break;
      expect([nth < 100, answer]).toEqual([true, 401]);
    }
  });
});
