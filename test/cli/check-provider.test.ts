import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createProviderCheck } from "../../src/cli/check-provider.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Faults, jsonReply, startFaultyProvider } from "../harness/faulty-provider.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const checkProvider = createProviderCheck();

async function check(routing: "path" | "header", faults: Faults, change?: (sandbox: Sandbox) => void) {
  const sandbox = await startSandbox({ rateLimit: 0 });
  for (let index = 0; index < 300; index += 1) sandbox.createShift();
  change?.(sandbox);
  const provider = await startFaultyProvider(sandbox, faults);
  ends.push(sandbox.close, provider.close);
  const { shiftId } = sandbox.createShift();
  const { providerId, token } = sandbox;
  const { signal } = new AbortController();
  return checkProvider({
    baseUrl: provider.url,
    providerId,
    token,
    routing,
    shiftId,
    signal,
    fetch: (request) => fetch(request),
  });
}

/** Requests that any client sends: plain ids, and queries of one number or name. */
const ORDINARY =
  /^(\/providers\/[0-9a-f-]{36})?\/(outlets|roles|shifts\/[0-9a-f-]{36}|candidates(\/registry)?)(\?(personalNumber=\d{8}-?\d{4}|name=\w+|cursor=[\w-]+))?$/;

describe.each(["path", "header"] as const)("the check of a provider, with %s routing", (routing) => {
  it("makes few ordinary requests, one at a time", async () => {
    const calls: string[] = [];
    let [open, most] = [0, 0];
    const findings = await check(routing, {
      before: ({ method, url }) => {
        calls.push(`${method} ${url}`);
        open += 1;
        most = Math.max(most, open);
        return undefined;
      },
      after: () => {
        open -= 1;
        return undefined;
      },
    });
    expect(findings).toEqual([]);
    expect(calls.length).toBeGreaterThan(20);
    // A test number that is taken costs a round of lookups more.
    expect(calls.length).toBeLessThan(60);
    expect(calls.filter((call) => !call.startsWith("GET ") || !ORDINARY.test(call.slice(4)))).toEqual([]);
    expect(most).toBe(1);
  });

  it("is not blocked by a firewall that blocks the sender of an odd request", async () => {
    let isBlocked = false;
    const findings = await check(routing, {
      before: ({ url }) => {
        isBlocked ||= !ORDINARY.test(url);
        return isBlocked ? jsonReply(403, { blocked: true }) : undefined;
      },
    });
    expect([isBlocked, findings]).toEqual([false, []]);
  });

  it("still finds a provider that ignores the token", async () => {
    const findings = await check(routing, {}, (sandbox) => sandbox.setFault("no-token-accepted"));
    expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(["auth_missing"]));
  });

  it("ends when the responses are too long together", async () => {
    const long = jsonReply(200, [" ".repeat(900_000)]);
    const failed = { name: "ProviderHttpError", failure: "processing_limit" };
    await expect(check(routing, { before: () => long })).rejects.toMatchObject(failed);
  });
});

it("the check of a provider ends after 5 minutes", async () => {
  const deadline = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => deadline.mockRestore());
  await check("path", {});
  expect(deadline).toHaveBeenCalledWith(expect.any(Function), 5 * 60_000);
});
