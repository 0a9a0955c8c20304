import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { copyDatabase } from "../../engines.ts";
import { onboard } from "../integrations/onboard.ts";
import { type Edge, KIND, OPERATIONS_TOKEN, shiftEvent, startEdge, storedEvents } from "./edge.ts";
import { type Gate, openGate } from "./gate.ts";
import { type Answer, expectProblem } from "./send.ts";
import { validRequests } from "./valid-requests.ts";

function expectStoreDown(answer: Answer): void {
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
  let edge: Edge;
  let provider: Sandbox;
  let removeDatabase: () => Promise<void>;

  beforeAll(async () => {
    const { where, remove } = await copyDatabase();
    removeDatabase = remove;
    databaseUrl = where.url;
    gate = await openGate(where.url);
    edge = await startEdge({ url: gate.url });
    provider = await startSandbox({ webhooks: { schedule: [0] } });
    await onboard(edge, provider);
  });
  afterAll(async () => {
    await provider.close();
    await edge.stop();
    await gate.shut();
    await removeDatabase();
  });

  const ready = () => expect.poll(async () => (await edge.send("/health/ready")).status).toBe(200);

  it("refuses events with 503 and Retry-After, says so, and goes on by itself", async () => {
    const { tenant } = edge;
    const before = shiftEvent(tenant.providerId);
    expect((await edge.tell(before)).status).toBe(200);
    await gate.shut();

    const lost = shiftEvent(tenant.providerId);
    expectStoreDown(await edge.tell(lost));
    const authorization = `Bearer ${tenant.platformToken}`;
    const path = `/api/v3/integrations/${KIND}/webhook`;
    expectStoreDown(await edge.send(path, { method: "POST", authorization, body: lost }));
    const unknown = { method: "POST", authorization: "Bearer not-seen-before", body: lost };
    expectStoreDown(await edge.send("/webhooks/scheduling-provider", unknown));
    expectProblem(await edge.send("/health/ready"), "database_unreachable");
    expect((await edge.send("/health/live")).status).toBe(200);

    await gate.open();
    await ready();
    expect((await edge.tell(lost)).status).toBe(200);
    const stored = (await storedEvents(edge)).map(({ traceId }) => traceId);
    expect(stored.sort()).toEqual([before.traceId, lost.traceId].sort());
  });

  it("refuses an event when its connection died without a word, and stores the next one on another", async () => {
    const { tenant } = edge;
    gate.freeze();
    const event = shiftEvent(tenant.providerId);
    expectStoreDown(await edge.tell(event));
    expect((await edge.tell(event)).status).toBe(200);
    expect((await storedEvents(edge)).map(({ traceId }) => traceId)).toContain(event.traceId);
  });

  it("answers every operation 503, and bad requests as ever", async () => {
    await gate.shut();
    const authorization = `Bearer ${OPERATIONS_TOKEN}`;
    // OPERATIONS_TOKEN is known without the database.
    const asking = validRequests().filter(({ operationId }) => operationId !== "getMe");
    for (const { operationId, method, path, body } of asking) {
      const answer = await edge.send(path, { method, authorization, body });
      expect([operationId, answer.status]).toEqual([operationId, 503]);
      expectStoreDown(answer);
    }
    expectProblem(await edge.operate("POST", "/workplaces", {}), "validation_failed");
    await gate.open();
  });

  it("answers 503 to a call whose connection is cut while the database works on it", async () => {
    const direct = new pg.Client({ connectionString: databaseUrl });
    await direct.connect();
    await direct.query("begin; lock table shiftpact.workplaces, shiftpact.events");
    const calls = [
      edge.operate("POST", "/workplaces", { name: "Kajen" }),
      edge.operate("GET", "/workplaces"),
      edge.operate("GET", "/traces/x"),
      edge.tell(shiftEvent(edge.tenant.providerId)),
    ];
    await sessionsWaiting(direct, calls.length);

    await gate.shut();
    await gate.open();
    for (const call of calls) expectStoreDown(await call);
    await direct.end();
    expect((await edge.operate("GET", "/workplaces")).status).toBe(200);
  });

  it("works on what comes afterwards", async () => {
    await gate.shut();
    await expect.poll(async () => (await edge.send("/health/ready")).status).toBe(503);
    await gate.open();
    const { traceId, shiftId } = provider.createShift();
    expect(await provider.delivered(traceId)).toMatchObject({ delivered: true });
    await edge.platform.idle();
    const { body } = await edge.operate("GET", `/jobs?shiftId=${shiftId}`);
    expect(body).toMatchObject({ items: [{ shiftId, status: "open" }] });
  });

  it("can be stopped", async () => {
    await gate.shut();
    await edge.platform.close();
    await expect(fetch(`${edge.platform.url}/health/live`)).rejects.toThrow("fetch failed");
    await gate.open();
  });
});
