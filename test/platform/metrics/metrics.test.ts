import { readFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { createBacklogs } from "../../../src/platform/backlog/backlogs.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { createMetrics } from "../../../src/platform/metrics/metrics.ts";
import { createReadings, type Readings } from "../../../src/platform/metrics/readings.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";
import { startOrganisation } from "../../harness/started-organisation.ts";

const READINGS: Readings = {
  events: { queued: 2, dead: 1 },
  waitingSeconds: 7.5,
  backlogs: [
    {
      kind: "tempo",
      providerId: "p1",
      readAt: new Date("2027-03-01T08:00:00Z"),
      health: "unreachable",
      pendingSince: new Date("2027-03-01T07:59:56.500Z"),
      lastWebhookAt: new Date("2027-03-01T07:58:00Z"),
      backlog: {
        waiting: { interactive: 0, events: 3, background: 1 },
        mail: 2,
        inProgress: 5,
        oldestAt: "2027-03-01T07:59:47.500Z",
        limit: { code: "latency", params: { responseMs: 900, atOnce: 5 } },
      },
    },
  ],
  notifications: { waiting: 3, failed: 1 },
  issues: [{ code: "shift_unusable", count: 2 }],
};

const measured = (readings: () => Promise<Readings>, ping: () => Promise<void> = async () => undefined) =>
  createMetrics({ readings, ping, log: silent, about: { version: "1.2.3" } });

describe("the metrics", () => {
  it("show the figures of the database", async () => {
    const text = await measured(async () => READINGS).text();
    for (const line of [
      "shiftpact_database_up 1",
      'shiftpact_events{status="queued"} 2',
      'shiftpact_provider_health{kind="tempo",provider_id="p1",code="unreachable"} 1',
      'shiftpact_provider_oldest_pending_booking_seconds{kind="tempo",provider_id="p1"} 3.5',
      'shiftpact_provider_last_webhook_timestamp_seconds{kind="tempo",provider_id="p1"} 1803887880',
      'shiftpact_build_info{version="1.2.3"} 1',
      'shiftpact_events{status="failed"} 0',
      "shiftpact_dead_letters 1",
      "shiftpact_events_waiting_seconds 7.5",
      'shiftpact_provider_waiting{kind="tempo",provider_id="p1",priority="interactive"} 0',
      'shiftpact_provider_waiting{kind="tempo",provider_id="p1",priority="events"} 3',
      'shiftpact_provider_in_progress{kind="tempo",provider_id="p1"} 5',
      'shiftpact_provider_oldest_seconds{kind="tempo",provider_id="p1"} 12.5',
      'shiftpact_provider_limited{kind="tempo",provider_id="p1",limit="latency"} 1',
      'shiftpact_mail_waiting{kind="tempo",provider_id="p1"} 2',
      'shiftpact_notifications{state="failed"} 1',
      'shiftpact_open_issues{code="shift_unusable"} 2',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toContain("process_cpu_seconds_total");
  });

  it("drop values that are gone, and report that the database does not respond", async () => {
    const readings = vi.fn(async () => READINGS);
    const ping = vi.fn(async () => undefined);
    const metrics = measured(readings, ping);
    await metrics.text();
    readings.mockResolvedValueOnce({ ...READINGS, issues: [], backlogs: [] });
    expect(await metrics.text()).not.toMatch(/shift_unusable|kind="tempo"/);
    ping.mockRejectedValueOnce(new Error("gone"));
    const text = await metrics.text();
    expect(text.split("\n")).toContain("shiftpact_database_up 0");
    expect(readings).toHaveBeenCalledTimes(2);
    expect(text).not.toMatch(
      /^shiftpact_(events|events_waiting_seconds|dead_letters|provider_\w+|mail_waiting|notifications)[ {]/m,
    );
  });

  it("report the database as up when it responds, even if a reading takes too long", async () => {
    const text = await measured(async () => Promise.reject(new Error("too slow"))).text();
    expect(text.split("\n")).toContain("shiftpact_database_up 1");
    expect(text).not.toMatch(/^shiftpact_events\{/m);
  });

  it("count calls to a provider by operation and status", async () => {
    const metrics = measured(async () => READINGS);
    const call = { kind: "tempo", providerId: "p1", operation: "getShift", seconds: 0.02 };
    for (const status of [201, 403, 404, 404, 503, 418, 599, undefined])
      metrics.providerCalled({ ...call, status });
    const text = await metrics.text();
    const labels = 'kind="tempo",provider_id="p1",operation="getShift"';
    const count = (outcome: string, status: string, n: number) =>
      `shiftpact_provider_calls_total{${labels},outcome="${outcome}",status="${status}"} ${n}`;
    for (const line of [
      count("2xx", "201", 1),
      count("4xx", "403", 1),
      count("4xx", "404", 2),
      count("5xx", "503", 1),
      count("none", "none", 1),
      // A provider may make up as many statuses as it likes: each would be a time series.
      count("4xx", "4xx", 1),
      count("5xx", "5xx", 1),
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toContain(`shiftpact_provider_call_seconds_count{${labels}} 8`);
  });

  it("show the previous reading while a new one fails", async () => {
    const readings = vi.fn(async () => READINGS);
    const metrics = measured(readings);
    await metrics.text();
    readings.mockRejectedValueOnce(new Error("too slow"));
    expect(await metrics.text()).toMatch(/^shiftpact_provider_waiting\{/m);
  });

  describe("of more providers than the limit", () => {
    const providers = ["p1", "p2", "p3"].map((providerId, nth) => {
      const { backlog, ...rest } = READINGS.backlogs[0] as Readings["backlogs"][number];
      const oldestAt = `2027-03-01T07:59:0${nth}.000Z`;
      const health = nth === 2 ? ("unreachable" as const) : ("reachable" as const);
      return { ...rest, providerId, health, pendingSince: null, backlog: { ...backlog, oldestAt } };
    });
    const limited = (reading: () => readonly (typeof providers)[number][]) =>
      createMetrics({
        readings: async () => ({ ...READINGS, backlogs: reading() }),
        log: silent,
        mostProviders: 1,
        ping: async () => undefined,
      });
    const call = { kind: "tempo", operation: "getShift", status: 200, seconds: 0.02 };

    it("show the worst ones, and the others together", async () => {
      const text = await limited(() => providers).text();
      for (const line of [
        'shiftpact_provider_health{kind="tempo",provider_id="p3",code="unreachable"} 1',
        'shiftpact_provider_health{kind="other",provider_id="other",code="reachable"} 1',
        'shiftpact_provider_waiting{kind="other",provider_id="other",priority="events"} 6',
        'shiftpact_provider_oldest_seconds{kind="other",provider_id="other"} 60',
        'shiftpact_mail_waiting{kind="other",provider_id="other"} 4',
      ])
        expect(text.split("\n")).toContain(line);
      expect(text).not.toMatch(/provider_id="p[12]"/);
    });

    it("count the first ones separately, until they are gone", async () => {
      let known = providers;
      const metrics = limited(() => known);
      for (const providerId of ["p1", "p1", "p2"]) {
        metrics.providerCalled({ ...call, providerId });
        metrics.webhookStored({ kind: "tempo", providerId });
      }
      const stored = (kind: string, providerId: string, count: number) =>
        `shiftpact_provider_webhooks_total{kind="${kind}",provider_id="${providerId}"} ${count}`;
      const before = await metrics.text();
      expect(before).toContain(stored("tempo", "p1", 2));
      expect(before).toContain(stored("other", "other", 1));
      expect(before).toContain('shiftpact_provider_call_seconds_count{kind="other",provider_id="other"');
      known = providers.slice(1);
      expect(await metrics.text()).not.toContain('provider_id="p1"');
      metrics.webhookStored({ kind: "tempo", providerId: "p2" });
      expect(await metrics.text()).toContain(stored("tempo", "p2", 1));
    });
  });

  it("are separate for each platform in a process", async () => {
    const [one, other] = [measured(async () => READINGS), measured(async () => READINGS)];
    one.providerCalled({ kind: "k", providerId: "p", operation: "o", status: 200, seconds: 1 });
    expect(await other.text()).not.toContain('operation="o"');
  });
});

describe.each(featureEngines)("the readings on %s", (engine) => {
  const database = useEngine(engine);

  it("are kept for ten seconds, so that asking often costs nothing", async () => {
    let now = 0;
    const readings = createReadings(
      database(),
      async () => [],
      () => now,
    );
    const store = (traceId: string) =>
      database()
        .kysely.insertInto("events")
        .values({
          eventId: crypto.randomUUID(),
          providerId: crypto.randomUUID(),
          event: "shift.create",
          shiftId: "s",
          traceId,
        })
        .execute();
    await store("t1");
    expect((await readings()).events).toMatchObject({ queued: 1 });
    await store("t2");
    now = 9_999;
    expect((await readings()).events).toMatchObject({ queued: 1 });
    now = 10_000;
    expect((await readings()).events).toMatchObject({ queued: 2 });
  });
});

describe.each(featureEngines)("how long events wait, as read on %s", (engine) => {
  const database = useEngine(engine);

  it("counts the queued ones of active integrations", async () => {
    const providerId = crypto.randomUUID();
    const { kysely } = database();
    const seconds = async () => (await createReadings(database(), async () => [])()).waitingSeconds;
    await kysely
      .insertInto("integrations")
      .values({ providerId, kind: "k", name: "n", baseUrl: "https://example.com", providerToken: "t" })
      .execute();
    const receivedAt = new Date(Date.now() - HOUR_MS);
    const event = { eventId: crypto.randomUUID(), event: "shift.create", shiftId: "s", traceId: "t" };
    await kysely
      .insertInto("events")
      .values({ ...event, providerId, receivedAt })
      .execute();
    expect(await seconds()).toBe(0);
    await kysely.updateTable("integrations").set({ state: "active" }).execute();
    expect(await seconds()).toBeGreaterThanOrEqual(3_600);
    await kysely.updateTable("events").set({ status: "processed" }).execute();
    expect(await seconds()).toBe(0);
  });
});

describe.each(featureEngines)("the notifications, as read on %s", (engine) => {
  const database = useEngine(engine);

  it("are counted by their delivery", async () => {
    const organisation = await startOrganisation(database(), { channel: DOWN, retries: { tries: 2 } });
    await organisation.addPerson();
    await organisation.open();
    const counted = async () => (await createReadings(database(), async () => [])()).notifications;
    expect(await counted()).toEqual({ waiting: 0, failed: 1 });
    const set = (values: string) => database().raw.executeSql(`update shiftpact.notifications set ${values}`);
    await set("delivery_error = null");
    expect(await counted()).toEqual({ waiting: 1, failed: 0 });
    const ended = [
      "delivery_error = 'offer_withdrawn', withdrawn_at = now()",
      "delivery_error = null, withdrawn_at = null, delivered_at = now()",
      "delivered_at = null, channel = null",
    ];
    for (const values of ended) {
      await set(values);
      expect(await counted()).toEqual({ waiting: 0, failed: 0 });
    }
    await organisation.close();
  });
});

const WAITING = 50_000;
const PART = 10_000;

describe.each(featureEngines)("the readings of a large backlog on %s", (engine) => {
  const database = useEngine(engine);

  it("are in time for a scrape, and count no further than 10001", async () => {
    const providerId = crypto.randomUUID();
    const run = (statements: string) =>
      database().raw.executeSql(`set search_path to shiftpact; ${statements}`);
    await run(`insert into integrations (provider_id, kind, name, base_url, provider_token, state)
      values ('${providerId}', 'tempo', 'n', 'https://provider.example', 't', 'active')`);
    // In parts, because a statement has a limit.
    for (let from = 1; from <= WAITING; from += PART) {
      const numbers = `generate_series(${from}, ${from + PART - 1}) as n`;
      await run(`insert into events (provider_id, event_id, event, shift_id, trace_id, received_at)
        select '${providerId}', gen_random_uuid(), 'shift.create', n::text, n::text, now() - interval '1 hour' from ${numbers}`);
      await run(`insert into work (provider_id, kind, key, priority)
        select '${providerId}', 'shift', n::text, 1 from ${numbers}`);
    }
    await run("analyze events, work");
    const log = { ...silent, error: vi.fn() } as unknown as typeof silent;
    const backlogs = createBacklogs({
      database: database(),
      now: () => new Date(),
      tries: 5,
      figures: { flush: async () => undefined },
      limits: { perMinute: 0, atOnce: 5 },
    });
    const metrics = createMetrics({
      readings: createReadings(database(), backlogs.all),
      ping: database().ping,
      log,
    });
    const text = await metrics.text();
    expect(log.error).not.toHaveBeenCalled();
    const labels = `kind="tempo",provider_id="${providerId}"`;
    expect(text.split("\n")).toContain(`shiftpact_provider_waiting{${labels},priority="events"} ${WAITING}`);
    expect(text.split("\n")).toContain('shiftpact_events{status="queued"} 10001');
    expect(Number(/^shiftpact_events_waiting_seconds (.+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(3_600);
  });
});

const DOWN: Channel = {
  name: "email",
  deliver: async () => ({ kind: "unavailable", code: "mail_server_unreachable" }),
  close: () => undefined,
};

describe.each(featureEngines)("GET /metrics on %s", (engine) => {
  const harness = useHarness(engine);

  it("counts webhooks and calls, and names no person", async () => {
    const { platform, operations } = harness();
    const { provider, trySend, findJob, addPerson } = await harness().onboard({ connect: false });
    const { candidateId, personalNumber } = await addPerson();
    const { shiftId } = provider.createShift();
    expect(await trySend(shiftId)).toBe(200);
    expect(await trySend(shiftId, "not-the-token")).toBe(401);
    await platform.idle();
    const { jobId = "" } = (await findJob(shiftId)) ?? {};
    await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    await platform.idle();
    const answer = await fetch(`${platform.url}/metrics`);
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const labels = (operation: string, status = 200) =>
      `{kind="sandbox",provider_id="${provider.providerId}",operation="${operation}",outcome="2xx",status="${status}"} 1`;
    for (const line of [
      "shiftpact_acknowledgement_seconds_count 1",
      'shiftpact_webhooks_total{status="200"} 1',
      'shiftpact_webhooks_total{status="401"} 1',
      `shiftpact_provider_webhooks_total{kind="sandbox",provider_id="${provider.providerId}"} 1`,
      `shiftpact_provider_health{kind="sandbox",provider_id="${provider.providerId}",code="reachable"} 1`,
      'shiftpact_events_ended_total{status="processed"} 1',
      `shiftpact_provider_calls_total${labels("getShift")}`,
      `shiftpact_provider_calls_total${labels("assignCandidate")}`,
      `shiftpact_provider_calls_total${labels("createCandidate", 201)}`,
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    const last = /^shiftpact_provider_last_webhook_timestamp_seconds\{.*\} (\d+)$/m.exec(text)?.[1];
    expect(Math.abs(Number(last) - Date.now() / 1_000)).toBeLessThan(300);
    const types = [...text.matchAll(/^# TYPE (shiftpact_\w+) /gm)].map(([, name]) => name);
    const documented = await documentedMetrics();
    const expected =
      engine === "pglite"
        ? documented.filter((name) => name !== "shiftpact_database_connections")
        : documented;
    expect(types.toSorted()).toEqual(expected.toSorted());
    expect(text).not.toContain('operation="unknown"');
    expect(text).not.toMatch(new RegExp(`${personalNumber}|Robin|robin|${candidateId}|${shiftId}`));
  });
});

/** The metrics that the operations document lists. */
async function documentedMetrics(): Promise<(string | undefined)[]> {
  const document = await readFile(new URL("../../../spec/operations.openapi.yaml", import.meta.url), "utf8");
  const [, chapter = ""] = /## Outside of this API\n([\s\S]*?)\n {4}## /.exec(document) ?? [];
  return [...chapter.matchAll(/^ {4}(shiftpact_\w+)/gm)].map(([, name]) => name);
}
