import { describe, expect, it } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import { createJobFeed, type JobReads } from "../../src/console/board/job-feed.ts";
import type { StreamMessage } from "../../src/console/data/live.ts";

const job = (jobId: string, positions = 1) => ({ jobId, positions }) as Job;
const changed = (jobId: string): StreamMessage => ({
  type: "job",
  data: { jobId, providerId: "p", shiftId: "s", status: "open" },
});

/** A feed whose reads and timers end when the test says so. */
function stageFeed() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let jobs = [job("a"), job("b")];
  let fails = false;
  const answered = async <T>(name: string, read: () => T): Promise<T> => {
    asked.push(name);
    await new Promise<void>((resolve) => answers.push(resolve));
    if (fails) throw new Error("no answer");
    return read();
  };
  const reads: JobReads = {
    all: () => answered("all", () => ({ jobs, isCut: false })),
    one: (jobId) => answered(jobId, () => jobs.find((each) => each.jobId === jobId)),
  };
  const wait = ((later: () => void) => timers.push(later)) as unknown as typeof setTimeout;
  const feed = createJobFeed(reads, wait);
  return {
    ...{ feed, asked, timers },
    set: (next: Job[]) => {
      jobs = next;
    },
    fail: (does: boolean) => {
      fails = does;
    },
    /** Answers every read until the given work is done. */
    answer: async (doing: Promise<void>) => {
      let isDone = false;
      const done = doing.then(() => {
        isDone = true;
      });
      while (!isDone) {
        for (const each of answers.splice(0)) each();
        await Promise.race([done, new Promise(setImmediate)]);
      }
    },
    shown: () =>
      [...(feed.state.value.data?.jobs.values() ?? [])].map(({ jobId, positions }) => `${jobId}${positions}`),
    marked: () => [...(feed.state.value.data?.changed ?? [])],
  };
}

describe("the feed of jobs", () => {
  it("reads a job that a message names, and marks it for a moment", async () => {
    const stage = stageFeed();
    await stage.answer(stage.feed.reload());
    stage.set([job("a"), job("b", 2), job("c")]);
    const first = stage.feed.handle(changed("b"));
    await stage.answer(Promise.all([first, stage.feed.handle(changed("c"))]).then(() => undefined));
    expect(stage.shown()).toEqual(["a1", "b2", "c1"]);
    expect(stage.marked()).toEqual(["b", "c"]);
    for (const over of stage.timers.splice(0)) over();
    expect(stage.marked()).toEqual([]);
  });

  it("handles a message during a read after it, so that no older response wins", async () => {
    const stage = stageFeed();
    const reading = stage.feed.reload();
    await stage.feed.handle(changed("b"));
    await stage.feed.handle(changed("b"));
    expect(stage.asked).toEqual(["all"]);
    await stage.answer(reading);
    expect(stage.asked).toEqual(["all", "b"]);
  });

  it("reads every job after a gap, and when many have changed", async () => {
    const stage = stageFeed();
    const reading = stage.feed.reload();
    for (let nth = 0; nth < 21; nth += 1) await stage.feed.handle(changed(`job ${nth}`));
    await stage.answer(reading);
    await stage.answer(stage.feed.handle({ type: "gap", data: {} }));
    expect(stage.asked).toEqual(["all", "all", "all"]);
  });

  it("keeps its jobs when a read fails, and retries", async () => {
    const stage = stageFeed();
    await stage.answer(stage.feed.reload());
    stage.fail(true);
    await stage.answer(stage.feed.handle(changed("a")));
    expect(stage.shown()).toEqual(["a1", "b1"]);
    expect(stage.feed.state.value.trouble).toBeDefined();
    stage.fail(false);
    expect(stage.timers).toHaveLength(1);
    await stage.answer(Promise.resolve(stage.timers[0]?.()).then(() => stage.feed.reload()));
    expect(stage.feed.state.value.trouble).toBeUndefined();
  });

  it("leaves everything alone once it is stopped", async () => {
    const stage = stageFeed();
    const reading = stage.feed.reload();
    stage.feed.stop();
    await stage.answer(reading);
    expect(stage.feed.state.value).toEqual({});
  });
});
