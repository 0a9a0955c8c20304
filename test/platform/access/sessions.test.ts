import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { AuditEntry, OperatorTokenRotated } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import { expectProblem, type HttpResponse, type RequestOptions } from "../../harness/http.ts";
import { OPERATIONS_TOKEN, withDatabase } from "../../harness/platform.ts";
import { startWithTenants, type TenantHarness, useTenants } from "../../harness/tenants.ts";
import { addOperator } from "./documented.ts";

type Sender = Pick<TenantHarness, "send">;

const PATH = "/operations/v1";
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

const signIn = ({ send }: Sender, token: string, headers: Record<string, string> = {}) =>
  send(`${PATH}/session`, { method: "POST", authorization: `Bearer ${token}`, headers });

const cookieIn = ({ headers }: HttpResponse) => headers["set-cookie"]?.[0] ?? "";

/** What a browser sends back. */
async function cookieOf(harness: Sender, token: string): Promise<string> {
  const response = await signIn(harness, token);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return cookieIn(response).split(";", 1)[0] ?? "";
}

function withCookie({ send }: Sender, cookie: string) {
  return (path: string, { headers, ...options }: RequestOptions = {}) =>
    send(`${PATH}${path}`, { ...options, headers: { cookie, ...SAME_ORIGIN, ...headers } });
}

const me = (harness: Sender, cookie: string) => withCookie(harness, cookie)("/me");

describe.each(featureEngines)("sessions of the console, on %s", (engine) => {
  const clock = { ahead: 0 };
  const options = { now: () => new Date(Date.now() + clock.ahead), streamCheckMs: 5 };
  const harness = useTenants(engine, options);
  const statusOf = async (cookie: string) => (await me(harness(), cookie)).status;

  it("are opened with the token of an operator, and have the rights of the operator", async () => {
    const { token, operatorId, name, validUntil } = await addOperator(harness(), "viewer");
    const response = await signIn(harness(), token);
    expect(response.body).toEqual({ name, role: "viewer", operatorId, tokenValidUntil: validUntil });
    const [cookie = ""] = cookieIn(response).split(";", 1);
    expect((await me(harness(), cookie)).body).toEqual(response.body);
    const call = withCookie(harness(), cookie);
    expect((await call("/jobs")).status).toBe(200);
    expectProblem(await call("/competences", { method: "POST", body: { name: "Cook" } }), "forbidden");
    expect((await harness().operate("PATCH", `/operators/${operatorId}`, { role: "admin" })).status).toBe(
      200,
    );
    expect((await call("/competences", { method: "POST", body: { name: "Cook" } })).status).toBe(201);
  });

  it("are opened with OPERATIONS_TOKEN for the first admin", async () => {
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    expect((await me(harness(), cookie)).body).toEqual({ name: "first admin", role: "admin" });
  });

  it("are not opened with a session, nor with an unknown token", async () => {
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    expectProblem(await withCookie(harness(), cookie)("/session", { method: "POST" }), "unauthorized");
    expectProblem(await signIn(harness(), "unknown"), "unauthorized");
  });

  it("give way to a token that is sent as well", async () => {
    const { token, name } = await addOperator(harness(), "viewer");
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    const authorization = `Bearer ${token}`;
    expect((await withCookie(harness(), cookie)("/me", { authorization })).body).toMatchObject({ name });
    const basic = { authorization: "Basic cHJveHk6cHJveHk=" };
    expect((await withCookie(harness(), cookie)("/me", basic)).body).toMatchObject({ name: "first admin" });
  });

  it("end with the sign-out, at the next call, and take their streams with them", async () => {
    const [cookie, other] = [
      await cookieOf(harness(), OPERATIONS_TOKEN),
      await cookieOf(harness(), OPERATIONS_TOKEN),
    ];
    const stream = await fetch(`${harness().platform.url}${PATH}/stream`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    const response = await withCookie(harness(), cookie)("/session", { method: "DELETE" });
    expect([response.status, cookieIn(response)]).toEqual([204, expect.stringContaining("; Max-Age=0")]);
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([401, 200]);
    // Ends: otherwise this waits for the time limit of the test.
    await stream.text();
  });

  it("replace the one that the browser had", async () => {
    const first = await cookieOf(harness(), OPERATIONS_TOKEN);
    const { token } = await addOperator(harness(), "viewer");
    expect((await signIn(harness(), token, { cookie: first })).status).toBe(201);
    expect(await statusOf(first)).toBe(401);
  });

  it("end with the operator", async () => {
    const { token, operatorId } = await addOperator(harness(), "viewer");
    const cookie = await cookieOf(harness(), token);
    expect(await statusOf(cookie)).toBe(200);
    await harness().operate("DELETE", `/operators/${operatorId}`);
    const refused = await me(harness(), cookie);
    expectProblem(refused, "unauthorized");
    expect(refused.body).toMatchObject({ detail: "The session has ended. Sign in again." });
  });

  it("end with the token that they were opened with: at its rotation, after its overlap, or when it expires", async () => {
    const { token, operatorId } = await addOperator(harness(), "viewer");
    const rotate = async (body: object) =>
      (await harness().operate("POST", `/operators/${operatorId}/tokens`, body)).body as OperatorTokenRotated;
    const first = await cookieOf(harness(), token);
    const { token: next } = await rotate({ overlapHours: 0 });
    expect(await statusOf(first)).toBe(401);
    const second = await cookieOf(harness(), next);
    const { token: last } = await rotate({ overlapHours: 1, validDays: 1 });
    const third = await cookieOf(harness(), last);
    clock.ahead += HOUR_MS - MINUTE_MS;
    expect([await statusOf(second), await statusOf(third)]).toEqual([200, 200]);
    clock.ahead += 2 * MINUTE_MS;
    expect([await statusOf(second), await statusOf(third)]).toEqual([401, 200]);
    for (let hours = 0; hours < 22; hours += 11) {
      clock.ahead += 11 * HOUR_MS;
      expect(await statusOf(third)).toBe(200);
    }
    clock.ahead += 2 * HOUR_MS;
    expect(await statusOf(third)).toBe(401);
  });

  it("end after 12 hours without a call", async () => {
    const [used, unused] = [
      await cookieOf(harness(), OPERATIONS_TOKEN),
      await cookieOf(harness(), OPERATIONS_TOKEN),
    ];
    clock.ahead += 11 * HOUR_MS;
    expect(await statusOf(used)).toBe(200);
    clock.ahead += HOUR_MS + SECOND_MS;
    expect([await statusOf(used), await statusOf(unused)]).toEqual([200, 401]);
  });

  it("end after 7 days, however often they are used", async () => {
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    for (let half = 0; half < 15; half += 1) {
      clock.ahead += 11 * HOUR_MS;
      expect(await statusOf(cookie)).toBe(200);
    }
    clock.ahead += 7 * DAY_MS - 15 * 11 * HOUR_MS;
    expect(await statusOf(cookie)).toBe(401);
  });

  it("are entries of the audit log, when they begin and end", async () => {
    const { token, operatorId, name } = await addOperator(harness(), "viewer");
    const cookie = await cookieOf(harness(), token);
    await withCookie(harness(), cookie)("/session", { method: "DELETE" });
    const { body } = await harness().operate("GET", `/audit?operator=${encodeURIComponent(name)}`);
    const expected = { operator: { operatorId, name }, address: "127.0.0.1", changes: [] };
    expect((body as { items: AuditEntry[] }).items).toMatchObject([
      { ...expected, operation: "signOut" },
      { ...expected, operation: "signIn" },
    ]);
  });

  it("have a cookie for this platform alone, which no script reads", async () => {
    const { port } = new URL(harness().platform.url);
    const cookie = cookieIn(await signIn(harness(), OPERATIONS_TOKEN));
    const attributes = "Path=/; HttpOnly; SameSite=Strict";
    expect(cookie).toMatch(new RegExp(`^shiftpact-${port}=[\\w-]{43}; ${attributes}$`));
    const forged = await signIn(harness(), OPERATIONS_TOKEN, { "x-forwarded-proto": "https" });
    expect(cookieIn(forged)).toMatch(/^shiftpact-/);
    const atPort80 = await signIn(harness(), OPERATIONS_TOKEN, { host: "127.0.0.1" });
    expect(cookieIn(atPort80)).toMatch(/^shiftpact-80=/);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ["GET", "the console", SAME_ORIGIN, 200],
    ["GET", "the address bar", { "sec-fetch-site": "none" }, 200],
    ["GET", "the console over http", {}, 200],
    ["GET", "another port", { "sec-fetch-site": "same-site" }, 403],
    ["GET", "another site", { "sec-fetch-site": "cross-site" }, 403],
    ["POST", "the console", SAME_ORIGIN, 201],
    ["POST", "the console over http", { origin: "OWN" }, 201],
    ["POST", "no page", {}, 403],
    ["POST", "the address bar", { "sec-fetch-site": "none" }, 403],
    ["POST", "another port", { "sec-fetch-site": "same-site", origin: "OWN" }, 403],
    ["POST", "another port over http", { origin: "http://127.0.0.1:1" }, 403],
    ["POST", "another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
    ["POST", "another site over http", { origin: "https://evil.example" }, 403],
    ["POST", "a page without an origin", { origin: "null" }, 403],
  ])("answer a %s from %s with %j: %i", async (method, _from, headers, status) => {
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    const given = { ...headers, ...(headers.origin === "OWN" && { origin: harness().platform.url }) };
    const body = method === "POST" ? { name: `Cook ${Math.random()}` } : undefined;
    const response = await harness().send(`${PATH}/competences`, {
      method,
      headers: { cookie, host: new URL(harness().platform.url).host, ...given },
      ...(body && { body }),
    });
    expect(response.status).toBe(status);
    if (status === 403) expectProblem(response, "forbidden");
  });

  it("are stored with a hash only, and with the minute of their last use", async () => {
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    const [, session = ""] = cookie.split("=");
    const { location } = harness();
    if (!location.url) return;
    const stored = () =>
      withDatabase(location, async ({ kysely }) => {
        const { rows } = await sql<{ row: string }>`select s::text as row from console_sessions s`.execute(
          kysely,
        );
        return rows.map(({ row }) => row).toSorted();
      });
    const before = await stored();
    expect(before.join("\n")).not.toContain(session);
    clock.ahead += MINUTE_MS - 5 * SECOND_MS;
    expect(await statusOf(cookie)).toBe(200);
    const added = async () => (await stored()).filter((row) => !before.includes(row));
    expect(await added()).toEqual([]);
    clock.ahead += 10 * SECOND_MS;
    expect(await statusOf(cookie)).toBe(200);
    expect(await added()).toHaveLength(1);
  });
});

describe("a session", () => {
  const harness = useTenants("postgres", { config: { trustProxy: 1, unknownTokenLimit: 3 } });

  it("over https has a cookie that another host cannot set, and is no session over http", async () => {
    const https = { "x-forwarded-proto": "https", host: "platform.example" };
    const response = await signIn(harness(), OPERATIONS_TOKEN, https);
    expect(cookieIn(response)).toMatch(
      /^__Host-shiftpact=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const [cookie = ""] = cookieIn(response).split(";", 1);
    const call = withCookie(harness(), cookie);
    expect((await call("/me", { headers: https })).status).toBe(200);
    const origin = "https://platform.example";
    const headers = { ...https, origin };
    expect((await call("/competences", { method: "POST", headers, body: { name: "Cook" } })).status).toBe(
      201,
    );
    expect((await call("/me")).status).toBe(401);
  });

  it("that has ended, or never was, keeps no one from signing in", async () => {
    const unknown = `shiftpact-${new URL(harness().platform.url).port}=`;
    const tries = Array.from({ length: 40 }, (_, nth) => me(harness(), `${unknown}session-${nth}`));
    const refused = (await Promise.all(tries)).map(({ status }) => status);
    expect(refused.toSorted()).toEqual([...Array(30).fill(401), ...Array(10).fill(429)]);
    const cookie = await cookieOf(harness(), OPERATIONS_TOKEN);
    expect((await me(harness(), cookie)).status).toBe(200);
  });
});

describe("the sessions of several processes", () => {
  const harness = useTenants("postgres");

  it("are accepted by each, until they end in one or OPERATIONS_TOKEN changes", async () => {
    const { url } = harness().location;
    if (url === undefined) throw new Error("PostgreSQL has a URL");
    const clock = { ahead: 0 };
    const now = () => new Date(Date.now() + clock.ahead);
    const other = await startWithTenants({ url }, { now });
    const changed = await startWithTenants({ url }, { config: { operationsToken: `${OPERATIONS_TOKEN}-2` } });
    const { send } = harness();
    // The name of the cookie has the port that the browser sees, which is that of a proxy.
    const host = "127.0.0.1:3000";
    const behind = (each: Sender): Sender => ({
      send: (path, options = {}) => each.send(path, { ...options, headers: { host, ...options.headers } }),
    });
    try {
      const cookie = await cookieOf(behind({ send }), OPERATIONS_TOKEN);
      expect((await me(behind(other), cookie)).status).toBe(200);
      expect((await me(behind(changed), cookie)).status).toBe(401);
      await withCookie(behind({ send }), cookie)("/session", { method: "DELETE" });
      clock.ahead = 2_001;
      expect((await me(behind(other), cookie)).status).toBe(401);
    } finally {
      await other.close();
      await changed.close();
    }
  });
});
