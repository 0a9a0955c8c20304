import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProviderActions } from "../../src/sandbox/provider-actions.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Answered, call, everyOperation, NEW_CANDIDATE } from "./calls.ts";

const UNKNOWN = "11111111-2222-4333-8444-555555555555";

let sandbox: Sandbox;
let other: ProviderActions;
beforeAll(async () => {
  sandbox = await startSandbox();
  other = sandbox.addOrganisation();
});
afterAll(() => sandbox.close());

const code = ({ body }: Answered) => (body as { code?: string }).code;

describe.each(everyOperation)("$operationId", ({ method, path }) => {
  it.each([
    ["no Authorization", null, {}],
    ["an unknown token", "wrong", {}],
    ["another scheme", null, { Authorization: "Basic dTpw" }],
    ["an empty token", null, { Authorization: "Bearer " }],
  ])("returns 401 for %s, before it reads the body", async (_, token, headers) => {
    const answer = await call(sandbox, method, path, {
      token,
      headers,
      ...(method === "POST" && { body: "{" }),
    });
    expect([answer.status, code(answer)]).toEqual([401, "unauthorized"]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });

  it("returns 404 for an unknown providerId", async () => {
    const answer = await call(sandbox, method, path, { providerId: UNKNOWN });
    expect([answer.status, code(answer)]).toEqual([404, "provider_not_found"]);
  });

  it("returns 403 for another organisation's token", async () => {
    const answer = await call(sandbox, method, path, { token: other.token });
    expect([answer.status, code(answer)]).toEqual([403, "forbidden"]);
  });
});

describe("header routing", () => {
  const bare = (headers: Record<string, string>) => call(sandbox, "GET", "/outlets", { bare: true, headers });

  it.each(["X-Provider-Id", "X-Platform-Provider-Id"])("accepts %s alone", async (name) => {
    const answer = await bare({ [name]: sandbox.providerId });
    expect([answer.status, answer.body]).toEqual([200, sandbox.outlets]);
  });

  it("accepts both headers when they agree, in any case", async () => {
    const { providerId } = sandbox;
    const headers = { "X-Provider-Id": providerId.toUpperCase(), "X-Platform-Provider-Id": providerId };
    expect((await bare(headers)).status).toBe(200);
  });

  it.each([
    ["neither header is sent", () => ({})],
    [
      "the headers differ",
      () => ({ "X-Provider-Id": sandbox.providerId, "X-Platform-Provider-Id": other.providerId }),
    ],
  ])("returns 400 when %s", async (_, headers) => {
    const answer = await bare(headers());
    expect([answer.status, code(answer)]).toEqual([400, "validation_failed"]);
  });

  it("returns 400 when a header contradicts the path", async () => {
    const answer = await call(sandbox, "GET", "/outlets", { headers: { "X-Provider-Id": other.providerId } });
    expect([answer.status, code(answer)]).toEqual([400, "validation_failed"]);
  });
});

describe("tenants", () => {
  const asOther = () => ({ providerId: other.providerId, token: other.token });

  it("do not see one another's shifts", async () => {
    const { shiftId } = sandbox.createShift();
    expect((await call(sandbox, "GET", `/shifts/${shiftId}`)).status).toBe(200);
    for (const method of ["GET", "DELETE"]) {
      const answer = await call(sandbox, method, `/shifts/${shiftId}`, asOther());
      expect([answer.status, code(answer)]).toEqual([404, "shift_not_found"]);
    }
    expect(sandbox.shift(shiftId)?.cancelled).toBe(false);
  });

  it("have separate candidates: the same person may work for both", async () => {
    const first = await call(sandbox, "POST", "/candidates", { body: NEW_CANDIDATE });
    const second = await call(sandbox, "POST", "/candidates", { body: NEW_CANDIDATE, ...asOther() });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(other.candidates.map(({ id }) => id)).not.toContain((first.body as { id: string }).id);
  });

  it("cannot be added twice", () => {
    expect(() => sandbox.addOrganisation({ providerId: other.providerId })).toThrow("already");
  });
});

describe("the sandbox", () => {
  it("returns 404 for an unknown path", async () => {
    const answer = await call(sandbox, "GET", "/nothing");
    expect([answer.status, code(answer)]).toEqual([404, "not_found"]);
  });

  it("returns 405 with Allow for an unknown method", async () => {
    const answer = await call(sandbox, "PATCH", "/outlets");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("does not reveal its framework", async () => {
    const { headers } = await call(sandbox, "GET", "/outlets");
    expect(headers.has("x-powered-by")).toBe(false);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("sends its rate limit, and returns 429 with Retry-After beyond it", async () => {
    const strict = await startSandbox({ rateLimit: 1 });
    try {
      const first = await call(strict, "GET", "/outlets");
      expect(first.headers.get("ratelimit")).toContain("r=0");
      const second = await call(strict, "GET", "/outlets");
      expect([second.status, code(second)]).toEqual([429, "rate_limited"]);
      expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    } finally {
      await strict.close();
    }
  });

  it.each([
    ["text that is not JSON", "{", {}, 400, "malformed_json"],
    ["another media type", "a=b", { "Content-Type": "text/plain" }, 415, "unsupported_media_type"],
    ["a body that is too large", `"${"x".repeat(70_000)}"`, {}, 413, "payload_too_large"],
    ["an empty object", {}, {}, 400, "validation_failed"],
  ])("refuses %s", async (_, body, headers, status, expected) => {
    const answer = await call(sandbox, "POST", "/candidates", { body, headers });
    expect([answer.status, code(answer)]).toEqual([status, expected]);
    expect(answer.body).toMatchObject({ traceId: expect.any(String) });
  });

  it.each(["%E0%A4%A", "%00", "..%2f", "'; drop table shifts; --", "x".repeat(201)])(
    "never returns 5xx for the shift id %s",
    async (id) => {
      const { status } = await call(sandbox, "GET", `/shifts/${id}`);
      expect([400, 404]).toContain(status);
    },
  );
});
