import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALL_LIMITS } from "../../src/clients/provider/call-policy.ts";
import { CallRefused } from "../../src/clients/provider/http-error.ts";
import { createRate, type RateLimits } from "../../src/clients/provider/rate.ts";
import { splitList } from "../../src/clients/provider/registry-page.ts";

const NEVER = new AbortController().signal;

/** A clock that advances only by waiting. */
function clock() {
  let now = 1_000_000;
  return {
    now: () => now,
    wait: async (ms: number) => {
      now += ms;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

/** Returns when each of `count` consecutive calls may start. */
async function startsOf(limits: Partial<RateLimits>, count: number): Promise<number[]> {
  const time = clock();
  const all = { ...CALL_LIMITS, waitMs: 60_000, ...limits };
  const rate = createRate(all, time);
  const starts: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await rate.turn(NEVER);
    starts.push(time.now());
  }
  return starts;
}

const mostWithin = (starts: number[], ms: number) =>
  Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + ms).length));

describe("the rate of calls to a provider", () => {
  it("is at most 10 in any second and 500 in any minute", async () => {
    const starts = await startsOf({}, 1_500);
    expect(mostWithin(starts, 1_000)).toBe(10);
    expect(mostWithin(starts, 60_000)).toBeLessThanOrEqual(500);
    expect(mostWithin(starts, 60_000)).toBeGreaterThan(400);
  });

  it("starts a few calls at once, and then one at a time", async () => {
    const starts = await startsOf({}, 200);
    expect(new Set(starts.slice(0, 10)).size).toBe(1);
    const gaps = starts.slice(1).map((start, n) => start - (starts[n] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
  });

  it("leaves a fifth of the starts to interactive calls, which never wait for more than one other", async () => {
    const time = clock();
    const rate = createRate({ perSecond: 10, perMinute: 500, waitMs: 60_000 }, time);
    for (let n = 0; n < 100; n += 1) await rate.turn(NEVER, false);
    const left = time.now();
    for (let n = 0; n < 2; n += 1) await rate.turn(NEVER, true);
    expect(time.now()).toBe(left);
    const queue = Array.from({ length: 20 }, () => rate.turn(NEVER, false));
    const before = time.now();
    await rate.turn(NEVER, true);
    expect(time.now() - before).toBeLessThan(300);
    await Promise.all(queue);
  });

  it("is unlimited with 0 a minute", async () => {
    expect(new Set(await startsOf({ perMinute: 0 }, 1_000)).size).toBe(1);
  });

  it("refuses a call that would wait too long, with the time of the retry, and does not count it", async () => {
    const time = clock();
    const rate = createRate({ perSecond: 1, perMinute: 60, waitMs: 0 }, time);
    await rate.turn(NEVER);
    for (const _ of "12") {
      const refusal = await rate.turn(NEVER).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(CallRefused);
      expect(refusal).toMatchObject({ retryAfterMs: 1_000 });
    }
    time.pass(1_000);
    await rate.turn(NEVER);
  });

  it("pauses when the provider requests it", async () => {
    const time = clock();
    const rate = createRate({ perSecond: 10, perMinute: 500, waitMs: 5_000 }, time);
    rate.pause(30_000);
    await expect(rate.turn(NEVER)).rejects.toMatchObject({ retryAfterMs: 30_000 });
    time.pass(30_000);
    await rate.turn(NEVER);
  });

  it.each([
    [1, 10, 20],
    [2, 10, 10],
    [4, 5, 5],
    [20, 1, 1],
  ])(
    "is divided among %i processes: %i calls at once, and %i of a minute",
    async (processes, most, burst) => {
      const time = clock();
      const limits = { perSecond: 10, perMinute: 500, waitMs: 0 };
      const rate = createRate(limits, time, { processes: () => processes, since: () => 0 });
      const starts: number[] = [];
      while (time.now() < 1_120_000) {
        await rate.turn(NEVER).then(
          () => starts.push(time.now()),
          () => time.pass(10),
        );
      }
      expect(starts.filter((start) => start === 1_000_000)).toHaveLength(most);
      expect(mostWithin(starts, 60_000)).toBeLessThanOrEqual(500 / processes);
      expect(mostWithin(starts, 60_000)).toBeGreaterThan((500 / processes) * 0.9);
      expect(mostWithin(starts, (burst * processes * 1_000) / 10)).toBeLessThanOrEqual(burst);
    },
  );

  it("is one call in two minutes where four processes share two calls a minute", async () => {
    const time = clock();
    const sharing = { processes: () => 4, since: () => 0 };
    const rate = createRate({ perSecond: 1, perMinute: 2, waitMs: 0 }, time, sharing);
    await rate.turn(NEVER);
    await expect(rate.turn(NEVER)).rejects.toMatchObject({ retryAfterMs: 120_000 });
    time.pass(120_000);
    await rate.turn(NEVER);
  });

  it("gives a waiting call another start once there are more processes", async () => {
    const time = clock();
    let processes = 1;
    const rate = createRate({ perSecond: 1, perMinute: 60, waitMs: 60_000 }, time, {
      processes: () => processes,
      since: () => 0,
    });
    for (const _ of "12") await rate.turn(NEVER);
    const begun = time.now();
    const turn = rate.turn(NEVER);
    processes = 4;
    await turn;
    expect(time.now() - begun).toBeGreaterThan(2_000);
  });

  it("is nothing for a process that the others may have forgotten, and begins with nothing once it is counted", async () => {
    const time = clock();
    let since = Number.POSITIVE_INFINITY;
    const rate = createRate({ perSecond: 10, perMinute: 500, waitMs: 0 }, time, {
      processes: () => 1,
      since: () => since,
    });
    await expect(rate.turn(NEVER)).rejects.toMatchObject({ name: "CallRefused", retryAfterMs: 5_000 });
    since = time.now() + 1_000;
    await expect(rate.turn(NEVER)).rejects.toMatchObject({ retryAfterMs: 1_125 });
    time.pass(1_125);
    await rate.turn(NEVER);
    await expect(rate.turn(NEVER)).rejects.toMatchObject({ name: "CallRefused" });
  });
});

/** Names and texts that a splitter could take for structure. */
const text = fc.oneof(fc.constantFrom("list", '"', "\\", '\\"', "[", "]", "{,}", "list\\", ""), fc.string());
/** V8's JSON.parse in Node 24 confuses names that differ in one escaped character. */
const name = fc.oneof(fc.constantFrom("list", "[", "]", "{,}", ""), fc.stringMatching(/^[a-z,:]*$/));
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.constant(null), tie("array"), tie("object")),
  array: fc.array(tie("any"), { maxLength: 4 }),
  object: fc.dictionary(name, tie("any"), { maxKeys: 4 }),
}));
const objectWith = (list: unknown[], rest: object, isFirst: boolean) =>
  Object.fromEntries([...(isFirst ? [["list", list]] : []), ...Object.entries(rest), ["list", list]]);
const without = (rest: unknown) =>
  Object.fromEntries(Object.entries(rest ?? {}).filter(([name]) => name !== "list"));

describe("an object that is split at the entries of its list", () => {
  it.each([undefined, 2])("is the same object when its parts are parsed (indented by %s)", (indent) => {
    const list = fc.array(value.any, { maxLength: 6 });
    fc.assert(
      fc.property(list, value.object, fc.boolean(), (entries, rest, isFirst) => {
        const object = objectWith(entries, without(rest), isFirst);
        const split = splitList(JSON.stringify(object, null, indent), "list", 100);
        expect(JSON.parse(split.frame)).toEqual({ ...object, list: [] });
        expect([...split.entries].map((entry) => JSON.parse(entry))).toEqual(entries);
        expect(split.count).toBe(entries.length);
      }),
    );
  });

  it("is found by a name with escapes, and the last of two members counts", () => {
    const split = splitList('{"list":[1,2],"l\\u0069st":[ 3 ],"other":["list",[4]]}', "list", 100);
    expect([split.frame, ...split.entries]).toEqual([
      '{"list":[],"l\\u0069st":[],"other":["list",[4]]}',
      " 3 ",
    ]);
  });

  it("is split no further after the given number of entries", () => {
    expect(splitList(`{"list":[${"1,".repeat(50)}1]}`, "list", 10).count).toBe(11);
  });
});
