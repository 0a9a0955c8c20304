import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Statistics } from "../../../generated/operations/types.ts";
import { copyDatabase, featureEngines } from "../../engines.ts";
import { expectProblem, pointersOf } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { shiftEvent, startWithTenants, type TenantHarness, useTenants } from "../../harness/tenants.ts";

const START = Date.parse("2027-03-01T08:00:30Z");
const now = () => new Date(START);

describe.each(featureEngines)("GET /statistics on %s", (engine) => {
  const harness = useHarness(engine, { now, calls: { perSecond: 1_000, perMinute: 60_000 } });

  const read = async (minutes?: number) =>
    ok(await harness().operations.getStatistics({ params: { query: minutes ? { minutes } : {} } }));

  it("count webhooks and calls, by organisation", async () => {
    const [busy, broken] = [
      await harness().onboard({ connect: false }),
      await harness().onboard({ connect: false }),
    ];
    const before = await read(1);
    expect(await busy.trySend(busy.provider.createShift().shiftId)).toBe(200);
    expect(await busy.trySend(busy.provider.createShift().shiftId, "not-the-token")).toBe(401);
    broken.provider.setFault("error-500", { operations: ["getShift"], times: 1 });
    expect(await broken.trySend(broken.provider.createShift().shiftId)).toBe(200);
    await busy.processed();
    await broken.processed();
    const { steps, providers, stepMinutes } = await read();
    expect([stepMinutes, steps.length]).toEqual([1, 60]);
    const last = steps.at(-1);
    expect(last).toMatchObject({ at: "2027-03-01T08:00:00.000Z", providerFailures: 1 });
    const grown = (name: "acknowledged" | "refused") => (last?.[name] ?? 0) - (before.steps[0]?.[name] ?? 0);
    expect([grown("acknowledged"), grown("refused")]).toEqual([2, 1]);
    expect(last?.acknowledgementMedianMs).toBeGreaterThan(0);
    expect(last?.acknowledgementP99Ms).toBeGreaterThanOrEqual(last?.acknowledgementMedianMs ?? Infinity);
    // The first that failed is the first of the list.
    expect(providers[0]).toMatchObject({ providerId: broken.provider.providerId, failures: 1 });
    expect(providers.find(({ providerId }) => providerId === busy.provider.providerId)).toMatchObject({
      failures: 0,
    });
    expect(providers.reduce((sum, { calls }) => sum + calls, 0)).toBe(last?.providerCalls);
    expect(steps.slice(0, -1).every(({ acknowledged, refused }) => acknowledged + refused === 0)).toBe(true);
  });

  it("counts a 429 of a provider as a failure", async () => {
    const { provider, trySend, processed } = await harness().onboard({ connect: false });
    provider.setFault("rate-limited", { operations: ["getShift"], times: 1, retryAfter: "0" });
    await trySend(provider.createShift().shiftId);
    await processed();
    const { providers } = await read(1);
    expect(providers.find(({ providerId }) => providerId === provider.providerId)).toMatchObject({
      failures: 1,
    });
  });
});

describe("GET /statistics", () => {
  const harness = useTenants("postgres", { now });

  it("refuses an invalid time", async () => {
    for (const minutes of ["0", "-1", "10081", "1.5", "an-hour", "", "1e9", "NaN"]) {
      const answer = await harness().operate("GET", `/statistics?minutes=${minutes}`);
      expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual(["#/query/minutes"]);
    }
    expect((await harness().send("/operations/v1/statistics")).status).toBe(401);
    for (const [minutes, length] of [
      [1, 1],
      [10_080, 180],
    ]) {
      const { status, body } = await harness().operate("GET", `/statistics?minutes=${minutes}`);
      expect(status).toBe(200);
      expect((body as Statistics).steps).toHaveLength(length ?? 0);
    }
  });
});

describe("the statistics of two platforms on one database", () => {
  const lastOf = async ({ operate }: TenantHarness) =>
    ((await operate("GET", "/statistics")).body as Statistics).steps.at(-1);

  it("are those of both together, and outlive their end", async () => {
    const { where, remove } = await copyDatabase();
    const [one, other] = [await startWithTenants(where, { now }), await startWithTenants(where, { now })];
    for (const each of [one, other, other])
      expect((await each.sendEvent(shiftEvent(each.tenant.providerId))).status).toBe(200);
    expect((await one.sendEvent({ nonsense: randomUUID() })).status).toBe(400);
    await other.close();
    expect(await lastOf(one)).toMatchObject({ acknowledged: 3, refused: 1 });
    expect((await one.sendEvent(shiftEvent(one.tenant.providerId))).status).toBe(200);
    await one.close();
    const again = await startWithTenants(where, { now });
    expect(await lastOf(again)).toMatchObject({ acknowledged: 4, refused: 1 });
    await again.close();
    await remove();
  });
});
