import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOnCitus } from "../../harness/citus.ts";
import { expectProblem } from "../../harness/http.ts";
import { shiftEvent, storedEvents, useTenants } from "../../harness/tenants.ts";

/** The platform's session that inserts events and waits for a lock. */
const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into events%'`;

describe("an event is acknowledged when it is stored, and not before", () => {
  const harness = useTenants("postgres");
  let holder: pg.Client;
  let watcher: pg.Client;

  beforeAll(async () => {
    const connectionString = harness().location.url;
    holder = new pg.Client({ connectionString });
    watcher = new pg.Client({ connectionString });
    await Promise.all([holder.connect(), watcher.connect()]);
  });
  afterAll(() => Promise.all([holder.end(), watcher.end()]));

  /** The tables of events cannot be written until `release`. */
  async function holdEvents() {
    await holder.query("begin");
    await holder.query("lock table shiftpact.events in exclusive mode");
    return { release: () => holder.query("rollback") };
  }

  async function waitingInsert(): Promise<number> {
    while (true) {
      const { rows } = await watcher.query<{ pid: number }>(WAITING);
      if (rows[0]) return rows[0].pid;
    }
  }

  /** The pool may hand the ended connection out once more before it hears of its end; that too is answered 503. */
  async function storeIsBack(): Promise<void> {
    while (true) {
      const answer = await harness().operate("GET", "/events");
      if (answer.status === 200) return;
      expectProblem(answer, "store_unavailable");
    }
  }

  it("waits for the commit", async () => {
    const event = shiftEvent(harness().tenant.providerId);
    const { release } = await holdEvents();
    let answered = false;
    const sending = harness()
      .sendEvent(event)
      .finally(() => {
        answered = true;
      });
    await waitingInsert();
    // A whole exchange on the same server would let an answer that is ready pass.
    await harness().send("/health/live");
    expect(answered).toBe(false);
    await release();
    expect((await sending).status).toBe(200);
    expect(await storedEvents(harness())).toContainEqual(expect.objectContaining({ traceId: event.traceId }));
  });

  it("returns 503 when the commit fails, and accepts the event when it is repeated", async () => {
    const event = shiftEvent(harness().tenant.providerId);
    const { release } = await holdEvents();
    const sending = harness().sendEvent(event);
    const pid = await waitingInsert();
    await watcher.query("select pg_terminate_backend($1::int)", [pid]);
    const answer = await sending;
    expectProblem(answer, "store_unavailable");
    expect(answer.headers["retry-after"]).toBe("5");
    await release();
    await storeIsBack();
    expect(await storedEvents(harness())).not.toContainEqual(
      expect.objectContaining({ traceId: event.traceId }),
    );
    expect((await harness().sendEvent(event)).status).toBe(200);
    expect((await harness().sendEvent(event)).status).toBe(200);
    const stored = (await storedEvents(harness())).filter(({ traceId }) => traceId === event.traceId);
    expect(stored).toHaveLength(1);
  });

  // Citus refuses triggers.
  it.skipIf(isOnCitus)("makes the platform unready while the database has no room for it", async () => {
    const ready = async () => (await harness().send("/health/ready")).status;
    await holder.query(`create function shiftpact.no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    await holder.query(`create trigger no_room before insert on shiftpact.events
      for each row execute function shiftpact.no_room()`);
    const event = shiftEvent(harness().tenant.providerId);
    expectProblem(await harness().sendEvent(event), "store_unavailable");
    expectProblem(await harness().send("/health/ready"), "store_unavailable");
    await holder.query("drop function shiftpact.no_room cascade");
    expect((await harness().sendEvent(event)).status).toBe(200);
    await expect.poll(ready).toBe(200);
  });
});
