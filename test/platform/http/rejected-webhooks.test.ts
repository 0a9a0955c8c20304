import { expect, it } from "vitest";
import { shiftEvent, useTenants } from "../../harness/tenants.ts";

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
