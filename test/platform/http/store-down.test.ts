import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { copyDatabase } from "../../harness/engines.ts";
import { type Gate, openGate } from "../../harness/gate.ts";
import { expectProblem, type HttpResponse } from "../../harness/http.ts";
import { OPERATIONS_TOKEN } from "../../harness/platform.ts";
import {
  KIND,
  shiftEvent,
  startWithTenants,
  storedEvents,
  type TenantHarness,
} from "../../harness/tenants.ts";
import { validRequests } from "../../harness/valid-requests.ts";

function expectStoreDown(answer: HttpResponse): void {
  expectProblem(answer, "store_unavailable");
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
}

/** Looks until so many sessions of the platform wait for a lock. */
async function sessionsWaiting(direct: pg.Client, count: number): Promise<void> {
  let waiting = 0;
  while (waiting < count) {
    // Within a transaction the view would stay as it was.
    await direct.query("select pg_stat_clear_snapshot()");
    const { rows } = await direct.query(
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    waiting = rows.length;
  }
}

describe("while the database is down", () => {
  let databaseUrl: string;
  let gate: Gate;
  let harness: TenantHarness;
  let provider: Sandbox;
  let removeDatabase: () => Promise<void>;

  beforeAll(async () => {
    const { where, remove } = await copyDatabase();
    removeDatabase = remove;
    databaseUrl = where.url;
    gate = await openGate(where.url);
    harness = await startWithTenants({ url: gate.url });
    ({ provider } = await harness.onboard({ webhooks: { schedule: [0] } }));
  });
  afterAll(async () => {
    await harness.close();
    await gate.shut();
    await removeDatabase();
  });

  const ready = () => expect.poll(async () => (await harness.send("/health/ready")).status).toBe(200);

  it("refuses events with 503 and Retry-After, logs it, and recovers automatically", async () => {
    const { tenant } = harness;
    const before = shiftEvent(tenant.providerId);
    expect((await harness.sendEvent(before)).status).toBe(200);
    await gate.shut();

    const lost = shiftEvent(tenant.providerId);
    expectStoreDown(await harness.sendEvent(lost));
    const authorization = `Bearer ${tenant.platformToken}`;
    const path = `/api/v3/integrations/${KIND}/webhook`;
    expectStoreDown(await harness.send(path, { method: "POST", authorization, body: lost }));
    const unknown = { method: "POST", authorization: "Bearer not-seen-before", body: lost };
    expectStoreDown(await harness.send("/webhooks/scheduling-provider", unknown));
    expectProblem(await harness.send("/health/ready"), "database_unreachable");
    expect((await harness.send("/health/live")).status).toBe(200);

    await gate.open();
    await ready();
    expect((await harness.sendEvent(lost)).status).toBe(200);
    const stored = (await storedEvents(harness)).map(({ traceId }) => traceId);
    expect(stored.sort()).toEqual([before.traceId, lost.traceId].sort());
  });

  it("refuses an event whose connection died without a word, and stores the next event on another connection", async () => {
    const { tenant } = harness;
    gate.freeze();
    const event = shiftEvent(tenant.providerId);
    expectStoreDown(await harness.sendEvent(event));
    expect((await harness.sendEvent(event)).status).toBe(200);
    expect((await storedEvents(harness)).map(({ traceId }) => traceId)).toContain(event.traceId);
  });

  it("answers every operation with 503, and bad requests as before", async () => {
    await gate.shut();
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    // OPERATIONS_TOKEN is known without the database, and a stream that is open outlives an outage.
    const asking = validRequests().filter(
      ({ operationId }) => !["getMe", "readStream"].includes(operationId),
    );
    for (const { operationId, method, path, body } of asking) {
      const answer = await harness.send(path, { method, authorization, body });
      expect([operationId, answer.status]).toEqual([operationId, 503]);
      expectStoreDown(answer);
    }
    expectProblem(await harness.operate("POST", "/workplaces", {}), "validation_failed");
    await gate.open();
  });

  it("answers 503 to a call whose connection is cut while the database works on it", async () => {
    const direct = new pg.Client({ connectionString: databaseUrl });
    await direct.connect();
    await direct.query("begin; lock table shiftpact.workplaces, shiftpact.events");
    const calls = [
      harness.operate("POST", "/workplaces", { name: "Kajen" }),
      harness.operate("GET", "/workplaces"),
      harness.operate("GET", "/traces/x"),
      harness.sendEvent(shiftEvent(harness.tenant.providerId)),
    ];
    await sessionsWaiting(direct, calls.length);

    await gate.shut();
    await gate.open();
    for (const call of calls) expectStoreDown(await call);
    await direct.end();
    expect((await harness.operate("GET", "/workplaces")).status).toBe(200);
  });

  it("processes the events that arrive afterwards", async () => {
    await gate.shut();
    await expect.poll(async () => (await harness.send("/health/ready")).status).toBe(503);
    await gate.open();
    const { traceId, shiftId } = provider.createShift();
    expect(await provider.delivered(traceId)).toMatchObject({ delivered: true });
    await harness.platform.idle();
    const { body } = await harness.operate("GET", `/jobs?shiftId=${shiftId}`);
    expect(body).toMatchObject({ items: [{ shiftId, status: "open" }] });
  });

  it("the platform can be stopped", async () => {
    await gate.shut();
    await harness.platform.close();
    await expect(fetch(`${harness.platform.url}/health/live`)).rejects.toThrow("fetch failed");
    await gate.open();
  });
});
