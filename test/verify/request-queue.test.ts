import { describe, expect, it, vi } from "vitest";
import { createQueue } from "../../src/verify/request-queue.ts";

/** Ends of the waits. */
const waits: (() => void)[] = [];
const wait = () => new Promise<void>((resolve) => waits.push(resolve));

const turn = () => new Promise(setImmediate);

/** Returns requests that end on demand. `begun` lists their names in the order of their start. */
function requests() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const request = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, request, end };
}

describe("concurrent requests", () => {
  it("are limited, and the most urgent one goes first", async () => {
    const queue = createQueue(2, { wait });
    const { begun, request, end } = requests();
    for (const [name, urgency] of [
      ["a", 0],
      ["b", 0],
      ["c", 0],
      ["d", 2],
      ["e", 1],
    ] as const) {
      void queue.run(urgency, request(name));
    }
    await turn();
    expect(begun).toEqual(["a", "b"]);
    await end("a");
    await end("b");
    expect(begun).toEqual(["a", "b", "d", "e"]);
    await end("d");
    expect(begun.at(-1)).toBe("c");
  });

  it("reserve a quarter of the slots for urgent ones", async () => {
    const queue = createQueue(8, { wait });
    const { begun, request } = requests();
    for (let index = 0; index < 8; index += 1) void queue.run(0, request(`idle ${index}`));
    await turn();
    expect(begun).toHaveLength(6);
    void queue.run(1, request("urgent"));
    await turn();
    expect(begun.at(-1)).toBe("urgent");
  });

  it("are half as many after a pause, and none during it", async () => {
    const queue = createQueue(8, { wait });
    const { begun, request, end } = requests();
    const pauses = [queue.slowDown(1_000), queue.slowDown(1_000)];
    void queue.run(1, request("later"));
    expect([begun, queue.most, queue.isPaused]).toEqual([[], 4, true]);
    for (const over of waits.splice(0)) over();
    await Promise.all(pauses);
    await turn();
    expect([begun, queue.isPaused]).toEqual([["later"], false]);
    await end("later");
  });

  it("free their slot after a failure, and are idle after the last one", async () => {
    const queue = createQueue(1, { wait });
    const failed = queue.run(0, () => Promise.reject(new Error("refused")));
    const { request, end } = requests();
    const other = queue.run(0, request("other"));
    await expect(failed).rejects.toThrow("refused");
    let isIdle = false;
    const idle = queue.idle().then(() => {
      isIdle = true;
    });
    expect(isIdle).toBe(false);
    await end("other");
    await Promise.all([other, idle]);
    expect(isIdle).toBe(true);
  });

  it("are no faster after a 429 than what was served before it, and then faster up to where a 429 came", async () => {
    const asked: number[] = [];
    const pace = { wait: async (ms: number) => void asked.push(ms) };
    const queue = createQueue(8, pace);
    for (let nth = 0; nth < 5; nth += 1) await queue.run(0, async () => nth);
    await queue.run(
      0,
      async () => 429,
      () => false,
    );
    await queue.slowDown(1_000);
    for (let nth = 0; nth < 30; nth += 1) await queue.run(0, async () => 200);
    // Five were served within the second.
    expect(asked.slice(0, 2)).toEqual([1_000, 221]);
    expect(asked.at(-1)).toBeLessThan(20);
    const before = asked.at(-1) ?? 0;
    await queue.slowDown(1_000);
    for (let nth = 0; nth < 60; nth += 1) await queue.run(0, async () => 200);
    expect(asked.at(-1)).toBeGreaterThan(before * 0.95);
  });

  it("are one at first, and more while the provider takes no longer for each", async () => {
    const queue = createQueue(8, { wait, timeoutMs: 10_000 });
    const { begun, request, end } = requests();
    for (let nth = 0; nth < 9; nth += 1) void queue.run(1, request(String(nth)));
    await turn();
    expect(begun).toHaveLength(1);
    await end("0");
    expect(begun).toHaveLength(3);
    await end("1");
    await end("2");
    expect(begun).toHaveLength(7);
  });

  it("are more than eight only while each takes as long as one alone, as at a provider that is far away", async () => {
    const mostAtOnce = async (slowFrom: number) => {
      let [now, atOnce, most] = [0, 0, 0];
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
      const queue = createQueue(16, { wait, timeoutMs: 10_000 });
      const ends: (() => void)[] = [];
      const request = () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        return new Promise<void>((end) => ends.push(end));
      };
      for (let nth = 0; nth < 100; nth += 1) void queue.run(1, request);
      for (let round = 0; round < 12; round += 1) {
        await turn();
        now += atOnce > slowFrom ? 500 : 200;
        atOnce = 0;
        for (const end of ends.splice(0)) end();
      }
      await turn();
      clock.mockRestore();
      return most;
    };
    expect([await mostAtOnce(100), await mostAtOnce(4)]).toEqual([16, 8]);
  });
});
