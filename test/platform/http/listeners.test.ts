import { describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../src/platform/main.ts";
import { configOf, OPERATIONS_TOKEN, placeFor, startEdge } from "./edge.ts";
import { expectProblem, send } from "./send.ts";

const ELSEWHERE = "203.0.113.7";

const forwardedFor = (address: string) => ({ headers: { "X-Forwarded-For": address } });

describe("GET /metrics", () => {
  it("needs no token from this machine, and the operations token through a proxy", async () => {
    const edge = await startEdge("pglite");
    try {
      expect((await edge.send("/metrics")).status).toBe(200);
      for (const address of [ELSEWHERE, "127.0.0.1"])
        expectProblem(await edge.send("/metrics", forwardedFor(address)), "unauthorized");
      const authorization = `Bearer ${OPERATIONS_TOKEN}`;
      expect((await edge.send("/metrics", { ...forwardedFor(ELSEWHERE), authorization })).status).toBe(200);
    } finally {
      await edge.stop();
    }
  });

  it("believes a proxy that is trusted about where a request comes from", async () => {
    const edge = await startEdge("pglite", { config: { trustProxy: 1 } });
    try {
      expect((await edge.send("/metrics", forwardedFor("127.0.0.1"))).status).toBe(200);
      expectProblem(await edge.send("/metrics", forwardedFor(ELSEWHERE)), "unauthorized");
    } finally {
      await edge.stop();
    }
  });
});

describe("the management listener", () => {
  it("has /metrics, which the public one no longer has, and the health checks", async () => {
    const edge = await startEdge("pglite", { config: { management: { port: 0 } } });
    const management = `http://127.0.0.1:${edge.platform.managementPort}`;
    try {
      const metrics = await send(management, "/metrics", forwardedFor(ELSEWHERE));
      expect(metrics.status).toBe(200);
      expect(metrics.text).toContain("shiftpact_database_up 1");
      for (const path of ["/health/live", "/health/ready"]) {
        expect((await send(management, path)).status).toBe(200);
        expect((await edge.send(path)).status).toBe(200);
      }
      expectProblem(await edge.send("/metrics"), "not_found");
      expectProblem(await send(management, "/operations/v1/jobs"), "not_found");
    } finally {
      await edge.stop();
    }
    await expect(fetch(`${management}/health/live`)).rejects.toThrow("fetch failed");
  });
});

it("does not start on an address that is not this machine's", async () => {
  const { where, remove } = await placeFor("pglite");
  const starting: Promise<Platform> = startPlatform({ ...configOf(where), host: ELSEWHERE });
  await expect(starting).rejects.toThrow(`${ELSEWHERE} is not an address of this machine`);
  await remove();
});
