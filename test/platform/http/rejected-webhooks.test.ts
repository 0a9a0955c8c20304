import { describe, expect, it, onTestFinished } from "vitest";
import { copyDatabase } from "../../harness/engines.ts";
import { expectProblem } from "../../harness/http.ts";
import { KIND, shiftEvent, startWithTenants, storedEvents, useTenants } from "../../harness/tenants.ts";

const harness = useTenants("postgres", { config: { webhookRateLimit: 12, unknownTokenLimit: 0 } });

it("keeps a row of each organisation and cause, with a count, and nothing of the request", async () => {
  const { send, sendEvent, operate, tenant, other } = harness();
  const secret = "189001169813";
  const path = "/webhooks/scheduling-provider";
  const post = (authorization: string, body: unknown) => send(path, { method: "POST", authorization, body });
  for (let nth = 0; nth < 3; nth += 1) await post(`Bearer ${secret}-${nth}`, { [secret]: secret });
  const own = `Bearer ${tenant.platformToken}`;
  for (let nth = 0; nth < 4; nth += 1)
    await post(own, { ...shiftEvent(tenant.providerId), traceId: `${secret}-${nth}` });
  await post(own, { ...shiftEvent(tenant.providerId), content: { shiftId: { [secret]: secret } } });
  await post(own, shiftEvent(other.providerId));
  const longKind = `/api/v3/integrations/${"k".repeat(101)}/webhook`;
  await send(longKind, { method: "POST", authorization: own, body: shiftEvent(tenant.providerId) });
  expect((await sendEvent(shiftEvent(tenant.providerId))).status).toBe(200);
  for (let nth = 0; nth < 9; nth += 1) await sendEvent(shiftEvent(tenant.providerId));
  const { body } = await operate("GET", "/webhooks/rejected");
  const { items } = body as {
    items: { providerId?: string; code: string; pointer: string; count: number }[];
  };
  const { providerId } = tenant;
  expect(
    new Set(
      items.map(({ providerId, code, pointer, count }) => [code, pointer, count, providerId].join(" ")),
    ),
  ).toEqual(
    new Set([
      "unauthorized  3 ",
      `validation_failed /traceId 4 ${providerId}`,
      `validation_failed /content/shiftId 1 ${providerId}`,
      `validation_failed  1 ${providerId}`,
      `forbidden  1 ${providerId}`,
      `rate_limited  5 ${providerId}`,
    ]),
  );
  expect(JSON.stringify(items)).not.toContain(secret);
  const ofOther = await operate("GET", `/webhooks/rejected?providerId=${other.providerId}`);
  expect(ofOther.body).toEqual({ items: [] });
});

describe("the rate of webhooks", () => {
  const harness = useTenants("postgres", { config: { webhookRateLimit: 3 } });

  it("is limited for each providerId, over both paths, and shown in the headers", async () => {
    const { send, sendEvent, tenant, other } = harness();
    const authorization = `Bearer ${tenant.platformToken}`;
    const wrong = { method: "POST", authorization: "Bearer wrong", body: {} };
    expectProblem(await send("/webhooks/scheduling-provider", wrong), "unauthorized");

    const first = await sendEvent(shiftEvent(tenant.providerId));
    expect(first.headers["ratelimit-policy"]).toMatch(/^"[^"]+"; q=3; w=60; pk=:.+:$/);
    expect(first.headers.ratelimit).toMatch(/^"[^"]+"; r=2; t=\d+$/);
    const kindPath = `/api/v3/integrations/${KIND}/webhook`;
    const body = shiftEvent(tenant.providerId);
    expect((await send(kindPath, { method: "POST", authorization, body })).status).toBe(200);
    expect((await sendEvent(shiftEvent(tenant.providerId))).headers.ratelimit).toMatch(/r=0/);

    const refused = shiftEvent(tenant.providerId);
    const answer = await sendEvent(refused);
    expectProblem(answer, "rate_limited");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect(answer.headers.ratelimit).toMatch(/r=0/);
    expectProblem(await send(kindPath, { method: "POST", authorization, body }), "rate_limited");
    expect((await storedEvents(harness())).map(({ traceId }) => traceId)).not.toContain(refused.traceId);

    const sending = { method: "POST", authorization: `Bearer ${other.platformToken}` };
    const otherSending = { ...sending, body: shiftEvent(other.providerId) };
    expect((await send("/webhooks/scheduling-provider", otherSending)).status).toBe(200);
  });

  it("does not include requests to the operations API", async () => {
    for (let call = 0; call < 5; call += 1) {
      expect((await harness().operate("GET", "/jobs")).status).toBe(200);
    }
  });
});

it("the rate of webhooks is that of each process: none refuses what its own limit allows", async () => {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const start = async () => {
    const harness = await startWithTenants(where, { config: { webhookRateLimit: 2 } });
    onTestFinished(harness.close);
    return harness;
  };
  const [first, second] = [await start(), await start()];
  const sending = { method: "POST", authorization: `Bearer ${first.tenant.platformToken}` };
  const statuses: number[] = [];
  for (const { send } of [first, first, first, second, second, second]) {
    const body = shiftEvent(first.tenant.providerId);
    statuses.push((await send("/webhooks/scheduling-provider", { ...sending, body })).status);
  }
  expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
});
