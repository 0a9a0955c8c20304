import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runDemo } from "../../src/cli/demo/flows.ts";
import { createLog } from "../../src/platform/log.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { OPERATIONS_TOKEN } from "../harness/platform.ts";
import { startWithTenants, type TenantHarness } from "../harness/tenants.ts";
import { recordDemo } from "./recorded-demo.ts";

/** The candidates of the demo, whom both servers know by then. */
const PEOPLE = ["197209189294", "197603212387", "197610222387"];

/** Drops ids, times, process ids and ports, which may hold any four digits. */
const withoutIds = (text: string) =>
  text.replaceAll(
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|"(?:time|pid)":\d+|"instance":"[^"]*"|127\.0\.0\.1:\d+/g,
    "",
  );

describe("the logs of a complete demo", () => {
  const lines = { platform: [] as string[], provider: [] as string[] };
  let harness: TenantHarness;
  let provider: Sandbox;
  let secrets: string[];

  beforeAll(async () => {
    const write = (line: string) => void lines.platform.push(line);
    harness = await startWithTenants("pglite", { log: createLog("trace", { write }) });
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.provider.push(line) });
    provider = await startSandbox({ log });
    expect(await runDemo(recordDemo(harness.platform, provider).demo)).toBe(true);
    await trouble();
    secrets = [OPERATIONS_TOKEN, provider.token, harness.tenant.platformToken];
  });
  afterAll(async () => {
    await provider.close();
    await harness.close();
  });

  /** Causes errors and refusals, because those are logged most, and requests made-up paths. */
  async function trouble() {
    const [number = ""] = PEOPLE;
    const encoded = [...number].map((digit) => `%3${digit}`).join("");
    const paths = [
      number,
      `${number.slice(0, 8)}-${number.slice(8)}`,
      encoded,
      "elin.strand@example.com",
      "+46701740605",
    ];
    for (const path of [...paths, `nothing?personalNumber=${number}`]) {
      await harness.operate("GET", `/candidates/${path}`);
      await harness.send(`/${path}`);
    }
    for (const path of [number, encoded, `?personalNumber=${number}`]) {
      const headers = { authorization: `Bearer ${provider.token}`, "x-trace-id": number };
      await fetch(`${provider.url}/candidates/${path}`, { headers });
    }
    await harness.operate("GET", `/traces/${number}`);
    await harness.operate("POST", "/candidates", {
      personalNumber: number,
      email: "elin.strand@example.com",
    });
    await harness.sendEvent({ event: number, email: "elin.strand@example.com" });
    await harness.send(`/webhooks/scheduling-provider`, {
      method: "POST",
      authorization: `Bearer ${provider.token}`,
    });
    provider.setFault("reset");
    await harness.operate("POST", `/integrations/${provider.providerId}/discover`);
    await provider.settled();
    await harness.platform.idle();
  }

  it.each(["platform", "provider"] as const)("hold lines of the %s that are valid JSON", (whose) => {
    expect(lines[whose].length).toBeGreaterThan(10);
    for (const line of lines[whose]) expect(JSON.parse(line)).toHaveProperty("msg");
  });

  it.each(["platform", "provider"] as const)("hold no personal data and no secret, at the %s", (whose) => {
    const all = lines[whose].join("");
    for (const number of PEOPLE) {
      expect(all).not.toContain(number);
      expect(all).not.toContain(number.slice(2));
      expect(withoutIds(all)).not.toContain(number.slice(-4));
    }
    for (const secret of secrets) expect(all).not.toContain(secret);
    expect(all).not.toMatch(/spp_|provider_[\w-]{20}|@example|\+46|740605|Astrid|Elin|Jonas/i);
    expect(all).not.toMatch(/%3[0-9]/);
  });

  it.each(["platform", "provider"] as const)("hold no query string, at the %s", (whose) => {
    for (const line of lines[whose]) expect(line).not.toMatch(/\?\w+=|personalNumber/);
  });

  it("hold the traceId of every call to the provider", () => {
    const calls = lines.provider
      .map((line) => JSON.parse(line))
      .filter(({ path }) => /shifts/.test(path ?? ""));
    expect(calls.length).toBeGreaterThan(2);
    for (const { traceId } of calls) expect(traceId).toMatch(/^[\da-f-]{36}$/);
  });
});
