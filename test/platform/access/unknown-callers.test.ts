import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KIND, startWithTenants, type TenantHarness } from "../../harness/tenants.ts";
import { FORM_BODIES, faultOf, HEADS, JSON_BODIES } from "../../harness/worst-requests.ts";
import { documented } from "./documented.ts";

const LIMIT = 64 * 1024;
/** Node reads no longer head of a request. */
const HEAD = 15_000;

type Listener = "ordinary" | "public" | "management";
type Asked = [method: string, path: string];

const filled = (path: string) => path.replace("{provider}", KIND).replaceAll(/\{\w+\}/g, () => randomUUID());
const served = (...documents: string[]): Asked[] =>
  documented()
    .filter(({ document }) => documents.includes(document))
    .map(({ method, path }) => [method, filled(path)]);

/** What no document describes, or no one serves. */
const OTHERS: Asked[] = [
  ...["/", "/metrics", "/health/live", "/console/", "/console/assets/", "/docs/", "/c/", "/C/x"].map(
    (path): Asked => ["GET", path],
  ),
  ...["/", "/metrics", "/c/", "/c/shifts", "/operations/v1/", "/api/v3/"].map(
    (path): Asked => ["POST", path],
  ),
  // Of the length of a link.
  ...["/c/", "/c/shifts/", "/c/unsubscribe/"].map((path): Asked => ["POST", path + "x".repeat(70)]),
  ["PUT", "/c/x"],
  ["PROPFIND", "/"],
];

const ROUTES: Record<Listener, Asked[]> = {
  ordinary: [...served("platform", "candidate", "operations"), ...OTHERS],
  public: [...served("platform", "candidate"), ["POST", "/operations/v1/jobs"], ...OTHERS],
  management: OTHERS,
};

let folder: string;
let harness: TenantHarness;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shiftpact-callers-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<p>page</p>");
  const place = { host: "127.0.0.1", port: 0 };
  harness = await startWithTenants("postgres", {
    pages: { console: { folder }, docs: { folder } },
    config: { publicPlace: place, management: place, trustProxy: ["loopback"] },
  });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

const portOf = ({ platform }: TenantHarness): Record<Listener, number | undefined> => ({
  ordinary: platform.port,
  public: platform.publicPort,
  management: platform.managementPort,
});

/** On PostgreSQL the database is another process: here only what the platform itself does counts. */
describe.each(Object.entries(ROUTES))("on the %s listener, a caller without a token", (listener, routes) => {
  it.each(routes)(
    "costs at most 10 ms, in proportion to the size of the request: %s %s",
    async (method, path) => {
      const route = { port: portOf(harness)[listener as Listener] ?? 0, method, path };
      const faults: unknown[] = [];
      for (const worst of HEADS) faults.push(await faultOf(route, worst, HEAD));
      if (method !== "GET")
        for (const worst of [...FORM_BODIES, ...JSON_BODIES]) faults.push(await faultOf(route, worst, LIMIT));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    },
  );
});
