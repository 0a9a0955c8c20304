import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createQueue } from "../../../src/platform/queue/queue.ts";
import type { RetryPolicy } from "../../../src/platform/queue/retry.ts";
import type { NewTask, Queue, Task, TaskEnd, TaskKind } from "../../../src/platform/queue/task.ts";
import { copyDatabase, engines, silent, useEngine } from "../../engines.ts";

interface Data {
  n: number;
}

const AT_ONCE: Partial<RetryPolicy> = { baseMs: 1, random: () => 0 };
// So long that only notifications, and what the queue itself knows, can wake it.
const NEVER = 2 ** 30;

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe.each(engines)("the queue on %s", (engine) => {
  const database = useEngine(engine);
  const queues: Queue[] = [];
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.stop({ graceMs: 0 })));
  });

  const start = async (kind: Partial<TaskKind<Data>>, retries = AT_ONCE, pollMs = NEVER) => {
    const queue = createQueue({ database: database(), log: silent, retries, pollMs });
    queue.define<Data>({ name: "probe", work: done, dead: async () => undefined, concurrency: 10, ...kind });
    queues.push(queue);
    await queue.start();
    return queue;
  };
  const done = async (): Promise<TaskEnd> => ({ end: "done" });
  const add = (queue: Queue, tasks: NewTask<Data>[]) =>
    database()
      .kysely.transaction()
      .execute((trx) => queue.enqueueMany(trx, "probe", tasks));
  const numbered = (count: number, rest: Partial<NewTask<Data>> = {}) =>
    Array.from({ length: count }, (_, n) => ({ key: `key-${n}`, data: { n }, ...rest }));
  const note = (name: string) => ({ competence_id: newId(), name });
  const notes = async () => {
    const rows = await database()
      .kysely.selectFrom("competences")
      .select("name")
      .orderBy("competence_id")
      .execute();
    return rows.map(({ name }) => name);
  };

  it("works what was committed, and nothing that was rolled back", async () => {
    const seen: number[] = [];
    const queue = await start({
      work: async ({ data }) => {
        seen.push(data.n);
        return { end: "done" };
      },
    });
    await add(queue, [{ key: "a", data: { n: 1 } }]);
    const failed = database()
      .kysely.transaction()
      .execute(async (trx) => {
        await queue.enqueue(trx, "probe", { key: "a", data: { n: 2 } });
        throw new Error("no");
      });
    await expect(failed).rejects.toThrow("no");
    await queue.idle();
    expect(seen).toEqual([1]);
    expect(await queue.depth()).toEqual({ waiting: 0, active: 0 });
  });

  it("keeps the order of a key, also while its head is tried again, and lets other keys pass", async () => {
    const seen: string[] = [];
    const queue = await start({
      work: async ({ data, attempt }) => {
        seen.push(`${data.n}.${attempt}`);
        return data.n === 0 && attempt < 3 ? { end: "retry", reason: "not yet" } : { end: "done" };
      },
    });
    await add(queue, [...numbered(20, { key: "one" }), { key: "other", data: { n: 100 } }]);
    await queue.idle();
    const ofOne = seen.filter((entry) => entry !== "100.1");
    expect(ofOne).toEqual(["0.1", "0.2", "0.3", ...Array.from({ length: 19 }, (_, n) => `${n + 1}.1`)]);
    expect(seen.indexOf("100.1")).toBeLessThan(20);
  });

  it("writes with the end of a task or not at all, and tries it again when the write fails", async () => {
    const queue = await start({
      work: async ({ attempt }) => ({
        end: "done",
        write: async (trx) => {
          await trx
            .insertInto("competences")
            .values(note(`try ${attempt}`))
            .execute();
          if (attempt === 1) throw new Error("the write failed");
        },
      }),
    });
    await add(queue, numbered(1));
    await queue.idle();
    expect(await notes()).toEqual(["try 2"]);
  });

  it("writes the dead letter once after the last try, and goes on with the key", async () => {
    const queue = await start(
      {
        work: async ({ data }) => {
          if (data.n === 0) throw new Error("refused");
          return {
            end: "done",
            write: async (trx) => void (await trx.insertInto("competences").values(note("next")).execute()),
          };
        },
        dead: async ({ data, attempt }, reason, trx) => {
          await trx
            .insertInto("competences")
            .values(note(`${data.n} dead after ${attempt}: ${reason}`))
            .execute();
        },
      },
      { ...AT_ONCE, tries: 3 },
    );
    await add(queue, numbered(2, { key: "one" }));
    await queue.idle();
    expect(await notes()).toEqual(["0 dead after 3: refused", "next"]);
  });

  it("writes the dead letter at once when the task says so, with what it wrote itself", async () => {
    const queue = await start({
      work: async () => ({
        end: "dead",
        reason: "hopeless",
        write: async (trx) => void (await trx.insertInto("competences").values(note("written")).execute()),
      }),
      dead: async ({ attempt }, reason, trx) => {
        await trx
          .insertInto("competences")
          .values(note(`dead after ${attempt}: ${reason}`))
          .execute();
      },
    });
    await add(queue, numbered(1));
    await queue.idle();
    expect(await notes()).toEqual(["written", "dead after 1: hopeless"]);
  });

  it("waits as long as the other side asks, and the key waits with it", async () => {
    const tried = deferred();
    const queue = await start({
      work: async ({ data }) => {
        if (data.n > 0) return { end: "done" };
        return { end: "retry", afterMs: 3_600_000, reason: "busy", write: async () => tried.resolve() };
      },
    });
    await add(queue, [...numbered(2, { key: "one" }), { key: "other", data: { n: 5 } }]);
    await tried.promise;
    await queue.stop();
    const { rows } = await database().raw.executeSql(
      `select state::text, start_after > now() + interval '59 minutes' as later from pgboss.job order by id`,
    );
    expect(rows).toEqual([
      { state: "retry", later: true },
      { state: "created", later: false },
    ]);
  });

  it("settles each task on its own: a slow one does not hold up the others", async () => {
    const others = deferred();
    let finished = 0;
    const queue = await start({
      concurrency: 3,
      work: async ({ data }) => {
        if (data.n === 0) await others.promise;
        finished += 1;
        if (finished === 19) others.resolve();
        return { end: "done" };
      },
    });
    await add(queue, numbered(20));
    await queue.idle();
    expect(finished).toBe(20);
  });

  it("gives a group no more places than its limit, and the rest to others", async () => {
    const othersDone = deferred();
    let inHand = 0;
    let most = 0;
    let others = 0;
    const queue = await start({
      concurrency: 5,
      groupLimit: 2,
      work: async ({ data }) => {
        if (data.n < 100) {
          inHand += 1;
          most = Math.max(most, inHand);
          await othersDone.promise;
          inHand -= 1;
        } else {
          others += 1;
          if (others === 10) othersDone.resolve();
        }
        return { end: "done" };
      },
    });
    const quick = numbered(10).map(({ data }) => ({
      key: `q${data.n}`,
      group: "quick",
      data: { n: 100 + data.n },
    }));
    await add(queue, [...numbered(20, { group: "hanging" }), ...quick]);
    await queue.idle();
    expect({ most, others }).toEqual({ most: 2, others: 10 });
  });

  it("ignores an id that waits already, and takes it again once it is through", async () => {
    let worked = 0;
    const queue = await start({
      work: async () => {
        worked += 1;
        return { end: "done" };
      },
    });
    const task = { id: newId(), key: "a", data: { n: 1 } };
    await add(queue, [task, task]);
    await queue.idle();
    expect(worked).toBe(1);
    await add(queue, [task]);
    await queue.idle();
    expect(worked).toBe(2);
  });

  it("takes up what a crashed process had in hand, and counts the try", async () => {
    const waiting = await start({ concurrency: 0 });
    await add(waiting, numbered(1));
    await waiting.stop();
    await database().raw.executeSql(
      `update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '1 minute'`,
    );
    const attempts: number[] = [];
    const worked = deferred();
    const work = async ({ attempt }: Task<Data>): Promise<TaskEnd> => {
      attempts.push(attempt);
      worked.resolve();
      return { end: "done" };
    };
    // The end of a heartbeat, on PostgreSQL, notifies nobody.
    await start({ work }, AT_ONCE, 50);
    await worked.promise;
    expect(attempts).toEqual([2]);
  });

  it("gives up a task under which the process ended at every try", async () => {
    const waiting = await start({ concurrency: 0 });
    await add(waiting, numbered(1));
    await waiting.stop();
    await database().raw.executeSql("update pgboss.job set retry_count = 12");
    const dead = deferred();
    const reasons: string[] = [];
    const queue = await start({
      work: async () => {
        throw new Error("must not be called");
      },
      dead: async (_task, reason) => {
        reasons.push(reason);
        dead.resolve();
      },
    });
    await dead.promise;
    await queue.idle();
    expect(reasons).toEqual(["no end after 12 tries"]);
  });

  it("stops: aborts what is in hand after the grace, and puts it back", async () => {
    const begun = deferred();
    const first = await start({
      work: (_task, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          begun.resolve();
        }),
    });
    await add(first, numbered(1));
    await begun.promise;
    await first.stop({ graceMs: 0 });
    const tasks: Task<Data>[] = [];
    const second = await start({
      work: async (task) => {
        tasks.push(task);
        return { end: "done" };
      },
    });
    await second.idle();
    expect(tasks).toMatchObject([{ data: { n: 0 }, attempt: 2 }]);
  });

  it("writes nothing for a task that another process has taken over", async () => {
    const queue = await start({
      work: async () => {
        await database().raw.executeSql("update pgboss.job set retry_count = retry_count + 1");
        return {
          end: "done",
          write: async (trx) => void (await trx.insertInto("competences").values(note("stale")).execute()),
        };
      },
    });
    await add(queue, numbered(1));
    await expect.poll(() => queue.depth()).toEqual({ waiting: 0, active: 1 });
    await queue.stop({ graceMs: 1_000 });
    expect(await notes()).toEqual([]);
  });

  it("must be started before tasks are queued, and defined before the start", async () => {
    const queue = createQueue({ database: database(), log: silent });
    await expect(add(queue, numbered(1))).rejects.toThrow("not started");
    const started = await start({});
    expect(() =>
      started.define<Data>({ name: "late", work: done, dead: async () => undefined, concurrency: 1 }),
    ).toThrow("before the start");
  });
});

describe("two processes on one PostgreSQL database", () => {
  let remove: () => Promise<void>;
  let where: { url: string };
  beforeAll(async () => {
    ({ where, remove } = await copyDatabase({ empty: true }));
  });
  afterAll(() => remove());

  it("can start at once on an empty one; work each task once, in the order of its key", async () => {
    const seen: string[] = [];
    const open = async () => {
      const database = await openDatabase({ ...where, log: silent });
      const queue = createQueue({ database, log: silent });
      queue.define<Data & { key: string }>({
        name: "probe",
        concurrency: 4,
        work: async ({ data }) => {
          seen.push(`${data.key}.${data.n}`);
          return { end: "done" };
        },
        dead: async () => undefined,
      });
      await queue.start();
      return { database, queue };
    };
    const [first, second] = await Promise.all([open(), open()]);
    const keys = Array.from({ length: 10 }, (_, n) => `key${n}`);
    const tasks = keys.flatMap((key) => Array.from({ length: 10 }, (_, n) => ({ key, data: { key, n } })));
    await first.database.kysely.transaction().execute((trx) => first.queue.enqueueMany(trx, "probe", tasks));
    await Promise.all([first.queue.idle(), second.queue.idle()]);
    for (const key of keys) {
      const ofKey = seen.filter((entry) => entry.startsWith(`${key}.`));
      expect(ofKey).toEqual(Array.from({ length: 10 }, (_, n) => `${key}.${n}`));
    }
    await Promise.all([first, second].map(({ queue }) => queue.stop()));
    await Promise.all([first, second].map(({ database }) => database.close()));
  });
});
