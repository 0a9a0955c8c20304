import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/platform/log.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { shiftEvent, useTenants } from "../../harness/tenants.ts";

const CLIENT = "203.0.113.7";

const lines: string[] = [];
const log = createLog("debug", { write: (line) => void lines.push(line) });

/** The lines of the next `count` requests, once they are written. */
async function requestLines(count: number): Promise<unknown[]> {
  const completed = () => lines.filter((line) => line.includes('"responseTime"'));
  await expect.poll(() => completed().length).toBe(count);
  return completed().map((line) => JSON.parse(line));
}

describe("the log of requests", () => {
  const harness = useTenants("pglite", { log, config: { trustProxy: 1, logLevel: "debug" } });
  const headers = { "x-forwarded-for": CLIENT };
  beforeEach(() => {
    lines.length = 0;
  });

  it("names the path and the client's address of a rejected webhook", async () => {
    const { send, tenant } = harness();
    const body = shiftEvent(tenant.providerId);
    const authorization = `Bearer ${tenant.expiredToken}`;
    await send("/webhooks/scheduling-provider", { method: "POST", authorization, headers, body });
    expect(await requestLines(1)).toEqual([
      expect.objectContaining({
        level: "warn",
        address: CLIENT,
        req: { method: "POST", path: "/webhooks/scheduling-provider" },
        res: { status: 401 },
      }),
    ]);
  });

  it("has the traceId of a refused webhook whose body was read", async () => {
    const { send, tenant, other } = harness();
    const body = shiftEvent(other.providerId);
    const authorization = `Bearer ${tenant.platformToken}`;
    await send("/webhooks/scheduling-provider", { method: "POST", authorization, headers, body });
    expect(await requestLines(1)).toMatchObject([{ traceId: body.traceId, address: CLIENT }]);
  });

  it("names the client's address of a refused login, and no operator", async () => {
    await harness().send("/operations/v1/me", { authorization: "Bearer unknown", headers });
    const [line] = await requestLines(1);
    expect(line).toMatchObject({ level: "warn", address: CLIENT, res: { status: 401 } });
    expect(line).not.toHaveProperty("operator");
  });

  it("has the operator, the client's address and the X-Trace-Id of an operation, each once", async () => {
    const traceId = randomUUID();
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    await harness().send("/operations/v1/jobs", {
      authorization,
      headers: { ...headers, "x-trace-id": traceId },
    });
    expect(await requestLines(1)).toMatchObject([
      { level: "info", traceId, operator: "first admin", address: CLIENT, res: { status: 200 } },
    ]);
    for (const field of ["traceId", "operator", "address"])
      expect(lines.join("").split(`"${field}":`)).toHaveLength(2);
  });

  it("has no query, and of the path only names of the documents and UUIDs", async () => {
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    await harness().send("/operations/v1/candidates/Ada%20Strand?name=Strand", { authorization, headers });
    expect(await requestLines(1)).toMatchObject([{ req: { path: "/operations/v1/candidates/*" } }]);
  });

  it("has a line of a token that was refused by the metrics", async () => {
    await harness().send("/metrics", { authorization: "Bearer unknown", headers });
    expect(await requestLines(1)).toMatchObject([
      { level: "warn", address: CLIENT, req: { path: "/metrics" }, res: { status: 401 } },
    ]);
  });

  it("has no line of health checks and metrics, however detailed it is", async () => {
    for (const path of ["/health/live", "/health/ready", "/metrics"]) {
      const authorization = `Bearer ${OPERATIONS_TOKEN}`;
      expect((await harness().send(path, { authorization })).status).toBe(200);
    }
    await harness().operate("GET", "/competences");
    expect(await requestLines(1)).toMatchObject([{ req: { path: "/operations/v1/competences" } }]);
    expect(lines.join("")).not.toMatch(/"path":"\/(health|metrics)/);
  });
});
