import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { createAddressLimit, limitInTotal } from "../../../src/platform/access/address-limit.ts";
import { createKnownTokens, hashToken, type KnownTokens } from "../../../src/platform/access/tokens.ts";
import { readConfig } from "../../../src/platform/config.ts";
import type { ProblemError } from "../../../src/runtime/problem.ts";
import { expectProblem } from "../../harness/http.ts";
import { OPERATIONS_TOKEN, SECRET_KEY } from "../../harness/platform.ts";
import { shiftEvent, useTenants } from "../../harness/tenants.ts";
import { addOperator } from "./documented.ts";

const LIMIT = 5;
const HERE = "192.0.2.1";

/** A store in which `good` tokens are known, and which counts its look-ups. */
function tokens(...good: string[]) {
  const store = { asked: 0, at: 0, good: new Set(good.map(hashToken)) };
  const read = async (hash: string) => {
    store.asked += 1;
    await Promise.resolve();
    return store.good.has(hash) ? { owner: hash, validUntil: null } : undefined;
  };
  const now = () => store.at;
  const limit = createAddressLimit(LIMIT, now);
  const inTotal = createKnownTokens(read, limitInTotal(limit, LIMIT, now), now);
  return { store, known: createKnownTokens(read, limit, now), inTotal };
}

const code = (error: unknown) => (error as ProblemError).problem.code;

describe("unknown tokens", () => {
  it("cost an address so many look-ups a minute, however many come at once", async () => {
    const { store, known } = tokens();
    const tries = Array.from({ length: 200 }, (_, nth) => known.find(`wrong-${nth}`, HERE).catch(code));
    const results = await Promise.all(tries);
    expect(store.asked).toBe(LIMIT);
    expect(results.filter((result) => result === undefined)).toHaveLength(LIMIT);
    expect(results.filter((result) => result === "rate_limited")).toHaveLength(200 - LIMIT);
  });

  it("are looked up again in the next minute", async () => {
    const { store, known } = tokens();
    for (let nth = 0; nth < 10; nth += 1) await known.find(`wrong-${nth}`, HERE).catch(code);
    store.at += MINUTE_MS;
    expect(await known.find("wrong", HERE)).toBeUndefined();
    expect(store.asked).toBe(LIMIT + 1);
  });

  it("cost another address nothing", async () => {
    const { known } = tokens("good");
    for (let nth = 0; nth < 10; nth += 1) await known.find(`wrong-${nth}`, HERE).catch(code);
    expect(await known.find("good", "192.0.2.2")).toBe(hashToken("good"));
  });

  it("do not lock out a token that was accepted before, even when it has to be looked up again", async () => {
    const { store, known } = tokens("good");
    await known.find("good", HERE);
    for (let nth = 0; nth < 10; nth += 1) await known.find(`wrong-${nth}`, HERE).catch(code);
    expect(await known.find("good", HERE)).toBe(hashToken("good"));
    store.at += 3_000;
    expect(await known.find("good", HERE)).toBe(hashToken("good"));
  });

  it("leave room for many valid tokens that arrive together", async () => {
    const good = Array.from({ length: 100 }, (_, nth) => `good-${nth}`);
    const { known } = tokens(...good);
    const found = await Promise.all(good.map((token) => known.find(token, HERE)));
    expect(found).toEqual(good.map(hashToken));
  });

  it("lose the exception once a token is no longer valid", async () => {
    const { store, known } = tokens("good");
    await known.find("good", HERE);
    store.good.clear();
    store.at += 3_000;
    for (let nth = 0; nth < 20; nth += 1) await known.find("good", HERE).catch(code);
    expect(store.asked).toBe(2 + LIMIT);
  });

  const tries = ({ find }: Pick<KnownTokens<string>, "find">) =>
    Promise.all(
      Array.from({ length: 500 }, (_, nth) => find(`wrong-${nth}`, `198.51.100.${nth}`).catch(code)),
    );

  it("of operators are limited for all addresses together", async () => {
    const { store, inTotal } = tokens("good");
    const results = await tries(inTotal);
    expect(results.filter((result) => result === "rate_limited")).toHaveLength(500 - 10 * LIMIT);
    expect(await inTotal.find("good", HERE).catch(code)).toBe("rate_limited");
    store.at += MINUTE_MS;
    expect(await inTotal.find("good", HERE)).toBe(hashToken("good"));
  });

  it("of providers cost other addresses nothing, however many send them", async () => {
    const { known } = tokens("good");
    await tries(known);
    expect(await known.find("good", HERE)).toBe(hashToken("good"));
  });
});

describe("a platform behind a proxy that it trusts", () => {
  const harness = useTenants("postgres", { config: { unknownTokenLimit: 2, trustProxy: 1 } });

  it("counts by the client's address, and records it in the audit log", async () => {
    const { send } = harness();
    const me = (client: string, nth: number) =>
      send("/operations/v1/me", {
        authorization: `Bearer unknown-${nth}`,
        headers: { "x-forwarded-for": client },
      });
    for (let nth = 0; nth < 2; nth += 1) await me("192.0.2.7", nth);
    expectProblem(await me("192.0.2.7", 2), "rate_limited");
    expectProblem(await me("192.0.2.8", 3), "unauthorized");
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    const headers = { "x-forwarded-for": "192.0.2.9" };
    await send("/operations/v1/competences", {
      method: "POST",
      authorization,
      headers,
      body: { name: "Cook" },
    });
    const { body } = await harness().operate("GET", "/audit?operation=createCompetence");
    expect(body).toMatchObject({ items: [{ address: "192.0.2.9" }] });
  });
});

describe("a platform with the limits of an installation", () => {
  const { unknownTokenLimit } = readConfig({ OPERATIONS_TOKEN, SECRET_KEY: SECRET_KEY.toString("base64") });
  const at = new Date();
  const harness = useTenants("postgres", { config: { unknownTokenLimit, trustProxy: 1 }, now: () => at });

  it("looks up 30 unknown tokens of an address, 300 of all that try the operations API, and any number of webhooks", async () => {
    const { send, tenant } = harness();
    const headers = (nth: number) => ({ "x-forwarded-for": `192.0.2.${nth}` });
    const me = async (nth: number) =>
      (await send("/operations/v1/me", { authorization: "Bearer unknown", headers: headers(nth) })).status;
    const webhook = async (nth: number) => {
      const body = shiftEvent(tenant.providerId);
      const options = { method: "POST", authorization: "Bearer unknown", headers: headers(nth), body };
      return (await send("/webhooks/scheduling-provider", options)).status;
    };
    const statuses: number[] = [];
    for (let nth = 0; nth < 10; nth += 1)
      for (let time = 0; time < 31; time += 1) statuses.push(await me(nth));
    expect(statuses).toEqual(
      Array(10)
        .fill([...Array(30).fill(401), 429])
        .flat(),
    );
    expect([await me(10), await webhook(0)]).toEqual([429, 429]);
    const webhooks = await Promise.all(Array.from({ length: 301 }, (_, nth) => webhook(10 + (nth % 200))));
    expect(new Set(webhooks)).toEqual(new Set([401]));
  });
});

/** From the client to the last of so many proxies. The connection itself is another one. */
const through = (proxies: number) =>
  ["198.51.100.1", ...Array.from({ length: proxies }, (_, nth) => `127.0.1.${proxies - nth}`)].join(", ");

describe("the address of a client", () => {
  const harness = useTenants("postgres", { config: { unknownTokenLimit: 2, trustProxy: ["loopback"] } });

  it.each([
    ["not-an-address\u00e9", "127.0.0.1"],
    ["198.51.100.1, <b>", "127.0.0.1"],
    ["198.51.100.1, 192.0.2.30", "192.0.2.30"],
    [through(9), "198.51.100.1"],
    [through(10), "127.0.1.10"],
  ])("of X-Forwarded-For %j is stored as %s", async (given, stored) => {
    const name = `Cook ${given.length} ${stored}`;
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    const headers = { "x-forwarded-for": Buffer.from(given).toString("latin1") };
    await harness().send("/operations/v1/competences", {
      method: "POST",
      authorization,
      headers,
      body: { name },
    });
    const { body } = await harness().operate("GET", "/audit?operation=createCompetence&limit=1");
    expect(body).toMatchObject({ items: [{ address: stored }] });
  });

  it("decides whether OPERATIONS_TOKEN is accepted after too many failures", async () => {
    const me = (authorization: string, client: string) =>
      harness().send("/operations/v1/me", {
        authorization: `Bearer ${authorization}`,
        headers: { "x-forwarded-for": client },
      });
    expect((await me(OPERATIONS_TOKEN, "192.0.2.40")).status).toBe(200);
    for (const client of ["192.0.2.40", "192.0.2.41"]) {
      for (let nth = 0; nth < 2; nth += 1) await me(`unknown-${nth}`, client);
      expectProblem(await me("unknown", client), "rate_limited");
    }
    expect((await me(OPERATIONS_TOKEN, "192.0.2.40")).status).toBe(200);
    expectProblem(await me(OPERATIONS_TOKEN, "192.0.2.41"), "rate_limited");
  });
});

describe("a platform that is given unknown tokens", () => {
  const harness = useTenants("postgres", { config: { unknownTokenLimit: 3 } });

  it("answers 429 with Retry-After, and still serves valid tokens from the address", async () => {
    const { send, tenant } = harness();
    const { token } = await addOperator(harness(), "viewer");
    const me = (given: string) => send("/operations/v1/me", { authorization: `Bearer ${given}` });
    const webhook = (given: string) =>
      send("/webhooks/scheduling-provider", {
        method: "POST",
        authorization: `Bearer ${given}`,
        body: shiftEvent(tenant.providerId),
      });
    expect([(await me(token)).status, (await webhook(tenant.platformToken)).status]).toEqual([200, 200]);
    expectProblem(await me("unknown-operator-1"), "unauthorized");
    expectProblem(await webhook("unknown-provider-1"), "unauthorized");
    expectProblem(await me("unknown-operator-2"), "unauthorized");
    for (const answer of [await me("unknown-operator-3"), await webhook("unknown-provider-2")]) {
      expectProblem(answer, "rate_limited");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(60);
    }
    expect([(await me(token)).status, (await webhook(tenant.platformToken)).status]).toEqual([200, 200]);
    expect((await me(OPERATIONS_TOKEN)).status).toBe(200);
  });
});
