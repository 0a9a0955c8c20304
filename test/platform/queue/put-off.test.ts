import { afterEach, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { later } from "../../../src/platform/queue/later.ts";
import { createQueue } from "../../../src/platform/queue/queue.ts";
import { PROVIDER_RETRIES, putOffDelay, type RetryPolicy } from "../../../src/platform/queue/retry.ts";
import type { Queue, TaskEnd, TaskKind } from "../../../src/platform/queue/task.ts";
import { featureEngines, silent, useEngine } from "../../engines.ts";

interface Data {
  n: number;
}

const NOT_ASKED: TaskEnd = { end: "retry", reason: "not asked", countsAsTry: false };

describe.each(featureEngines)("a retry that was no try, on %s", (engine) => {
  const database = useEngine(engine);
  let queue: Queue | undefined;
  afterEach(() => queue?.stop({ graceMs: 0 }));

  const run = async (
    kind: Pick<TaskKind<Data>, "work"> & Partial<TaskKind<Data>>,
    retries: Partial<RetryPolicy> = {},
  ) => {
    const started = createQueue({
      ...{ database: database(), log: silent },
      retries: { baseMs: 1, random: () => 0, ...retries },
    });
    queue = started;
    started.define<Data>({ name: "probe", dead: async () => undefined, concurrency: 10, ...kind });
    await started.start();
    await database()
      .kysely.transaction()
      .execute((trx) => started.enqueue<Data>(trx, "probe", { key: "a", data: { n: 7 } }));
    await started.idle();
  };

  it("uses up none of the tries, and leaves the data as it was", async () => {
    const seen: { n: number; attempt: number }[] = [];
    const dead: string[] = [];
    await run(
      {
        work: async ({ data, attempt }) => {
          seen.push({ ...data, attempt });
          return seen.length % 3 === 0 ? { end: "retry", reason: "no answer" } : NOT_ASKED;
        },
        dead: async ({ attempt, data }, reason) => void dead.push(`${data.n} ${attempt} ${reason}`),
      },
      { tries: 2 },
    );
    expect(seen).toEqual([1, 1, 1, 2, 2, 2].map((attempt) => ({ n: 7, attempt })));
    expect(dead).toEqual(["7 2 no answer"]);
  });

  it("writes only the first time", async () => {
    let tries = 0;
    await run({
      work: async () => {
        tries += 1;
        const name = `try ${tries}`;
        const write: TaskEnd["write"] = async (trx) => {
          await trx.insertInto("competences").values({ competence_id: newId(), name }).execute();
        };
        return tries < 5 ? { ...NOT_ASKED, write } : { end: "done", write };
      },
    });
    const rows = await database()
      .kysely.selectFrom("competences")
      .select("name")
      .orderBy("competence_id")
      .execute();
    expect(rows.map(({ name }) => name)).toEqual(["try 1", "try 5"]);
  });

  it("goes on for as long as there is patience", async () => {
    const dead: string[] = [];
    await run(
      { work: async () => NOT_ASKED, dead: async (_, reason) => void dead.push(reason) },
      { patienceMs: 20 },
    );
    expect(dead).toEqual(["not asked"]);
  });
});

describe("the wait of a task whose other side was not asked", () => {
  const policy = { ...PROVIDER_RETRIES, random: () => 1 };

  it("is spread after the time that was asked for, ever more, up to a minute", () => {
    const waits = Array.from({ length: 8 }, (_, n) => putOffDelay(policy, n + 1, 10_000) / 1_000);
    expect(waits).toEqual([11, 12, 14, 18, 26, 42, 70, 70]);
    expect(putOffDelay({ ...policy, random: () => 0 }, 8, 10_000)).toBe(10_000);
    expect(putOffDelay(policy, 5_000)).toBe(60_000);
  });
});

describe("an answer that the other side is not available", () => {
  it("is a try only if it was asked", () => {
    expect(later({ reason: "status 503" })).toEqual({ end: "retry", reason: "status 503" });
    expect(later({ reason: "open", retryAfterMs: 5, notAsked: true })).toEqual({
      ...{ end: "retry", reason: "open", afterMs: 5, countsAsTry: false },
    });
  });
});
