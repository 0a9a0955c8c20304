import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Backlog } from "../../../generated/operations/types.ts";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { type Limits, limitOf } from "../../../src/platform/backlog/backlogs.ts";
import { readCounts } from "../../../src/platform/backlog/counts.ts";
import type { ConditionCode, Integration } from "../../../src/platform/db/schema.ts";
import { engines, useEngine } from "../../harness/engines.ts";
import { type Operations, ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

const SINCE = new Date("2027-03-01T07:00:00Z");
const LIMITS: Limits = { perMinute: 500, atOnce: 5 };
const PACE = { calls: 100, callMs: 3_000 };
const WAITING = { interactive: 0, events: 3, background: 0 };

const integration = (columns: Partial<Integration> = {}) =>
  ({ state: "active", conditions: [], ...columns }) as unknown as Integration;

describe("the limit of a backlog", () => {
  const until = new Date("2027-03-01T08:05:00Z");
  const paused = (health: string) => ({ code: "paused", params: { health, since: SINCE.toISOString() } });
  const condition = (code: ConditionCode, until?: Date) => ({
    ...{ code, key: "", since: SINCE.toISOString() },
    until: until?.toISOString() ?? null,
  });
  const limited = condition("rate_limited", until);
  const rejected = condition("token_rejected");

  it.each([
    ["nothing that waits", {}, { waiting: { ...WAITING, events: 0 } }, { code: "none", params: {} }],
    ["a draft", { state: "draft" }, {}, { code: "draft", params: {} }],
    [
      "what is suspended",
      { state: "suspended", conditions: [rejected] },
      {},
      { code: "suspended", params: {} },
    ],
    [
      "interactive work alone, which runs while suspended",
      { state: "suspended" },
      { waiting: { ...WAITING, interactive: 1, events: 0 } },
      { code: "working", params: {} },
    ],
    ["a provider that is down", { conditions: [condition("unreachable")] }, {}, paused("unreachable")],
    ["a rejected token", { conditions: [rejected, limited] }, {}, paused("token_rejected")],
    [
      "implausible responses, which pause deletions alone",
      { conditions: [condition("implausible")] },
      {},
      { code: "working", params: {} },
    ],
    [
      "a Retry-After",
      { conditions: [limited] },
      {},
      { code: "rate_limit", params: { until: until.toISOString() } },
    ],
    [
      "the platform's own limit",
      {},
      { pace: { ...PACE, calls: 425, callMs: 59_000 } },
      { code: "rate_limit", params: { perMinute: 500 } },
    ],
    ["fewer calls than that", {}, { pace: { ...PACE, calls: 424 } }, { code: "working", params: {} }],
    [
      "no limit of calls",
      {},
      { pace: { ...PACE, calls: 9_000, callMs: 9_000 }, limits: { perMinute: 0, atOnce: 5 } },
      { code: "working", params: {} },
    ],
    [
      "slow responses",
      {},
      { pace: { ...PACE, callMs: 30_000 } },
      { code: "latency", params: { responseMs: 300, atOnce: 5 } },
    ],
    [
      "a mass disappearance, which holds back deletions only",
      { conditions: [condition("mass_disappearance")] },
      {},
      { code: "working", params: {} },
    ],
    [
      "no call that has ended yet",
      {},
      { pace: { ...PACE, calls: 0, callMs: 0 } },
      { code: "working", params: {} },
    ],
  ] as [string, Partial<Integration>, Partial<Given>, object][])(
    "names %s",
    (_what, columns, { waiting = WAITING, pace = PACE, limits = LIMITS }, limit) => {
      expect(limitOf(integration(columns), { waiting, inProgress: 0 }, pace, limits)).toEqual(limit);
    },
  );
});

interface Given {
  waiting: Backlog["waiting"];
  pace: typeof PACE;
  limits: Limits;
}

/** In the middle of a minute, however long a test takes, and before any time of the database. */
const NOW = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 30_000;
const now = () => new Date(NOW);
const inMinutes = (minutes: number) => new Date(NOW + minutes * MINUTE_MS).toISOString();
const waiting = (events: number) => ({ interactive: 0, events, background: 0 });
const EMPTY = { waiting: waiting(0), mail: 0, inProgress: 0, oldestAt: null };

const becomes = async (of: { operations: Operations; providerId: string }, backlog: object) => {
  const params = { path: { providerId: of.providerId } };
  const read = async () => ok(await of.operations.getIntegration({ params })).backlog;
  await expect.poll(read).toMatchObject(backlog);
};

/** When the nth of the events that wait was received. */
const receivedAt = async (of: { operations: Operations; providerId: string }, nth = 1) => {
  const query = { providerId: of.providerId, status: "queued" } as const;
  return ok(await of.operations.listEvents({ params: { query } })).items.at(-nth)?.receivedAt;
};

describe.each(engines)("the backlog of an integration, on %s", (engine) => {
  const harness = useHarness(engine, { now });
  const register = async (options?: { activate: boolean }) => {
    const registered = await harness().onboard({ connect: false, ...options });
    const { operations } = harness();
    const { params, provider, trySend } = registered;
    const sendAll = async (count: number) => {
      for (let nth = 0; nth < count; nth += 1)
        expect(await trySend(provider.createShift().shiftId)).toBe(200);
    };
    return { ...registered, operations, providerId: params.path.providerId, sendAll };
  };

  it("is empty at first, and after every reading: hourly readings do not count", async () => {
    const of = await register();
    const none = { ...EMPTY, limit: { code: "none", params: {} } };
    await becomes(of, none);
    await of.sendAll(3);
    await of.processed();
    await becomes(of, none);
  });

  it("waits for the activation of a draft, and of a suspended integration", async () => {
    const of = await register({ activate: false });
    const { operations, params } = of;
    await of.sendAll(2);
    const oldestAt = await receivedAt(of);
    const draft = { code: "draft", params: {} };
    await becomes(of, { ...EMPTY, waiting: waiting(2), limit: draft, oldestAt });
    ok(await operations.activateIntegration({ params }));
    await of.processed();
    ok(await operations.suspendIntegration({ params }));
    await of.sendAll(3);
    const suspended = { code: "suspended", params: {} };
    await becomes(of, { ...EMPTY, waiting: waiting(3), limit: suspended, oldestAt: expect.any(String) });
    ok(await operations.activateIntegration({ params }));
    await of.processed();
    await becomes(of, { ...EMPTY, limit: { code: "none", params: {} } });
  });
});

describe.each(engines)("a backlog behind a provider, on %s", (engine) => {
  const database = useEngine(engine);
  const open = async (
    options: OrganisationOptions,
    use: (organisation: StartedOrganisation) => Promise<void>,
  ) => {
    const patient = { timing: { probeMs: 60_000 }, providerTimeoutMs: 60_000 };
    const organisation = await startOrganisation(database(), { now, ...patient, ...options });
    try {
      // The activation makes due once more what is stored while it goes on.
      await organisation.idle();
      await use(organisation);
    } finally {
      await organisation.close();
    }
  };
  const storeAll = async ({ provider, send }: StartedOrganisation, count: number) => {
    for (let nth = 0; nth < count; nth += 1) await send("shift.create", provider.createShift().shiftId);
  };

  it("is limited by the responses of a slow provider", () =>
    open({ calls: { perMinute: 0, atOnce: 1 } }, async (organisation) => {
      const held: (() => void)[] = [];
      organisation.onTheWay = async (_call, pass) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await pass();
      };
      await storeAll(organisation, 3);
      const oldestAt = await receivedAt(organisation, 2);
      const first = { waiting: waiting(2), inProgress: 1, oldestAt };
      await becomes(organisation, first);
      // The calls of the activation were fast, and count in the mean.
      await sleep(1_000);
      held.shift()?.();
      const limit = { code: "latency", params: { atOnce: 1, responseMs: expect.any(Number) } };
      const then = { waiting: waiting(1), inProgress: 1 };
      await becomes(organisation, { ...then, limit });
      expect(await gaugesOf(organisation)).toMatchObject({
        'provider_waiting{priority="events"}': 1,
        "provider_in_progress{}": 1,
        'provider_limited{limit="latency"}': 1,
      });
      organisation.onTheWay = undefined;
      for (const release of held) release();
      await organisation.idle();
      await becomes(organisation, { ...EMPTY, limit: { code: "none" } });
    }));

  it("moves at the platform's limit of calls, of all processes together", () =>
    open({ calls: { perMinute: 100, atOnce: 1 } }, async (organisation) => {
      const gate = Promise.withResolvers<void>();
      organisation.onTheWay = (_call, pass) => gate.promise.then(pass);
      await storeAll(organisation, 5);
      // What another process has written.
      const minute = new Date(NOW - 30_000);
      const figure = { minute, providerId: organisation.providerId };
      const other = { ...figure, name: "provider_calls", value: 85 };
      const add = database().kysely.insertInto("figures").values(other);
      const value = sql<number>`figures.value + excluded.value`;
      await add
        .onConflict((on) => on.columns(["providerId", "minute", "name"]).doUpdateSet({ value }))
        .execute();
      const limit = { code: "rate_limit", params: { perMinute: 100 } };
      const rest = { waiting: waiting(4), inProgress: 1 };
      await becomes(organisation, { ...rest, limit });
      gate.resolve();
      await organisation.idle();
    }));

  it("waits until the provider's Retry-After", () =>
    open({}, async (organisation) => {
      organisation.provider.setFault("rate-limited", { retryAfter: "600" });
      await storeAll(organisation, 2);
      const limit = { code: "rate_limit", params: { until: inMinutes(10) } };
      const oldestAt = await receivedAt(organisation);
      await becomes(organisation, { waiting: waiting(2), inProgress: 0, limit, oldestAt });
    }));

  it("is paused since the provider rejected the token", () =>
    open({}, async (organisation) => {
      organisation.provider.setFault("token-rejected");
      await storeAll(organisation, 3);
      const params = { health: "token_rejected", since: now().toISOString() };
      const oldestAt = await receivedAt(organisation);
      await becomes(organisation, {
        waiting: waiting(3),
        inProgress: 0,
        limit: { code: "paused", params },
        oldestAt,
      });
      expect(await gaugesOf(organisation)).toMatchObject({ 'provider_limited{limit="paused"}': 1 });
    }));
});

describe.each(engines)("the counts of a backlog, on %s", (engine) => {
  const OPTIONS = { tries: 12, atOnce: 1 };
  const database = useEngine(engine);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

  it("hold work that is due or being retried, by urgency, without hourly readings", async () => {
    const { kysely } = database();
    const providerId = randomUUID();
    const integration = { kind: "k", name: "n", baseUrl: "https://example.com", providerToken: "t" };
    await kysely
      .insertInto("integrations")
      .values({ ...integration, providerId })
      .execute();
    const shift = { providerId, kind: "shift" } as const;
    const [later, soon] = [minutesAgo(-60), minutesAgo(-1)];
    await kysely
      .insertInto("work")
      .values([
        { ...shift, key: "due", priority: 1, dueAt: minutesAgo(2) },
        { ...shift, key: "hourly, due", priority: 2, dueAt: minutesAgo(3) },
        { ...shift, key: "read again after an event", priority: 1, dueAt: soon },
        { ...shift, key: "hourly", priority: 2, dueAt: soon },
        { ...shift, key: "claimed", priority: 2, dueAt: soon, claim: randomUUID(), attempts: 1 },
        { ...shift, key: "lost its claim", priority: 1, dueAt: minutesAgo(1), claim: randomUUID() },
        { ...shift, key: "retried", priority: 2, dueAt: soon, attempts: 3 },
        { ...shift, key: "given up until the next hour", priority: 1, dueAt: later, attempts: 12 },
        { providerId, kind: "check", key: "", priority: 1, dueAt: minutesAgo(1) },
        { providerId, kind: "probe", key: "", priority: 0, dueAt: minutesAgo(9) },
        { providerId, kind: "mail", key: randomUUID(), priority: 0, dueAt: minutesAgo(9) },
      ])
      .execute();
    const read = async () => (await readCounts(database(), OPTIONS, providerId)).get(providerId);
    const counts = { waiting: { interactive: 0, events: 4, background: 2 }, inProgress: 1, mail: 1 };
    expect(await read()).toMatchObject(counts);
    expect(await read()).toEqual((await readCounts(database(), OPTIONS, "")).get(providerId));
    expect((await read())?.oldestAt).toBeInstanceOf(Date);
  });

  it.each([
    ["a person since the booking", { kind: "person", key: randomUUID(), createdAt: 30 }, 30],
    ["a shift since it was last read", { kind: "shift", key: "s1", createdAt: 300 }, 20],
  ] as const)("know how old work is whose attempts failed: %s", async (_what, work, minutes) => {
    const { kysely } = database();
    const providerId = randomUUID();
    const believedAt = minutesAgo(20);
    await kysely.insertInto("shifts").values({ providerId, shiftId: "s1", believedAt }).execute();
    const createdAt = minutesAgo(work.createdAt);
    const row = { providerId, priority: 0, attempts: 2, dueAt: minutesAgo(-5) } as const;
    await kysely
      .insertInto("work")
      .values({ ...row, ...work, createdAt })
      .execute();
    const { oldestAt } = (await readCounts(database(), OPTIONS, providerId)).get(providerId) ?? {};
    expect(Date.now() - (oldestAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(minutes * MINUTE_MS);
    expect(oldestAt).toEqual(minutes === 20 ? believedAt : createdAt);
  });
});

/** The gauges of a backlog by name and the label that is not the provider's. */
async function gaugesOf({ metrics, providerId }: StartedOrganisation): Promise<Record<string, number>> {
  const lines = (await metrics()).split("\n").filter((line) => line.includes(`provider_id="${providerId}"`));
  const gauges = lines.flatMap((line) => {
    const [, name = "", label = "", value] =
      /^shiftpact_(\w+)\{kind="\w+",provider_id="[\w-]+",?([^}]*)\} (\S+)$/.exec(line) ?? [];
    return value === undefined ? [] : [[`${name}{${label}}`, Number(value)] as const];
  });
  return Object.fromEntries(gauges);
}
