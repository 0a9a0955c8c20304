import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStatus, IntegrationState } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { type Database, openDatabase } from "../../../src/platform/db/database.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { createInbox, type Inbox, type ReceivedEvent } from "../../../src/platform/inbox/receive.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { engines, silent, startEngine, useEngine } from "../../harness/engines.ts";

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
      providerId,
      kind: "probe",
      name: "n",
      baseUrl: "https://example.com",
      providerToken: "t",
      state,
    })
    .onConflict((on) => on.column("providerId").doUpdateSet({ state }))
    .execute();

// The embedded database has one process.
describe("two inboxes on one PostgreSQL", () => {
  const database = useEngine("postgres");

  it("store the same events concurrently in any order", async () => {
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

it("an inbox counts the time that a webhook has waited before against a silent database", async () => {
  const db = {
    kysely: {
      getExecutor: () => ({
        transformQuery: (node: unknown) => node,
        compileQuery: () => ({ sql: "", parameters: [] }),
        executeQuery: () => new Promise<never>(() => undefined),
      }),
    } as never,
  };
  const silenceMs = HOUR_MS;
  const inbox = createInbox({ db, onStored: () => undefined, silenceMs });
  const waited = inbox.receive(received(), performance.now() - silenceMs);
  await expect(waited).rejects.toThrow("no response within");
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
      .set({ status, verdict: JSON.stringify({ code: "stored", params: {} }) })
      .execute();

  it("stores every field of an event", async () => {
    const at = Date.UTC(2026, 4, 1);
    inbox = createInbox({ db: database(), onStored, now: () => at });
    const event = received();
    expect(await inbox.receive(event)).toBe("stored");
    const row = await database().kysely.selectFrom("events").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      providerId,
      event: "shift.create",
      shiftId: "shift-1",
      traceId: event.traceId,
      status: "queued",
      attempts: 0,
      receivedAt: new Date(at),
    });
    expect(onStored).toHaveBeenCalledOnce();
  });

  it("commits waiting events together, in the order of arrival", async () => {
    const events = Array.from({ length: 100 }, (_, n) => received({ shiftId: `s${n}` }));
    const receipts = await Promise.all(events.map((event) => inbox.receive(event)));
    expect(new Set(receipts)).toEqual(new Set(["stored"]));
    // All of them wait by the time the statement is sent.
    expect(await count("xmin::text")).toBe(1);
    const rows = await database().kysely.selectFrom("events").select("shiftId").orderBy("eventId").execute();
    expect(rows.map(({ shiftId }) => shiftId)).toEqual(events.map(({ shiftId }) => shiftId));
  });

  it("rejects only the row that the database refuses", async () => {
    const events = Array.from({ length: 9 }, (_, n) =>
      received({ shiftId: n === 4 ? "bad \u0000" : `s${n}` }),
    );
    const results = await Promise.allSettled(events.map((event) => inbox.receive(event)));
    const failed = results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []));
    expect(failed).toEqual([4]);
    expect(await count()).toBe(8);
  });

  // On Citus, lost-worker.test.ts has a worker that is away.
  it.skipIf(isOnCitus && engine === "postgres")(
    "rejects only the organisation whose server fails, on a distributed database",
    async () => {
      const onAttempt = vi.fn();
      inbox = createInbox({ db: { kysely: database().kysely, isDistributed: true }, onStored, onAttempt });
      const there = randomUUID();
      const events = [providerId, there, providerId].map((each) => received({ providerId: each }));
      const results = await whileFailing(there, () =>
        Promise.allSettled(events.map((event) => inbox.receive(event))),
      );
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      // Webhooks can be stored.
      expect(onAttempt.mock.calls).toEqual([[undefined]]);
      expect(await count()).toBe(2);
    },
  );

  /** Each INSERT of an event of the organisation fails, as if its server were away. */
  const whileFailing = async <T>(of: string, work: () => Promise<T>): Promise<T> => {
    const { executeSql } = database().raw;
    await executeSql(`
      create function shiftpact.fail() returns trigger language plpgsql as $$ begin
        raise exception 'connection to the remote node failed' using errcode = '08006';
      end $$;
      create trigger failing before insert on shiftpact.events for each row when (new.provider_id = '${of}') execute function shiftpact.fail();`);
    return work().finally(() =>
      executeSql("drop trigger failing on shiftpact.events; drop function shiftpact.fail();"),
    );
  };

  it("rejects while the database fails, and stores events again afterwards", async () => {
    const own = await startEngine(engine);
    const closed = createInbox({ db: own, onStored });
    await own.drop();
    const results = await Promise.allSettled([closed.receive(received()), closed.receive(received())]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(onStored).not.toHaveBeenCalled();
  });

  it("stores a repeated event once, within a batch and across batches", async () => {
    const event = received();
    const receipts = await Promise.all([received(), event, event, event].map((each) => inbox.receive(each)));
    expect(receipts.sort()).toEqual(["duplicate", "duplicate", "stored", "stored"]);
    expect(await inbox.receive(event)).toBe("duplicate");
    expect(await count()).toBe(2);
  });

  it("stores the same traceId again for another event, shift, or provider", async () => {
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
  ])(
    "leaves an event that ended as %s in status %s when it is repeated",
    async (before, after, isStoredAgain) => {
      const event = received();
      await inbox.receive(event);
      await endAs(before);
      onStored.mockReset();
      expect(await inbox.receive(event)).toBe("duplicate");
      const row = await database().kysely.selectFrom("events").selectAll().executeTakeFirstOrThrow();
      expect([row.status, row.verdict === null]).toEqual([after, isStoredAgain]);
      expect(onStored).toHaveBeenCalledTimes(isStoredAgain ? 1 : 0);
    },
  );
});

describe.each(engines)("the dispatch on %s", (engine) => {
  const database = useEngine(engine);
  beforeEach(() => activate(database()));

  const dispatcherOf = (wakeWorker: () => void = () => undefined) =>
    createDispatcher({ database: database(), log: silent, wakeWorker }, { everyMs: 2 ** 30 });
  const due = () =>
    database().kysely.selectFrom("work").select(["key", "priority", "revision"]).orderBy("key").execute();

  it("makes each shift of stored events due once, and wakes the worker", async () => {
    const woken = vi.fn();
    const dispatcher = dispatcherOf(woken);
    const inbox = createInbox({ db: database(), onStored: dispatcher.stored });
    const events = ["s1", "s2", "s1", "s1"].map((shiftId) => received({ shiftId }));
    await Promise.all(events.map((event) => inbox.receive(event)));
    await dispatcher.run();
    expect((await due()).map(({ key, priority }) => [key, priority])).toEqual([
      ["s1", 1],
      ["s2", 1],
    ]);
    expect(woken).toHaveBeenCalled();
  });

  it("makes shifts due whose events were stored by a process that ended", async () => {
    const inbox = createInbox({ db: database(), onStored: () => undefined });
    for (const shiftId of ["s1", "s2"]) await inbox.receive(received({ shiftId }));
    expect(await due()).toEqual([]);
    await dispatcherOf().run();
    expect((await due()).map(({ key }) => key)).toEqual(["s1", "s2"]);
    await dispatcherOf().run();
    // What is due is not hinted at again.
    expect((await due()).map(({ revision }) => revision)).toEqual([0, 0]);
  });

  it("does not make shifts of ignored or ended events due", async () => {
    const inbox = createInbox({ db: database(), onStored: () => undefined });
    await inbox.receive(received({ shiftId: "s1", event: "shift.archived", status: "ignored" }));
    await inbox.receive(received({ shiftId: "s2" }));
    await database()
      .kysely.updateTable("events")
      .set({ status: "processed" })
      .where("shiftId", "=", "s2")
      .execute();
    await dispatcherOf().run();
    expect(await due()).toEqual([]);
  });

  it("retries in its sweep what it could not make due", async () => {
    const { kysely } = database();
    const broken = { transaction: () => ({ execute: () => Promise.reject(new Error("no room")) }) };
    const parts = { database: { ...database(), kysely: broken as never }, log: silent, wakeWorker: vi.fn() };
    const dispatcher = createDispatcher(parts, { everyMs: 2 ** 30 });
    const inbox = createInbox({ db: database(), onStored: dispatcher.stored });
    expect(await inbox.receive(received())).toBe("stored");
    await dispatcher.run();
    expect(await kysely.selectFrom("work").selectAll().execute()).toEqual([]);
    await dispatcherOf().run();
    expect((await due()).map(({ key }) => key)).toEqual(["shift-1"]);
  });

  it("makes a shift due again when a failed event is repeated", async () => {
    const dispatcher = dispatcherOf();
    const inbox = createInbox({ db: database(), onStored: dispatcher.stored });
    const event = received();
    await inbox.receive(event);
    await dispatcher.run();
    await database().kysely.deleteFrom("work").execute();
    await database().kysely.updateTable("events").set({ status: "failed" }).execute();
    expect(await inbox.receive(event)).toBe("duplicate");
    await dispatcher.run();
    expect((await due()).map(({ key }) => key)).toEqual(["shift-1"]);
  });
});

it.each(engines)("on %s, events stored before a crash are due after it", async (engine) => {
  const before = await startEngine(engine);
  await activate(before);
  const inbox = createInbox({ db: before, onStored: () => undefined });
  await Promise.all([inbox.receive(received()), inbox.receive(received({ shiftId: "shift-2" }))]);
  await before.close();
  const after = await openDatabase({ ...before.where, log: silent });
  const woken = Promise.withResolvers<void>();
  const dispatcher = createDispatcher({ database: after, log: silent, wakeWorker: () => woken.resolve() });
  dispatcher.start();
  await woken.promise;
  const rows = await after.kysely.selectFrom("work").select("key").orderBy("key").execute();
  expect(rows.map(({ key }) => key)).toEqual(["shift-1", "shift-2"]);
  await dispatcher.stop();
  await after.close();
  await before.drop();
});
