import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { readPaces } from "../../../src/platform/backlog/backlogs.ts";
import { createCollector, createFigures } from "../../../src/platform/metrics/figures.ts";
import { shareReading } from "../../../src/platform/metrics/readings.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";
import { addIntegration } from "../../harness/work-rows.ts";

const START = Date.parse("2027-03-01T08:00:00Z");

const callOf = (providerId: string) => ({
  kind: "probe",
  providerId,
  operation: "getShift",
  seconds: 0.01,
  status: 200,
});

describe.each(featureEngines)("the figures on %s", (engine) => {
  const database = useEngine(engine);
  let clock = START;
  const now = () => new Date(clock);

  const open = (log = silent) => {
    clock = START;
    return createFigures({ database: database(), log, now });
  };
  const paces = () => readPaces(database(), now(), "");
  const stored = () => database().kysely.selectFrom("figures").selectAll().orderBy("minute").execute();

  it("of several processes add up, and the rest is written at the end", async () => {
    const providers = [await addIntegration(database()), await addIntegration(database())];
    const processes = [1, 2, 3].map(() => open());
    for (const [nth, figures] of processes.entries()) {
      // Not in one order: the rows are written in one all the same.
      for (const provider of nth === 1 ? providers.toReversed() : providers) {
        figures.providerCalled(callOf(provider));
        figures.webhookStored({ kind: "probe", providerId: provider });
      }
    }
    await Promise.all(processes.map((figures) => figures.close()));
    expect(await paces()).toEqual(new Map(providers.map((provider) => [provider, { calls: 3, callMs: 30 }])));
    const webhooks = (await stored()).filter(({ name }) => name === "webhooks");
    expect(webhooks.map(({ value }) => value)).toEqual([3, 3]);
  });

  it("are written periodically, under the minute in which they were counted", async () => {
    clock = START;
    const figures = createFigures({ database: database(), log: silent, now, everyMs: 1 });
    const provider = { kind: "probe", providerId: await addIntegration(database()) };
    figures.webhookStored(provider);
    clock += 2 * MINUTE_MS;
    figures.webhookStored(provider);
    await expect.poll(async () => (await stored()).length).toBe(2);
    await figures.close();
    const minutes = (await stored()).map(({ minute }) => minute.getTime());
    expect(minutes).toEqual([START, START + 2 * MINUTE_MS]);
  });

  it("leave out an organisation that was deleted meanwhile", async () => {
    const [figures, provider] = [open(), await addIntegration(database())];
    for (const each of [randomUUID(), provider]) figures.providerCalled(callOf(each));
    await figures.close();
    expect(new Set((await stored()).map(({ providerId }) => providerId))).toEqual(new Set([provider]));
  });

  it("that could not be written are written with the next", async () => {
    const log = { ...silent, warn: vi.fn() };
    const figures = open(log as never);
    const provider = await addIntegration(database());
    await database().kysely.schema.alterTable("figures").renameTo("away").execute();
    figures.providerCalled(callOf(provider));
    await figures.flush();
    expect(log.warn).toHaveBeenCalledOnce();
    figures.providerCalled(callOf(provider));
    await figures.flush();
    await database().kysely.schema.alterTable("away").renameTo("figures").execute();
    await figures.close();
    expect((await paces()).get(provider)).toEqual({ calls: 2, callMs: 20 });
  });
});

describe("counts of a database that is down", () => {
  it("wait up to a limit, then the first ones are lost", async () => {
    const written: (readonly [string, number][])[] = [];
    const write = vi
      .fn(async (counts: readonly [string, number][]) => void written.push(counts))
      .mockRejectedValueOnce(new Error("down"));
    const collector = createCollector({ log: silent, write, most: 3 });
    for (const key of ["a", "b", "c", "d"]) collector.add(key);
    await collector.flush();
    collector.add("e", 2);
    await collector.close();
    expect(written).toEqual([
      [
        ["c", 1],
        ["d", 1],
        ["e", 2],
      ],
    ]);
  });
});

describe("a shared reading", () => {
  it("is read once for all callers within its time, each key apart", async () => {
    let now = 0;
    const read = vi.fn(async (key: string) => `${key} at ${now}`);
    const shared = shareReading(read, 2_000, () => now);
    expect(await Promise.all([shared("a"), shared("a"), shared("b")])).toEqual([
      "a at 0",
      "a at 0",
      "b at 0",
    ]);
    now = 1_999;
    expect(await shared("a")).toBe("a at 0");
    now = 2_000;
    expect(await shared("a")).toBe("a at 2000");
    expect(read).toHaveBeenCalledTimes(3);
  });

  it("is kept for twenty times as long as it took, and never read twice at once", async () => {
    let now = 0;
    const gate = Promise.withResolvers<void>();
    const read = vi.fn(() => gate.promise);
    const shared = shareReading(read, 2_000, () => now);
    const first = shared();
    now = 5_000;
    const second = shared();
    gate.resolve();
    await Promise.all([first, second]);
    now = 104_999;
    await shared();
    expect(read).toHaveBeenCalledTimes(1);
    now = 105_000;
    await shared();
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("is read again after a failure", async () => {
    const read = vi.fn(async () => "read").mockRejectedValueOnce(new Error("down"));
    const shared = shareReading(read, 2_000, () => 0);
    await expect(shared()).rejects.toThrow("down");
    expect(await shared()).toBe("read");
  });
});
