import { describe, expect, it } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import type { StreamMessage } from "../../src/console/data/live.ts";
import { createJobFeed, type JobReads } from "../../src/console/jobs/job-feed.ts";

const job = (jobId: string, positions = 1) => ({ jobId, positions }) as Job;
const byId = (one: Job, other: Job) => one.jobId.localeCompare(other.jobId);
const changed = (jobId: string): StreamMessage => ({
  type: "job",
  data: { jobId, providerId: "p", shiftId: "s", status: "open" },
});

/** A feed whose reads and timers end when the test ends them. */
function controlledFeed(size = 10) {
  const requested: string[] = [];
  const pendingReads: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let jobs = [job("a"), job("b")];
  let fails = false;
  const controlled = async <T>(name: string, read: () => T): Promise<T> => {
    requested.push(name);
    await new Promise<void>((resolve) => pendingReads.push(resolve));
    if (fails) throw new Error("no response");
    return read();
  };
  const reads: JobReads = {
    page: (cursor) =>
      controlled(cursor === undefined ? "first" : `after ${cursor}`, () => {
        const rest = jobs.toSorted(byId).filter(({ jobId }) => jobId > (cursor ?? ""));
        const items = rest.slice(0, size);
        const last = items.at(-1);
        return { items, ...(rest.length > size && last && { nextCursor: last.jobId }) };
      }),
    compare: byId,
    one: (jobId) => controlled(jobId, () => jobs.find((each) => each.jobId === jobId)),
  };
  const wait = ((later: () => void) => timers.push(later)) as unknown as typeof setTimeout;
  const feed = createJobFeed(reads, wait);
  return {
    feed,
    requested,
    timers,
    set: (next: Job[]) => {
      jobs = next;
    },
    fail: (does: boolean) => {
      fails = does;
    },
    /** Ends every read until the given work is done. */
    finish: async (doing: Promise<void>) => {
      let isDone = false;
      const done = doing.then(() => {
        isDone = true;
      });
      while (!isDone) {
        for (const each of pendingReads.splice(0)) each();
        await Promise.race([done, new Promise(setImmediate)]);
      }
    },
    shown: () => (feed.state.value.data?.jobs ?? []).map(({ jobId, positions }) => `${jobId}${positions}`),
    marked: () => [...(feed.state.value.data?.changed ?? [])],
  };
}

describe("the feed of jobs", () => {
  it("reads a job that a message names and marks it for a moment", async () => {
    const test = controlledFeed();
    await test.finish(test.feed.reload());
    test.set([job("a"), job("b", 2), job("c")]);
    const first = test.feed.handle(changed("b"));
    await test.finish(Promise.all([first, test.feed.handle(changed("c"))]).then(() => undefined));
    expect(test.shown()).toEqual(["a1", "b2", "c1"]);
    expect(test.marked()).toEqual(["b", "c"]);
    for (const over of test.timers.splice(0)) over();
    expect(test.marked()).toEqual([]);
  });

  it("keeps the order of the list, and leaves a job after the last page that was read to its own page", async () => {
    const test = controlledFeed(2);
    test.set([job("b"), job("d"), job("f"), job("g"), job("h")]);
    await test.finish(test.feed.reload());
    expect(test.shown()).toEqual(["b1", "d1"]);
    expect(test.feed.state.value.data?.hasMore).toBe(true);
    test.set([job("a"), job("b"), job("d"), job("e"), job("f"), job("g"), job("h")]);
    await test.finish(test.feed.handle(changed("e")));
    await test.finish(test.feed.handle(changed("a")));
    expect(test.shown()).toEqual(["a1", "b1", "d1"]);
    await test.finish(test.feed.showMore());
    expect(test.shown()).toEqual(["a1", "b1", "d1", "e1", "f1"]);
    await test.finish(test.feed.showMore());
    expect(test.shown()).toEqual(["a1", "b1", "d1", "e1", "f1", "g1", "h1"]);
    expect(test.feed.state.value.data?.hasMore).toBe(false);
    test.requested.length = 0;
    await test.finish(test.feed.handle({ type: "gap", data: {} }));
    expect(test.requested).toEqual(["first", "after b", "after e"]);
    expect(test.shown()).toHaveLength(6);
  });

  it("handles a message that arrives during a read after that read", async () => {
    const test = controlledFeed();
    const reading = test.feed.reload();
    await test.feed.handle(changed("b"));
    await test.feed.handle(changed("b"));
    expect(test.requested).toEqual(["first"]);
    await test.finish(reading);
    expect(test.requested).toEqual(["first", "b"]);
  });

  it("reads every job after a gap and when many have changed", async () => {
    const test = controlledFeed();
    const reading = test.feed.reload();
    for (let nth = 0; nth < 21; nth += 1) await test.feed.handle(changed(`job ${nth}`));
    await test.finish(reading);
    await test.finish(test.feed.handle({ type: "gap", data: {} }));
    expect(test.requested).toEqual(["first", "first", "first"]);
  });

  it("keeps its jobs when a read fails and retries", async () => {
    const test = controlledFeed();
    await test.finish(test.feed.reload());
    test.fail(true);
    await test.finish(test.feed.handle(changed("a")));
    expect(test.shown()).toEqual(["a1", "b1"]);
    expect(test.feed.state.value.error).toBeDefined();
    test.fail(false);
    expect(test.timers).toHaveLength(1);
    await test.finish(Promise.resolve(test.timers[0]?.()).then(() => test.feed.reload()));
    expect(test.feed.state.value.error).toBeUndefined();
  });

  it("changes nothing once it is stopped", async () => {
    const test = controlledFeed();
    const reading = test.feed.reload();
    test.feed.stop();
    await test.finish(reading);
    expect(test.feed.state.value).toEqual({});
  });
});
