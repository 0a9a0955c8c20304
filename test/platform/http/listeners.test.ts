import { describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../src/platform/main.ts";
import { expectProblem, send } from "../../harness/http.ts";
import { configFor, OPERATIONS_TOKEN, placeFor } from "../../harness/platform.ts";
import { startWithTenants } from "../../harness/tenants.ts";

const ELSEWHERE = "203.0.113.7";

const forwardedFor = (address: string) => ({ headers: { "X-Forwarded-For": address } });

describe("GET /metrics", () => {
  it("needs no token from this machine, and the operations token through a proxy", async () => {
    const harness = await startWithTenants("pglite");
    try {
      expect((await harness.send("/metrics")).status).toBe(200);
      for (const address of [ELSEWHERE, "127.0.0.1"])
        expectProblem(await harness.send("/metrics", forwardedFor(address)), "unauthorized");
      const authorization = `Bearer ${OPERATIONS_TOKEN}`;
      expect((await harness.send("/metrics", { ...forwardedFor(ELSEWHERE), authorization })).status).toBe(
        200,
      );
    } finally {
      await harness.close();
    }
  });

  it("needs a token if the Host is not a name of this machine", async () => {
    const harness = await startWithTenants("pglite");
    try {
      const { port } = harness.platform;
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
        expect((await harness.send("/metrics", { headers: { host } })).status).toBe(200);
      for (const host of ["rebound.example", "127.0.0.1.example", `localhost.example:${port}`])
        expectProblem(await harness.send("/metrics", { headers: { host } }), "unauthorized");
    } finally {
      await harness.close();
    }
  });

  it("reads the Host itself, not what a page may send beside it", async () => {
    const harness = await startWithTenants("pglite", { config: { trustProxy: ["loopback"] } });
    try {
      expect((await harness.send("/metrics")).status).toBe(200);
      for (const named of ["localhost", "127.0.0.1"]) {
        const headers = { host: "rebound.example", "X-Forwarded-Host": named };
        expectProblem(await harness.send("/metrics", { headers }), "unauthorized");
      }
    } finally {
      await harness.close();
    }
  });

  it("believes a proxy that is trusted about where a request comes from", async () => {
    const harness = await startWithTenants("pglite", { config: { trustProxy: 1 } });
    try {
      expect((await harness.send("/metrics", forwardedFor("127.0.0.1"))).status).toBe(200);
      expectProblem(await harness.send("/metrics", forwardedFor(ELSEWHERE)), "unauthorized");
    } finally {
      await harness.close();
    }
  });
});

describe("the management listener", () => {
  it("has /metrics, which the public one no longer has, and the health checks", async () => {
    const harness = await startWithTenants("pglite", {
      config: { management: { host: "127.0.0.1", port: 0 } },
    });
    const management = `http://127.0.0.1:${harness.platform.managementPort}`;
    try {
      const metrics = await send(management, "/metrics", forwardedFor(ELSEWHERE));
      expect(metrics.status).toBe(200);
      expect(metrics.text).toContain("shiftpact_database_up 1");
      for (const path of ["/health/live", "/health/ready"]) {
        expect((await send(management, path)).status).toBe(200);
        expect((await harness.send(path)).status).toBe(200);
      }
      expectProblem(await harness.send("/metrics"), "not_found");
      expectProblem(await send(management, "/operations/v1/jobs"), "not_found");
    } finally {
      await harness.close();
    }
    await expect(fetch(`${management}/health/live`)).rejects.toThrow("fetch failed");
  });
});

describe("the public listener", () => {
  it("ends with the platform", async () => {
    const config = { publicPlace: { host: "127.0.0.1", port: 0 } };
    const harness = await startWithTenants("pglite", { config });
    const url = `http://127.0.0.1:${harness.platform.publicPort}`;
    try {
      expect((await send(url, "/health/ready")).status).toBe(200);
    } finally {
      await harness.close();
    }
    await expect(fetch(`${url}/health/live`)).rejects.toThrow("fetch failed");
  });
});

it("does not start on an address that is not this machine's", async () => {
  const { location, remove } = await placeFor("pglite");
  const starting: Promise<Platform> = startPlatform({ ...configFor(location), host: ELSEWHERE });
  await expect(starting).rejects.toThrow(`${ELSEWHERE} is not an address of this machine`);
  await remove();
});
