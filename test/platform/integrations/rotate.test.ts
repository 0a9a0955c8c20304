import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import { createAddressLimit } from "../../../src/platform/access/address-limit.ts";
import { hashToken } from "../../../src/platform/access/tokens.ts";
import { createTokenOwners } from "../../../src/platform/integrations/tokens.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

const UNKNOWN = { path: { providerId: "00000000-0000-4000-8000-000000000000" } };

describe.each(featureEngines)("exchanging a token, on %s", (engine) => {
  let now = Date.parse("2027-03-01T12:00:00Z");
  const harness = useHarness(engine, { now: () => new Date(now), timing: { probeMs: HOUR_MS } });

  const registered = async () => {
    const registered = await harness().onboard({ connect: false, now: () => now });
    const { params, platformToken, trySend, provider } = registered;
    const rotate = async (overlapHours?: number) => {
      const body = { direction: "platform" as const, ...(overlapHours !== undefined && { overlapHours }) };
      const answer = await harness().operations.rotateToken({ params, body });
      expect(answer.response.status).toBe(201);
      return ok(answer) as { platformToken: string; previousValidUntil: string };
    };
    const { shiftId } = provider.createShift();
    return { ...registered, rotate, first: platformToken, use: (token: string) => trySend(shiftId, token) };
  };

  it("keeps the previous platform token valid for 24 hours", async () => {
    const { rotate, first, use } = await registered();
    const { platformToken: second, previousValidUntil } = await rotate();
    expect(Date.parse(previousValidUntil) - now).toBe(DAY_MS);
    expect([await use(first), await use(second)]).toEqual([200, 200]);
    now += DAY_MS;
    expect([await use(first), await use(second)]).toEqual([401, 200]);
  });

  it("ends the previous token at once on request, even if it was used just now", async () => {
    const { rotate, first, use } = await registered();
    expect(await use(first)).toBe(200);
    const { platformToken: second, previousValidUntil } = await rotate(0);
    expect(Date.parse(previousValidUntil)).toBe(now);
    expect([await use(first), await use(second)]).toEqual([401, 200]);
  });

  it("leaves at most two valid tokens: the third ends the first", async () => {
    const { rotate, first, use } = await registered();
    const { platformToken: second } = await rotate(48);
    expect(await use(first)).toBe(200);
    now += HOUR_MS;
    const { platformToken: third } = await rotate(1);
    expect([await use(first), await use(second), await use(third)]).toEqual([401, 200, 200]);
    now += HOUR_MS;
    expect([await use(second), await use(third)]).toEqual([401, 200]);
  });

  it("leaves one token without an end when several are created at once", async () => {
    const { rotate, use } = await registered();
    const made = await Promise.all([rotate(0), rotate(0), rotate(0)]);
    const statuses = await Promise.all(made.map(({ platformToken }) => use(platformToken)));
    expect(statuses.toSorted()).toEqual([200, 401, 401]);
  });

  it("makes the very next call with the provider's new token, also in the same millisecond", async () => {
    const { operations } = harness();
    const { params, provider } = await registered();
    const wrong = { direction: "provider" as const, providerToken: "a-token-that-was-never-issued" };
    const answer = await operations.rotateToken({ params, body: wrong });
    expect(answer.response.status).toBe(200);
    expect(JSON.stringify(answer.data)).not.toContain(wrong.providerToken);
    expect((await operations.discoverIntegration({ params })).response.status).toBe(502);
    ok(await operations.rotateToken({ params, body: { ...wrong, providerToken: provider.token } }));
    expect((await operations.discoverIntegration({ params })).response.status).toBe(200);
  });

  it("resumes what waited for the provider's new token, without waiting for a probe", async () => {
    const { operations } = harness();
    const { params, provider, trySend, findJob } = await registered();
    provider.setFault("token-rejected");
    const { shiftId } = provider.createShift();
    expect(await trySend(shiftId)).toBe(200);
    const health = async () => ok(await operations.getIntegration({ params })).health;
    await expect.poll(health).toMatchObject({ code: "token_rejected" });
    provider.clearFaults();
    const body = { direction: "provider" as const, providerToken: provider.token };
    ok(await operations.rotateToken({ params, body }));
    await expect.poll(() => findJob(shiftId)).toMatchObject({ status: "open" });
    expect(await health()).toMatchObject({ code: "reachable" });
  });

  it.each([
    { direction: "platform", overlapHours: -1 },
    { direction: "platform", overlapHours: 721 },
    { direction: "provider" },
    { direction: "provider", providerToken: "with a space" },
    { direction: "sideways" },
    {},
  ])("refuses %j and changes nothing", async (body) => {
    const { operations } = harness();
    const { params, use, first } = await registered();
    const answer = await operations.rotateToken({ params, body: body as { direction: "platform" } });
    expect(answer.error).toMatchObject({ status: 400 });
    expect(await use(first)).toBe(200);
  });

  it("of an unknown organisation is a 404", async () => {
    const { operations } = harness();
    for (const body of [
      { direction: "platform" as const },
      { direction: "provider" as const, providerToken: "a-token-of-no-organisation" },
    ]) {
      expect((await operations.rotateToken({ params: UNKNOWN, body })).error).toMatchObject({
        code: "provider_not_found",
      });
    }
  });
});

describe.each(featureEngines)("the owners of tokens, on %s", (engine) => {
  const database = useEngine(engine);
  const providerId = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";

  it("do not return after their removal because of a look-up that was in progress", async () => {
    const { kysely } = database();
    const row = { providerId, kind: "k", name: "n", baseUrl: "https://p.example", providerToken: "t" };
    await kysely.insertInto("integrations").values(row).execute();
    await kysely
      .insertInto("platformTokens")
      .values({ tokenHash: hashToken("spp_1"), providerId, validUntil: null })
      .execute();
    const owners = createTokenOwners(database(), createAddressLimit(0, Date.now));
    const underWay = owners.find("spp_1", "127.0.0.1");
    owners.forget(providerId);
    await underWay;
    await kysely.deleteFrom("platformTokens").execute();
    expect(await owners.find("spp_1", "127.0.0.1")).toBeUndefined();
  });
});
