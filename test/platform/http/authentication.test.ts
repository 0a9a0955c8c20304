import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { operationsTable } from "../../../generated/operations/server.ts";
import { expectProblem } from "../../harness/http.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import { KIND, shiftEvent, storedEvents, useTenants } from "../../harness/tenants.ts";

const WEBHOOKS = [`/api/v3/integrations/${KIND}/webhook`, "/webhooks/scheduling-provider"];

/** Authorization headers that hold the right token and still are not it. */
const spoilt = (token: string): [string, string | undefined][] => [
  ["no header", undefined],
  ["an empty header", ""],
  ["the token without a scheme", token],
  ["another scheme", `Basic ${token}`],
  ["no token", "Bearer"],
  ["a wrong token", "Bearer spp_0000000000000000000000000000000000000000000"],
  ["half of the token", `Bearer ${token.slice(0, -8)}`],
  ["the token and more", `Bearer ${token}x`],
  ["two tokens", `Bearer ${token} ${token}`],
  ["the token in upper case", `Bearer ${token.toUpperCase()}`],
];

// Of the database only one look-up by key is asked, so one engine is enough.
describe("tokens", () => {
  const harness = useTenants("postgres");

  describe.each(WEBHOOKS)("POST %s", (path) => {
    it("refuses everything but the platform token with 401, and stores nothing", async () => {
      const { send, tenant } = harness();
      const event = shiftEvent(tenant.providerId);
      for (const [, authorization] of spoilt(tenant.platformToken)) {
        const sending = {
          method: "POST",
          body: event,
          ...(authorization !== undefined && { authorization }),
        };
        const answer = await send(path, sending);
        expectProblem(answer, "unauthorized");
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
        expect(answer.text).not.toContain(tenant.platformToken);
      }
      expect(await storedEvents(harness())).not.toContainEqual(
        expect.objectContaining({ traceId: event.traceId }),
      );
    });

    it("refuses a token that has expired", async () => {
      const { send, tenant } = harness();
      const authorization = `Bearer ${tenant.expiredToken}`;
      const answer = await send(path, { method: "POST", authorization, body: shiftEvent(tenant.providerId) });
      expectProblem(answer, "unauthorized");
    });

    it("refuses the token of another providerId with 403, and stores nothing", async () => {
      const { send, tenant, other } = harness();
      const event = shiftEvent(tenant.providerId);
      const authorization = `Bearer ${other.platformToken}`;
      expectProblem(await send(path, { method: "POST", authorization, body: event }), "forbidden");
      const unknown = shiftEvent(randomUUID());
      expectProblem(await send(path, { method: "POST", authorization, body: unknown }), "forbidden");
      expect(await storedEvents(harness())).not.toContainEqual(
        expect.objectContaining({ traceId: event.traceId }),
      );
    });

    it("accepts the scheme and the providerId in any case", async () => {
      const { send, tenant } = harness();
      const event = shiftEvent(tenant.providerId.toUpperCase());
      const authorization = `bearer ${tenant.platformToken}`;
      const answer = await send(path, { method: "POST", authorization, body: event });
      expect([answer.status, answer.body]).toEqual([200, { received: true }]);
      expect(await storedEvents(harness())).toContainEqual(
        expect.objectContaining({ traceId: event.traceId, providerId: tenant.providerId }),
      );
    });
  });

  it("returns 404 for a kind of provider that is not the token's", async () => {
    const { send, tenant } = harness();
    const event = shiftEvent(tenant.providerId);
    for (const kind of ["temp", "tempo2", "TEMPO", "tem%70o2", "..%2Fwebhooks"]) {
      const authorization = `Bearer ${tenant.platformToken}`;
      const path = `/api/v3/integrations/${kind}/webhook`;
      expectProblem(
        await send(path, { method: "POST", authorization, body: event }),
        "provider_kind_unknown",
      );
    }
    expect(await storedEvents(harness())).not.toContainEqual(
      expect.objectContaining({ traceId: event.traceId }),
    );
  });

  it.each(operationsTable)("$method $path needs the operations token", async ({ method, path }) => {
    const { send } = harness();
    const filled = `/operations/v1${path.replaceAll(/\{\w+\}/g, randomUUID())}`;
    for (const [, authorization] of spoilt(OPERATIONS_TOKEN)) {
      const sending = { method, ...(authorization !== undefined && { authorization }) };
      const answer = await send(filled, sending);
      expectProblem(answer, "unauthorized");
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  it("serves the health checks without a token", async () => {
    for (const path of ["/health/live", "/health/ready"]) {
      const answer = await harness().send(path);
      expect([answer.status, answer.body]).toEqual([200, { status: "ok" }]);
    }
  });
});
