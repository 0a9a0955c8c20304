import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import type { Role } from "../../../generated/operations/types.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem } from "../../harness/http.ts";
import { useTenants } from "../../harness/tenants.ts";
import { addOperator } from "./operators.ts";

const ROLES: readonly Role[] = ["viewer", "operator", "people", "admin"];
const READ_BY_ADMINS = ["listOperators", "getOperator", "listAudit"];
const ABOUT_ITSELF = ["signIn", "signOut"];

describe("the document", () => {
  it("names one role for every operation, and lets viewers change nothing", () => {
    for (const { operationId, method, scopes } of operationsTable) {
      expect([operationId, scopes.length]).toEqual([operationId, 1]);
      const isRead = method === "GET" && !READ_BY_ADMINS.includes(operationId);
      const isOfViewers = isRead || ABOUT_ITSELF.includes(operationId);
      expect([operationId, scopes[0] === "viewer"]).toEqual([operationId, isOfViewers]);
    }
  });
});

describe.each(featureEngines)("roles, on %s", (engine) => {
  const harness = useTenants(engine);
  const tokens = new Map<Role, string>();
  beforeAll(async () => {
    for (const role of ROLES) tokens.set(role, (await addOperator(harness(), role)).token);
  });

  describe.each(ROLES)("%s", (role) => {
    // The stream, which does not end, is read below.
    it.each(operationsTable.filter((each) => each.operationId !== "readStream"))(
      "$operationId",
      async ({ method, path, scopes: [needed] }) => {
        const authorization = `Bearer ${tokens.get(role)}`;
        // Nothing has these ids, and no body is sent: nothing is changed by an operation that is allowed.
        const filled = `/operations/v1${path.replaceAll(/\{\w+\}/g, () => randomUUID())}`;
        const answer = await harness().send(filled, { method, authorization });
        if (ROLES.indexOf(role) >= ROLES.indexOf(needed)) {
          expect([401, 403]).not.toContain(answer.status);
          expect(answer.status).toBeLessThan(500);
        } else {
          expectProblem(answer, "forbidden");
          expect(answer.body).toMatchObject({ detail: expect.stringContaining(`needs the role ${needed};`) });
        }
      },
    );

    it("reads the export of the audit log as an admin only", async () => {
      const authorization = `Bearer ${tokens.get(role)}`;
      const answer = await harness().send("/operations/v1/audit/export", { authorization });
      if (role === "admin") expect(answer.status).toBe(200);
      else expectProblem(answer, "forbidden");
    });

    it("reads the stream", async () => {
      const url = `${harness().platform.url}/operations/v1/stream`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${tokens.get(role)}` } });
      expect(response.status).toBe(200);
      await response.body?.cancel();
    });

    it("reads its own name and role", async () => {
      const authorization = `Bearer ${tokens.get(role)}`;
      const { body } = await harness().send("/operations/v1/me", { authorization });
      expect(body).toMatchObject({
        role,
        name: expect.stringContaining(role),
        operatorId: expect.any(String),
      });
    });
  });

  it("are all held by OPERATIONS_TOKEN, without an operatorId", async () => {
    const { body } = await harness().operate("GET", "/me");
    expect(body).toEqual({ name: "first admin", role: "admin" });
  });
});
