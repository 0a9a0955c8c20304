import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import { operationsTable as webhookTable } from "../../../generated/platform/server.ts";
import { expectProblem } from "../../harness/http.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { KIND, useTenants } from "../../harness/tenants.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every path with the methods that it offers. */
const offered = new Map<string, string[]>();
for (const { path, method } of [
  ...webhookTable,
  ...operationsTable.map(({ path, method }) => ({ path: `/operations/v1${path}`, method })),
]) {
  offered.set(path, [...(offered.get(path) ?? []), method]);
}

describe("paths and methods", () => {
  const harness = useTenants("postgres");

  it.each([...offered])("%s offers %j and nothing else", async (path, methods) => {
    const filled = path.replace("{provider}", KIND).replaceAll(/\{\w+\}/g, randomUUID());
    for (const method of METHODS.filter((each) => !methods.includes(each))) {
      const answer = await harness().send(filled, { method });
      expectProblem(answer, "method_not_allowed");
      const allowed = answer.headers.allow?.split(", ") ?? [];
      expect(allowed.filter((each) => each !== "HEAD").sort()).toEqual([...methods].sort());
    }
  });

  it.each([...offered])("%s is matched by case, and with a trailing slash", async (path, [method = ""]) => {
    const filled = path.replace("{provider}", KIND).replaceAll(/\{\w+\}/g, randomUUID());
    const upper = path.replaceAll(/[a-z]+(?![^{]*\})/g, (text) => text.toUpperCase());
    const odd = upper.replace("{provider}", KIND).replaceAll(/\{\w+\}/g, randomUUID());
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    expectProblem(await harness().send(odd, { method, authorization }), "not_found");
    const other = METHODS.find((each) => !offered.get(path)?.includes(each)) ?? "";
    expectProblem(await harness().send(`${filled}/`, { method: other }), "method_not_allowed");
  });

  it("return 404 for an unknown path", async () => {
    const paths = [
      "/",
      "/api/v3/integrations",
      "/api/v3/integrations//webhook",
      `/api/v3/integrations/${KIND}/webhook/more`,
      "/api/v4/integrations/tempo/webhook",
      "/webhooks",
      "/operations/v1",
      "/operations/v1/nothing",
      "/operations/v2/jobs",
      "/health",
      "/favicon.ico",
      "/METRICS",
      "/Console/",
      "/DOCS/",
      "/OPERATIONS/v1/jobs",
      "/operations/V1/audit",
      "/operations/v1/BACKUP",
      "/API/v3/integrations/tempo/webhook",
      "/..%2f..%2fetc/passwd",
      "/%E0%A4%A",
      "/%00",
      "//",
      `/${"x".repeat(8_000)}`,
      "/constructor",
      "/__proto__",
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const authorization = `Bearer ${OPERATIONS_TOKEN}`;
        expectProblem(await harness().send(path, { method, authorization }), "not_found");
      }
    }
  });

  it("refuse a path that cannot be decoded", async () => {
    const authorization = `Bearer ${harness().tenant.platformToken}`;
    const sending = { method: "POST", authorization, body: {} };
    const faults = expectProblem(
      await harness().send("/api/v3/integrations/%E0%A4%A/webhook", sending),
      "validation_failed",
    );
    expect(faults).toEqual([{ pointer: "#/path", message: expect.any(String) }]);
  });

  it("repeat a valid traceId in the problem, and no other text", async () => {
    const traceId = randomUUID();
    const answer = await harness().send("/nothing", { headers: { "x-trace-id": traceId } });
    expect(answer.body).toMatchObject({ code: "not_found", traceId });
    for (const other of ["<script>", "x".repeat(101), "a b"]) {
      const problem = await harness().send("/nothing", { headers: { "x-trace-id": other } });
      expect(problem.body).not.toHaveProperty("traceId");
    }
  });

  it("reveal nothing about the software", async () => {
    const { headers } = await harness().operate("GET", "/jobs");
    expect(headers).not.toHaveProperty("x-powered-by");
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff" });
  });
});
