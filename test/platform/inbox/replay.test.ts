import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { replayEvents } from "../../../src/platform/inbox/replay.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const CREATED = { code: "job_created", params: { jobStatus: "open" } };
const NO_SUCH = "0190c7a4-0000-7000-8000-00000000dead";

describe.each(featureEngines)("replaying on %s", (engine) => {
  const harness = useHarness(engine, {
    timing: { ladderMs: [1, 2, 3] },
    calls: { perSecond: 1_000, perMinute: 60_000 },
  });

  const idle = () => harness().platform.idle();
  const eventsOf = async (shiftId: string) =>
    ok(await harness().operations.listEvents({ params: { query: { shiftId } } })).items;
  const eventOf = async (shiftId: string) => {
    const [event] = await eventsOf(shiftId);
    if (!event) throw new Error("no event");
    return event;
  };
  const path = async (shiftId: string) => ({ path: { eventId: (await eventOf(shiftId)).eventId } });
  const replay = async (shiftId: string) => harness().operations.replayEvent({ params: await path(shiftId) });
  const sendEvent = async ({ trySend }: Organisation, shiftId: string, event = "shift.create") => {
    expect(await trySend(shiftId, undefined, event)).toBe(200);
    await idle();
  };

  it("processes a failed event", async () => {
    const { operations } = harness();
    const registered = await harness().onboard({ connect: false });
    const { provider, findJob } = registered;
    const { shiftId } = provider.createShift({ positions: 3 });
    provider.setFault("end-before-start", { times: 1 });
    await sendEvent(registered, shiftId);
    const failed = await eventOf(shiftId);
    expect(failed.status).toBe("failed");

    const { data, response } = await replay(shiftId);
    expect([response.status, data]).toEqual([202, { queued: 1 }]);
    await idle();
    expect(await eventOf(shiftId)).toMatchObject({ status: "processed", verdict: CREATED });
    expect(await findJob(shiftId)).toMatchObject({ status: "open", positions: 3 });
    const trace = ok(await operations.getTrace({ params: { path: { traceId: failed.traceId } } }));
    expect(trace.steps.map(({ step, verdict }) => ({ step, verdict }))).toContainEqual({
      step: "event",
      verdict: { code: "requeued", params: { event: "shift.create" } },
    });
  });

  it("leaves an event of an unknown name ignored", async () => {
    const registered = await harness().onboard({ connect: false });
    const shiftId = randomUUID();
    await sendEvent(registered, shiftId, "shift.archived");
    expect((await replay(shiftId)).data).toEqual({ queued: 0 });
    await idle();
    expect(await eventOf(shiftId)).toMatchObject({ status: "ignored" });
  });

  it("refuses an event that has not been processed yet", async () => {
    const registered = await harness().onboard({ connect: false, activate: false });
    const { shiftId } = registered.provider.createShift();
    await registered.trySend(shiftId);
    const { error, response } = await replay(shiftId);
    expect([response.status, error?.code]).toEqual([409, "event_queued"]);
  });

  it("replays the failed events of one organisation since a given time", async () => {
    const { operations } = harness();
    const [registered, other] = [
      await harness().onboard({ connect: false }),
      await harness().onboard({ connect: false }),
    ];
    const failing = async (of: Organisation) => {
      const { shiftId } = of.provider.createShift();
      of.provider.setFault("end-before-start", { times: 1 });
      await sendEvent(of, shiftId);
      return shiftId;
    };
    const early = await failing(registered);
    const failed = [await failing(registered), await failing(registered)];
    const elsewhere = await failing(other);
    const fine = registered.provider.createShift().shiftId;
    await sendEvent(registered, fine);
    const { providerId } = registered.provider;
    const since = (await eventOf(failed[0] ?? "")).receivedAt;
    const answer = await operations.replayEvents({ body: { providerId, since } });
    expect([answer.response.status, answer.data]).toEqual([202, { queued: 2 }]);
    await idle();
    const statuses = await Promise.all(
      [early, ...failed, elsewhere].map(async (shiftId) => (await eventOf(shiftId)).status),
    );
    expect(statuses).toEqual(["failed", "processed", "processed", "failed"]);
  });

  it("refuses malformed and unknown ids and times", async () => {
    const { operations } = harness();
    const codeOf = async (call: Promise<{ error?: { code?: string | undefined } }>) =>
      (await call).error?.code;
    for (const eventId of [NO_SUCH, "not-an-id"]) {
      const params = { path: { eventId } };
      const code = eventId === NO_SUCH ? "event_not_found" : "validation_failed";
      expect(await codeOf(operations.replayEvent({ params }))).toBe(code);
    }
    const since = new Date().toISOString();
    expect(await codeOf(operations.replayEvents({ body: { providerId: NO_SUCH, since } }))).toBe(
      "provider_not_found",
    );
    expect(await codeOf(operations.replayEvents({ body: { providerId: NO_SUCH, since: "monday" } }))).toBe(
      "validation_failed",
    );
  });
});

describe.each(featureEngines)("replaying many events, on %s", (engine) => {
  const database = useEngine(engine);

  it("requeues them in bounded transactions, and goes on where a failure ended it", async () => {
    const { kysely } = database();
    const [providerId, many, most] = [randomUUID(), 2_300, 1_000];
    const integration = { kind: "probe", name: "n", baseUrl: "https://example.com", providerToken: "t" };
    await kysely
      .insertInto("integrations")
      .values({ providerId, ...integration })
      .execute();
    await sql`insert into events (event_id, provider_id, event, shift_id, trace_id, status)
      select gen_random_uuid(), ${providerId}::uuid, 'shift.update', 'shift ' || n, gen_random_uuid(),
        case when n % 3 = 0 then 'dead' else 'failed' end
      from generate_series(1, ${many}::int) as n`.execute(kysely);
    const queued = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from events
        where status = 'queued' group by xmin::text order by 1`.execute(kysely);
      return rows.map(({ count }) => count);
    };
    const order = { providerId, since: new Date(0) };
    let begun = 0;
    const failing = new Proxy(kysely, {
      get: (of, name) => {
        if (name === "transaction" && ++begun === 2) throw new Error("the server is gone");
        const value: unknown = Reflect.get(of, name);
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
    const deps = depsFor({ ...database(), kysely: failing });
    await expect(replayEvents(deps, order)).rejects.toThrow("gone");
    expect(await queued()).toEqual([most]);
    expect(await replayEvents(depsFor(database()), order)).toBe(many - most);
    const counts = await queued();
    expect(counts.reduce((sum, count) => sum + count)).toBe(many);
    expect(Math.max(...counts)).toBe(most);
    expect(await replayEvents(depsFor(database()), order)).toBe(0);
  });
});
