import { once } from "node:events";
import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHarness } from "../harness/platform.ts";
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

const opened: (() => Promise<void>)[] = [];
let ports: Parameters<typeof startProxy>[1];
let authorization: string;
beforeAll(async () => {
  const pages = { folder: new URL("./", import.meta.url).pathname };
  const harness = await startHarness("pglite", {
    config: { publicPlace: { host: "127.0.0.1", port: 0 }, trustProxy: 1 },
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

/** Sends the path as it is. */
async function status(url: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, headers, rejectUnauthorized: false, agent: false });
  sent.end();
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
});
