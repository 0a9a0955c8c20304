import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FailureCode } from "../../generated/operations/types.ts";
import type { Unavailable } from "../../src/clients/provider/answer.ts";
import { globalFetch } from "../../src/clients/provider/global-fetch.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { listening } from "../harness/http.ts";
import { ADA, ADAS_NUMBER, CALL, idsOf, providerSandboxes } from "../harness/provider-sandbox.ts";

const start = providerSandboxes();

describe("a refusal", () => {
  it("of a cancellation is no success", async () => {
    const { sandbox, client } = await start({ faults: ["cancel-refused"] });
    expect(await client.cancelShift(idsOf(sandbox).shiftId, CALL)).toMatchObject({
      kind: "refused",
      status: 409,
    });
  });

  it("of a change has its code", async () => {
    const { sandbox, client } = await start({ faults: ["update-refused"] });
    const { shiftId, shift } = idsOf(sandbox);
    const change = { startTime: shift.startTime, endTime: shift.endTime, positions: 1 };
    expect(await client.updateShift(shiftId, change, CALL)).toEqual({
      kind: "refused",
      status: 409,
      code: "shift_started",
    });
  });

  it("of the token is not retried", async () => {
    const { client } = await start({}, { token: "wrong" });
    expect(await client.listRoles(CALL)).toEqual({ kind: "refused", status: 401, code: "unauthorized" });
  });
});

describe("an unusable response", () => {
  const unavailable = (failure: FailureCode, rest: Partial<Unavailable> = {}) => {
    return { kind: "unavailable", failure, reason: expect.any(String), ...rest };
  };

  it("is a shift that was not asked for", async () => {
    const { sandbox, client } = await start({ faults: ["shift-of-another"] });
    expect(await client.getShift(idsOf(sandbox).shiftId, CALL)).toEqual(unavailable("wrong_shift"));
  });

  /** One call of each group, so that each reader of a response meets the fault. */
  async function everyOutcome(options: SandboxOptions) {
    const { sandbox, client } = await start(options);
    const { shiftId, shift, seat } = idsOf(sandbox);
    const change = { startTime: shift.startTime, endTime: shift.endTime, positions: 1 };
    return Promise.all([
      client.getShift(shiftId, CALL),
      client.updateShift(shiftId, change, CALL),
      client.assign(seat, CALL),
      client.findCandidates(ADAS_NUMBER, CALL),
      client.createCandidate(ADA, CALL),
      client.readRegistry({ limit: 5 }, CALL),
      client.listOutlets(CALL),
      client.listRoles(CALL),
    ]);
  }

  it.each([
    ["unavailable", "http_error", { status: 503 }],
    ["rate-limited", "http_error", { status: 429 }],
    ["error-500", "http_error", { status: 500 }],
    ["redirect", "redirected", { status: 302 }],
    ["reset", "connection_failed", {}],
    ["garbage", "contract_violation", { pointers: expect.any(Array) }],
    ["empty-body", "contract_violation", { pointers: expect.any(Array) }],
    ["truncated", "contract_violation", { pointers: expect.any(Array) }],
  ] as const)("is unavailable after the fault %s: %s", async (fault, failure, rest) => {
    for (const outcome of await everyOutcome({ faults: [fault] })) {
      expect(outcome).toMatchObject({ kind: "unavailable", failure, ...rest });
      expect(JSON.stringify(outcome)).not.toContain(ADA.personalNumber);
    }
  });

  it("is a redirect to the runtime's own fetch, which follows none either", async () => {
    const { url, close } = await listening(
      createServer((request, response) => {
        response.writeHead(request.url === "/there" ? 200 : 302, { location: "/there" }).end();
      }),
    );
    onTestFinished(close);
    await expect(globalFetch(new Request(url))).rejects.toMatchObject({ failure: "connection_failed" });
  });

  it("ends the call at its time limit", async () => {
    const impatient = createProviderHttp({ allowInsecure: true, timeoutMs: 30 });
    const { client } = await start({ faults: ["slow"] }, { fetch: impatient.fetch });
    expect(await client.listRoles(CALL)).toEqual(unavailable("timeout"));
    await impatient.close();
  });

  it("ends when the caller aborts", async () => {
    const { client } = await start({ faults: ["slow"] });
    const outcome = await client.listRoles({ ...CALL, signal: AbortSignal.abort() });
    expect(outcome).toEqual(unavailable("aborted"));
  });

  it("names the connection error of an unreachable provider", async () => {
    const { sandbox, client } = await start();
    await sandbox.close();
    const providerCode = "ECONNREFUSED";
    expect(await client.listRoles(CALL)).toEqual(unavailable("connection_failed", { providerCode }));
  });

  it("is reported for plain http without a call unless insecure providers are allowed", async () => {
    const strict = createProviderHttp();
    const { client } = await start({}, { fetch: strict.fetch });
    expect(await client.listRoles(CALL)).toEqual(unavailable("address_blocked"));
    await strict.close();
  });

  it("carries a Retry-After in seconds", async () => {
    const { sandbox, client } = await start();
    sandbox.setFault("unavailable", { retryAfter: "7" });
    expect(await client.listRoles(CALL)).toMatchObject({ kind: "unavailable", retryAfterMs: 7_000 });
  });

  it("carries a Retry-After that is a date", async () => {
    const { sandbox, client } = await start();
    const inAnHour = new Date(Date.now() + HOUR_MS).toUTCString();
    sandbox.setFault("rate-limited", { retryAfter: inAnHour });
    const outcome = await client.listRoles(CALL);
    const { retryAfterMs = 0 } = outcome.kind === "unavailable" ? outcome : {};
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(HOUR_MS);
  });

  it("ignores any other Retry-After", async () => {
    const { sandbox, client } = await start();
    sandbox.setFault("unavailable", { retryAfter: "soon" });
    expect(await client.listRoles(CALL)).toEqual(unavailable("http_error", { status: 503 }));
  });
});
