import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStatus } from "../../../src/platform/db/schema.ts";
import { createDispatcher } from "../../../src/platform/inbox/dispatch.ts";
import { reviveOf } from "../../../src/platform/inbox/revive.ts";
import { createUpkeep } from "../../../src/platform/upkeep/upkeep.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";
import { useStage } from "../../flows/stage.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const GET = { operations: ["getShift"] } as const;

describe.each(featureEngines)("what was given up during an outage, on %s", (engine) => {
  const stage = useStage(engine, { retries: { tries: 6 } });

  it("arrives once the provider answers again, and its story says so", async () => {
    const { provider, quiet, event, findJob, verdicts, issues } = await stage().onboard();
    provider.setFault("error-500", GET);
    const lost = provider.createShift();
    await quiet();
    expect(await event(lost.traceId)).toMatchObject({ status: "dead" });
    provider.clearFaults();
    provider.createShift();
    await quiet();
    await expect.poll(async () => (await event(lost.traceId)).status).not.toBe("dead");
    await quiet();
    expect(await event(lost.traceId)).toMatchObject({ status: "processed" });
    expect(await findJob(lost.shiftId)).toMatchObject({ status: "open" });
    expect(await verdicts(lost.traceId)).toContain(
      "event: shift.create queued again by itself: the provider answers again",
    );
    await expect.poll(issues).toEqual([]);
  });
});

describe.each(featureEngines)("a dead letter, on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  let clock = 0;
  beforeEach(async () => {
    clock = Date.now();
    shop = await openWorkshop(database(), { now: () => new Date(clock), retries: { tries: 2 } });
  });
  afterEach(() => shop.close());

  const onStored = vi.fn();
  const carryOut = async () => {
    await createDispatcher({ db: database(), queue: shop.deps.queue, log: silent }).run();
    await shop.deps.queue.idle();
  };
  const round = async () => {
    const { revived } = await createUpkeep(shop.deps, { onStored }).run();
    await carryOut();
    return revived;
  };
  const statusOf = async (shiftId: string) => {
    const events = database().kysely.selectFrom("events").select(["status", "attempts"]);
    return (await events.where("shift_id", "=", shiftId).executeTakeFirstOrThrow()).status;
  };
  const lose = async () => {
    shop.provider.setFault("error-500", GET);
    const { shiftId } = shop.provider.createShift();
    await shop.send("shift.create", shiftId);
    expect(await statusOf(shiftId)).toBe("dead");
    return shiftId;
  };
  const stored = async (status: EventStatus, event: string, ageMs: number) => {
    const row = { event_id: randomUUID(), provider_id: shop.provider.providerId, shift_id: randomUUID() };
    const received_at = new Date(clock - ageMs);
    await database()
      .kysely.insertInto("events")
      .values({ ...row, event, status, trace_id: randomUUID(), received_at, processed_at: received_at })
      .execute();
    return row.shift_id;
  };

  it("is queued again after an hour, and each hour, until the provider answers", async () => {
    const shiftId = await lose();
    clock += HOUR - 1;
    expect(await round()).toBe(0);
    clock += 1;
    onStored.mockReset();
    expect(await round()).toBe(1);
    expect(onStored).toHaveBeenCalled();
    expect(await statusOf(shiftId)).toBe("dead");
    clock += HOUR - 1;
    expect(await round()).toBe(0);
    shop.provider.clearFaults();
    clock += 1;
    expect(await round()).toBe(1);
    expect(await statusOf(shiftId)).toBe("processed");
    clock += HOUR;
    expect(await round()).toBe(0);
  });

  it("is queued again at once when the provider answers again, but once an hour at most", async () => {
    const shiftId = await lose();
    const { providerId } = shop.provider;
    await reviveOf(shop.deps, randomUUID());
    expect(await statusOf(shiftId)).toBe("dead");
    await reviveOf(shop.deps, providerId);
    expect(await statusOf(shiftId)).toBe("queued");
    await carryOut();
    expect(await statusOf(shiftId)).toBe("dead");
    clock += HOUR - 1;
    await reviveOf(shop.deps, providerId);
    expect(await statusOf(shiftId)).toBe("dead");
    shop.provider.clearFaults();
    clock += 1;
    await reviveOf(shop.deps, providerId);
    await carryOut();
    expect(await statusOf(shiftId)).toBe("processed");
  });

  it("waits while its organisation is suspended", async () => {
    const shiftId = await lose();
    clock += HOUR;
    const { kysely } = database();
    await kysely.updateTable("integrations").set({ state: "suspended" }).execute();
    expect(await round()).toBe(0);
    await reviveOf(shop.deps, shop.provider.providerId);
    expect(await statusOf(shiftId)).toBe("dead");
    await kysely.updateTable("integrations").set({ state: "active" }).execute();
    expect(await round()).toBe(1);
  });

  it("is left to a person after 7 days, and so is what failed for another reason", async () => {
    const due = await stored("dead", "shift.update", 7 * DAY);
    const left = [
      await stored("dead", "shift.update", 7 * DAY + 1),
      await stored("failed", "shift.update", DAY),
      await stored("dead", "shift.reconcile", DAY),
    ];
    shop.provider.setFault("error-500", GET);
    expect(await round()).toBe(1);
    const revived = await database()
      .kysely.selectFrom("events")
      .select("shift_id")
      .where("revived_at", "is not", null)
      .execute();
    expect(revived).toEqual([{ shift_id: due }]);
    expect(await Promise.all(left.map(statusOf))).toEqual(["dead", "failed", "dead"]);
  });

  it("is revived by one process, and all of them however many there are", async () => {
    const row = { provider_id: shop.provider.providerId, event: "shift.update", status: "dead" } as const;
    const rows = Array.from({ length: 1_200 }, () => ({
      ...row,
      event_id: randomUUID(),
      shift_id: randomUUID(),
      trace_id: randomUUID(),
    }));
    await database().kysely.insertInto("events").values(rows).execute();
    const { providerId } = shop.provider;
    await Promise.all([1, 2, 3].map(() => reviveOf(shop.deps, providerId)));
    const steps = await database().kysely.selectFrom("trace_steps").select("trace_id").execute();
    expect(new Set(steps.map(({ trace_id }) => trace_id)).size).toBe(1_200);
    expect(steps).toHaveLength(1_200);
  });

  it("stays dead when the database takes nothing: the next round comes", async () => {
    const log = { ...silent, warn: vi.fn() };
    await lose();
    const kysely = { transaction: () => ({ execute: () => Promise.reject(new Error("down")) }) };
    const broken = { ...shop.deps, log, database: { ...shop.deps.database, kysely } };
    await reviveOf(broken as unknown as Workshop["deps"], shop.provider.providerId);
    expect(log.warn).toHaveBeenCalledOnce();
  });
});
