import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createThreads, type ThreadOptions } from "../../../src/platform/threads/threads.ts";

const file = new URL("./worker.ts", import.meta.url);
const SPENT = { name: "ProviderHttpError", failure: "processing_limit" };

function threadsOf(options: Partial<ThreadOptions> = {}) {
  const threads = createThreads({ file, ...options });
  onTestFinished(threads.close);
  const begun: string[] = [];
  const run = (
    does: string,
    { signal, on = () => undefined }: { signal?: AbortSignal; on?: () => void } = {},
  ) =>
    threads.run<string>(
      { does },
      {
        begun: async (what: string) => {
          begun.push(what);
          on();
          return {};
        },
        answers: async (what: string) => ({ value: `it ${what}` }),
      },
      signal,
    );
  return { threads, run, begun };
}

describe("a thread", () => {
  it("calls the process that started it, and returns a result", async () => {
    expect(await threadsOf().run("calls")).toBe("it calls");
  });

  it("is ended when it computes without a pause", async () => {
    await expect(threadsOf({ computesMs: 100 }).run("computes")).rejects.toMatchObject(SPENT);
  });

  it("is not busy while it waits for a call", async () => {
    const { threads, run } = threadsOf({ computesMs: 500 });
    const answer = Promise.withResolvers<{ value: string }>();
    const calls = { begun: async () => ({}), answers: () => answer.promise };
    const waiting = threads.run<string>({ does: "calls" }, calls);
    for (let nth = 0; nth < 2; nth += 1) await expect(run("computes")).rejects.toMatchObject(SPENT);
    answer.resolve({ value: "late" });
    expect(await waiting).toBe("late");
  });

  it("is ended at its deadline, also while it waits", async () => {
    await expect(threadsOf({ lastsMs: 100 }).run("waits")).rejects.toMatchObject(SPENT);
  });

  it("is ended when it uses too much memory", async () => {
    await expect(threadsOf({ memoryMb: 32 }).run("allocates")).rejects.toMatchObject(SPENT);
  });

  it("may compute for 30 seconds and use 1 GB, unless other limits are given", async () => {
    const watch = vi.spyOn(globalThis, "setInterval");
    onTestFinished(() => watch.mockRestore());
    expect(await threadsOf().run("measures")).toBe("it may use 1024 MB");
    expect(watch).toHaveBeenCalledWith(expect.any(Function), 30_000);
  });

  it.each([
    ["throws", "no token"],
    ["exits", "a thread ended with code 3"],
  ])("that %s rejects with the reason", async (does, message) => {
    await expect(threadsOf().run(does)).rejects.toMatchObject({ message });
  });

  it("is ended by a call that rejects, with its error", async () => {
    const error = new Error("the database is closed");
    const on = () => {
      throw error;
    };
    await expect(threadsOf().run("computes", { on })).rejects.toBe(error);
  });

  it("is ended at once by the signal, with its reason", async () => {
    const abort = new AbortController();
    const on = () => abort.abort(new Error("the claim is lost"));
    const { signal } = abort;
    await expect(threadsOf().run("computes", { signal, on })).rejects.toThrow("the claim is lost");
  });

  it("is ended when all are closed, and starts no more", async () => {
    const { threads, run } = threadsOf();
    await expect(run("computes", { on: threads.close })).rejects.toThrow("shutting down");
    await expect(run("calls")).rejects.toThrow("shutting down");
  });

  it("waits for its turn, which a signal ends too", async () => {
    const { run, begun } = threadsOf({ atOnce: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const started = Promise.withResolvers<void>();
    const running = run("waits", { signal: first.signal, on: started.resolve });
    await started.promise;
    const waiting = run("calls", { signal: second.signal });
    const last = run("calls");
    second.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    expect(begun).toEqual(["waits"]);
    first.abort(new Error("over"));
    await expect(running).rejects.toThrow("over");
    expect(await last).toBe("it calls");
  });
});
