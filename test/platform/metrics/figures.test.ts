import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { createCollector } from "../../../src/platform/metrics/collector.ts";
import { createFigures } from "../../../src/platform/metrics/figures.ts";
import { readStatistics } from "../../../src/platform/metrics/statistics.ts";
import { featureEngines, silent, type TestDatabase, useEngine } from "../../engines.ts";

const START = Date.parse("2027-03-01T08:00:00Z");
const MINUTE = 60_000;

const callOf = (provider_id: string, status?: number) => ({
  ...{ kind: "probe", provider_id, operation: "getShift", seconds: 0.01, status },
});

describe.each(featureEngines)("the figures on %s", (engine) => {
  const database = useEngine(engine);
  let clock = START;
  const now = () => new Date(clock);

  const open = (on: Pick<TestDatabase, "kysely"> = database(), log = silent) => {
    clock = START;
    return createFigures({ database: on, log, now });
  };
  const read = (minutes = 1) => readStatistics({ database: database(), now } as never, minutes);
  const stored = async () => (await database().kysely.selectFrom("figures").selectAll().execute()).length;

  it("of several processes add up, and what is left is written at the end", async () => {
    const providers = [randomUUID(), randomUUID()];
    const processes = [1, 2, 3].map(() => open());
    for (const [nth, figures] of processes.entries()) {
      for (let n = 0; n < 10; n += 1) figures.webhookAnswered(200, 0.5 + 3 * nth);
      figures.webhookAnswered(401, 0.2);
      // Not in one order: the rows are written in one all the same.
      for (const provider of nth === 1 ? providers.toReversed() : providers) {
        figures.providerCalled(callOf(provider, 200));
      }
    }
    await Promise.all(processes.map((figures) => figures.close()));
    const { stepMinutes, steps, providers: calls } = await read();
    expect(stepMinutes).toBe(1);
    expect(steps).toEqual([
      {
        ...{ at: "2027-03-01T08:00:00.000Z", acknowledged: 30, refused: 3 },
        // 10 up to 1 ms, 10 up to 5, 10 up to 10.
        acknowledgementMedianMs: 3.75,
        acknowledgementP99Ms: expect.closeTo(9.85, 9),
        ...{ providerCalls: 6, providerFailures: 0 },
      },
    ]);
    expect(calls).toHaveLength(2);
    expect(calls).toEqual(
      expect.arrayContaining(providers.map((providerId) => ({ providerId, calls: 3, failures: 0 }))),
    );
  });

  it("count as failures no answer, 5xx and 429, and show first who has most of them", async () => {
    const [well, limited, down] = [randomUUID(), randomUUID(), randomUUID()];
    const figures = open();
    for (const status of [200, 201, 204, 400, 401, 404, 409, 422])
      figures.providerCalled(callOf(well, status));
    for (const status of [429, 200]) figures.providerCalled(callOf(limited, status));
    for (const status of [500, 503, undefined]) figures.providerCalled(callOf(down, status));
    await figures.close();
    const { steps, providers } = await read();
    expect(steps).toMatchObject([{ providerCalls: 13, providerFailures: 4 }]);
    expect(providers).toEqual([
      { providerId: down, calls: 3, failures: 3 },
      { providerId: limited, calls: 2, failures: 1 },
      { providerId: well, calls: 8, failures: 0 },
    ]);
  });

  it("are written periodically, under the minute in which they were counted", async () => {
    clock = START;
    const figures = createFigures({ database: database(), log: silent, now, everyMs: 1 });
    figures.webhookAnswered(200, 2_000);
    clock += 2 * MINUTE;
    figures.webhookAnswered(200, 1);
    await expect.poll(stored).toBe(2);
    await figures.close();
    const { steps } = await read(4);
    expect(steps.map(({ at, acknowledged }) => [at.slice(11, 16), acknowledged])).toEqual([
      ["07:59", 0],
      ["08:00", 1],
      ["08:01", 0],
      ["08:02", 1],
    ]);
    expect(steps.map((step) => step.acknowledgementMedianMs)).toEqual([undefined, 1_000, undefined, 0.5]);
    expect(steps[0]).toEqual({
      ...{ at: "2027-03-01T07:59:00.000Z", acknowledged: 0, refused: 0 },
      ...{ providerCalls: 0, providerFailures: 0 },
    });
  });

  it("come in at most 180 steps of whole minutes, of which none is lost or counted twice", async () => {
    const figures = open();
    const days = 7 * 24 * 60;
    clock = START - (days - 1) * MINUTE;
    for (let minute = 0; minute < days; minute += 1) {
      if (minute % 10 === 0) figures.webhookAnswered(200, 1);
      clock += MINUTE;
      // More than may wait in memory.
      if (minute % 1_000 === 0) await figures.flush();
    }
    clock = START;
    await figures.close();
    for (const [minutes, stepMinutes, count] of [
      [1, 1, 1],
      [60, 1, 60],
      [180, 1, 180],
      [181, 2, 91],
      [days, 56, 180],
    ] as const) {
      const { steps, stepMinutes: length } = await read(minutes);
      expect([length, steps.length]).toEqual([stepMinutes, count]);
      expect(steps.at(-1)?.at).toBe(new Date(START - (stepMinutes - 1) * MINUTE).toISOString());
      expect(steps.at(0)?.at).toBe(new Date(START - (stepMinutes * count - 1) * MINUTE).toISOString());
    }
    const { steps } = await read(days);
    expect(steps.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBe(days / 10);
  });

  it("that could not be written are written with the next", async () => {
    const log = { ...silent, warn: vi.fn() };
    const figures = open(database(), log as never);
    await database().kysely.schema.alterTable("figures").renameTo("away").execute();
    figures.webhookAnswered(200, 1);
    await figures.flush();
    expect(log.warn).toHaveBeenCalledOnce();
    figures.webhookAnswered(200, 1);
    figures.webhookAnswered(503, 1);
    await figures.flush();
    await database().kysely.schema.alterTable("away").renameTo("figures").execute();
    await figures.close();
    expect((await read()).steps).toMatchObject([{ acknowledged: 2, refused: 1 }]);
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
