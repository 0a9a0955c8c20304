import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "../../../src/platform/db/database.ts";
import type { EventStatus, IntegrationState } from "../../../src/platform/db/schema.ts";
import { createDispatcher, EVENTS_QUEUE, type EventTask } from "../../../src/platform/inbox/dispatch.ts";
import { createInbox, type Inbox, type ReceivedEvent } from "../../../src/platform/inbox/receive.ts";
import { createQueue } from "../../../src/platform/queue/queue.ts";
import type { Queue } from "../../../src/platform/queue/task.ts";
import { engines, silent, startEngine, useEngine } from "../../engines.ts";

const providerId = "0190c7a4-0000-7000-8000-000000000001";

const received = (rest: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  providerId,
  event: "shift.create",
  shiftId: "shift-1",
  traceId: randomUUID(),
  ...rest,
});

const activate = ({ kysely }: Pick<Database, "kysely">, state: IntegrationState = "active") =>
  kysely
    .insertInto("integrations")
    .values({
      provider_id: providerId,
      kind: "probe",
      name: "n",
      base_url: "https://example.com",
      provider_token: "t",
      state,
    })
    .onConflict((on) => on.column("provider_id").doUpdateSet({ state }))
    .execute();

// The embedded database has one process.
describe("two inboxes on one PostgreSQL", () => {
  const database = useEngine("postgres");

  it("take the same events at once, in whatever order", async () => {
    const [one, other] = [1, 2].map(() => createInbox({ db: database(), onStored: () => undefined }));
    for (let round = 0; round < 40; round += 1) {
      const events = Array.from({ length: 400 }, () => received());
      const [here, there] = [events, events.toReversed()];
      const receipts = await Promise.all([
        ...here.map((event) => one?.receive(event)),
        ...there.map((event) => other?.receive(event)),
      ]);
      expect(receipts.filter((receipt) => receipt === "stored")).toHaveLength(400);
    }
  });
});

describe.each(engines)("the inbox on %s", (engine) => {
  const database = useEngine(engine);
  const onStored = vi.fn();
  let inbox: Inbox;
  beforeEach(() => {
    onStored.mockReset();
    inbox = createInbox({ db: database(), onStored });
  });

  const count = async (column = "event_id") => {
    const { rows } = await database().raw.executeSql(
      `select count(distinct ${column}) as n from shiftpact.events`,
    );
    return rows[0].n;
  };
  const endAs = (status: EventStatus) =>
    database()
      .kysely.updateTable("events")
      .set({ status, dispatched_at: new Date(), verdict: "v" })
      .execute();

  it("stores an event whole, and says so", async () => {
    const at = Date.UTC(2026, 4, 1);
    inbox = createInbox({ db: database(), onStored, now: () => at });
    const event = received();
    expect(await inbox.receive(event)).toBe("stored");
    const row = await database().kysely.selectFrom("events").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      provider_id: providerId,
      event: "shift.create",
      shift_id: "shift-1",
      trace_id: event.traceId,
      status: "queued",
      attempts: 0,
      received_at: new Date(at),
      dispatched_at: null,
    });
    expect(onStored).toHaveBeenCalledOnce();
  });

  it("commits all that wait together, in the order of arrival", async () => {
    const events = Array.from({ length: 100 }, (_, n) => received({ shiftId: `s${n}` }));
    const receipts = await Promise.all(events.map((event) => inbox.receive(event)));
    expect(new Set(receipts)).toEqual(new Set(["stored"]));
    // The first call goes alone, the other 99 share the next commit.
    expect(await count("xmin::text")).toBe(2);
    const rows = await database()
      .kysely.selectFrom("events")
      .select("shift_id")
      .orderBy("event_id")
      .execute();
    expect(rows.map(({ shift_id }) => shift_id)).toEqual(events.map(({ shiftId }) => shiftId));
  });

  it("lets a row that the database refuses fail alone", async () => {
    const events = Array.from({ length: 9 }, (_, n) =>
      received({ shiftId: n === 4 ? "bad \u0000" : `s${n}` }),
    );
    const results = await Promise.allSettled(events.map((event) => inbox.receive(event)));
    const failed = results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []));
    expect(failed).toEqual([4]);
    expect(await count()).toBe(8);
  });

  it("rejects when nothing could be stored, and works on when it can be again", async () => {
    const own = await startEngine(engine);
    const closed = createInbox({ db: own, onStored });
    await own.drop();
    const results = await Promise.allSettled([closed.receive(received()), closed.receive(received())]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(onStored).not.toHaveBeenCalled();
  });

  it("stores a repeated event once, in one batch and over time", async () => {
    const event = received();
    const receipts = await Promise.all([received(), event, event, event].map((each) => inbox.receive(each)));
    expect(receipts.sort()).toEqual(["duplicate", "duplicate", "stored", "stored"]);
    expect(await inbox.receive(event)).toBe("duplicate");
    expect(await count()).toBe(2);
  });

  it("takes the same traceId of another event, shift or provider for another event", async () => {
    const event = received();
    const others = [{ event: "shift.update" }, { shiftId: "shift-2" }, { providerId: randomUUID() }];
    const all = [event, ...others.map((rest) => ({ ...event, ...rest }))];
    expect(await Promise.all(all.map((each) => inbox.receive(each)))).toEqual(Array(4).fill("stored"));
  });

  it.each<[EventStatus, EventStatus, boolean]>([
    ["failed", "queued", true],
    ["dead", "queued", true],
    ["processed", "processed", false],
    ["skipped_echo", "skipped_echo", false],
  ])("a duplicate of an event that ended %s leaves it %s", async (before, after, told) => {
    const event = received();
    await inbox.receive(event);
    await endAs(before);
    onStored.mockReset();
    expect(await inbox.receive(event)).toBe("duplicate");
    const row = await database().kysely.selectFrom("events").selectAll().executeTakeFirstOrThrow();
    expect([row.status, row.dispatched_at === null]).toEqual([after, told]);
    expect(onStored).toHaveBeenCalledTimes(told ? 1 : 0);
  });
});

describe.each(engines)("the dispatch on %s", (engine) => {
  const database = useEngine(engine);
  const queues: Queue[] = [];
  beforeEach(() => activate(database()));
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop()));
  });

  const startQueue = async (concurrency: number) => {
    const tasks: EventTask[] = [];
    const queue = createQueue({ database: database(), log: silent, pollMs: 2 ** 30 });
    queue.define<EventTask>({
      name: EVENTS_QUEUE,
      concurrency,
      work: async ({ data }) => {
        tasks.push(data);
        return { end: "done" };
      },
      dead: async () => undefined,
    });
    queues.push(queue);
    await queue.start();
    return { queue, tasks };
  };
  const store = async (count: number, rest: Partial<ReceivedEvent> = {}) => {
    const inbox = createInbox({ db: database(), onStored: () => undefined });
    const events = Array.from({ length: count }, (_, n) => received({ shiftId: `s${n}`, ...rest }));
    await Promise.all(events.map((event) => inbox.receive(event)));
    return events;
  };
  const undispatched = async () => {
    const rows = await database().kysely.selectFrom("events").select("dispatched_at").execute();
    return rows.filter(({ dispatched_at }) => dispatched_at === null).length;
  };

  it("queues each stored event once, also when several dispatch at the same time", async () => {
    const { queue, tasks } = await startQueue(0);
    await store(50);
    const dispatchers = Array.from({ length: 3 }, () =>
      createDispatcher({ db: database(), queue, log: silent }),
    );
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.run()));
    await dispatchers[0]?.run();
    expect(await queue.depth()).toEqual({ waiting: 50, active: 0 });
    expect(await undispatched()).toBe(0);
    expect(tasks).toEqual([]);
  });

  it("keeps the order of a shift's events", async () => {
    const { queue, tasks } = await startQueue(5);
    const events = await store(30, { shiftId: "one" });
    await createDispatcher({ db: database(), queue, log: silent }).run();
    await queue.idle();
    expect(tasks.map(({ traceId }) => traceId)).toEqual(events.map(({ traceId }) => traceId));
    expect(tasks[0]).toEqual({
      eventId: expect.any(String),
      providerId,
      event: "shift.create",
      shiftId: "one",
      traceId: events[0]?.traceId,
    });
  });

  it("never queues an event that is to be ignored", async () => {
    const { queue } = await startQueue(0);
    await store(3, { event: "shift.archived", status: "ignored" });
    await createDispatcher({ db: database(), queue, log: silent }).run();
    expect(await queue.depth()).toEqual({ waiting: 0, active: 0 });
  });

  it("keeps the events of an integration that is not active until it is", async () => {
    const { queue } = await startQueue(0);
    const dispatcher = createDispatcher({ db: database(), queue, log: silent });
    await activate(database(), "suspended");
    await store(3);
    await dispatcher.run();
    expect(await queue.depth()).toEqual({ waiting: 0, active: 0 });
    await activate(database());
    await dispatcher.run();
    expect(await queue.depth()).toEqual({ waiting: 3, active: 0 });
  });

  it("marks nothing when the tasks could not be queued, and queues them the next time", async () => {
    const { queue } = await startQueue(0);
    await store(5);
    const full = { enqueueMany: () => Promise.reject(new Error("no room")) };
    await expect(createDispatcher({ db: database(), queue: full, log: silent }).run()).rejects.toThrow(
      "no room",
    );
    expect(await undispatched()).toBe(5);
    await createDispatcher({ db: database(), queue, log: silent }).run();
    expect(await queue.depth()).toEqual({ waiting: 5, active: 0 });
  });

  it("starts at the signal", async () => {
    const { queue, tasks } = await startQueue(5);
    const dispatcher = createDispatcher({ db: database(), queue, log: silent, everyMs: 2 ** 30 });
    dispatcher.start();
    const inbox = createInbox({ db: database(), onStored: dispatcher.wake });
    await inbox.receive(received());
    await expect.poll(() => tasks.length).toBe(1);
    await inbox.receive(received());
    await expect.poll(() => tasks.length).toBe(2);
    await dispatcher.stop();
  });

  it("queues again an event that is sent again after it failed", async () => {
    const { queue, tasks } = await startQueue(5);
    const dispatcher = createDispatcher({ db: database(), queue, log: silent });
    const inbox = createInbox({ db: database(), onStored: () => undefined });
    const event = received();
    await inbox.receive(event);
    await dispatcher.run();
    await queue.idle();
    await database().kysely.updateTable("events").set({ status: "dead" }).execute();
    await inbox.receive(event);
    await dispatcher.run();
    await queue.idle();
    expect(tasks).toHaveLength(2);
  });
});

it.each(engines)("on %s, what was stored before a crash is dispatched after it", async (engine) => {
  const before = await startEngine(engine);
  await activate(before);
  const inbox = createInbox({ db: before, onStored: () => undefined });
  await Promise.all([inbox.receive(received()), inbox.receive(received({ shiftId: "shift-2" }))]);
  await before.close();

  const after = await openDatabase({ ...before.where, log: silent });
  const seen: string[] = [];
  const queue = createQueue({ database: after, log: silent });
  queue.define<EventTask>({
    name: EVENTS_QUEUE,
    concurrency: 2,
    work: async ({ data }) => {
      seen.push(data.shiftId);
      return { end: "done" };
    },
    dead: async () => undefined,
  });
  await queue.start();
  const dispatcher = createDispatcher({ db: after, queue, log: silent });
  dispatcher.start();
  await expect.poll(() => seen.sort()).toEqual(["shift-1", "shift-2"]);
  await dispatcher.stop();
  await queue.stop();
  const { rows } = await sql`select 1 from events where dispatched_at is null`.execute(after.kysely);
  expect(rows).toEqual([]);
  await after.close();
  await before.drop();
});
