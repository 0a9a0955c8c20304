import { describe, expect, it, onTestFinished } from "vitest";
import { copyDatabase } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type Harness, type HarnessOptions, startHarness } from "../../harness/platform.ts";

const PER_MINUTE = 1_200;
const PER_SECOND = 24;
const WEBHOOKS = 120;
/** The tolerance for single calls on a busy machine. */
const LATE = 3;

/** Starts several platforms on one database. */
async function startPlatforms(count: number): Promise<[Harness, ...Harness[]]> {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const start = async (options: HarnessOptions = {}) => {
    const calls = { perMinute: PER_MINUTE, perSecond: PER_SECOND };
    const harness = await startHarness(where, { calls, ...options });
    onTestFinished(harness.close);
    return harness;
  };
  const record = `insert into shiftpact.processes (process_id, seen_at) values (gen_random_uuid(), now() + interval '1 hour')`;
  // Processes detect each other within seconds: a row from the beginning avoids that wait.
  const first = await start(count > 1 ? { seed: (database) => database.raw.executeSql(record) } : {});
  const others: Harness[] = [];
  while (others.length + 1 < count) others.push(await start());
  return [first, ...others];
}

const mostWithin = (starts: readonly number[], ms: number) =>
  Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + ms).length));

describe.each([1, 2, 4])("%i processes on one PostgreSQL", (count) => {
  it("call a provider no more often than its limit allows", async () => {
    const platforms = await startPlatforms(count);
    const starts: number[] = [];
    const {
      provider,
      platformToken: token,
      jobs,
    } = await platforms[0].onboard({
      onTheWay: (_call, pass) => {
        starts.push(performance.now());
        return pass();
      },
    });
    starts.length = 0;
    for (let nth = 0; nth < WEBHOOKS; nth += 1) {
      provider.connectPlatform({ url: platforms[nth % count]?.platform.url ?? "", token });
      await provider.delivered(provider.createShift().traceId);
    }
    await expect.poll(async () => (await jobs()).length).toBe(WEBHOOKS);
    // Each of several processes may start its part of the burst at once.
    const inSecond = count === 1 ? PER_SECOND : PER_MINUTE / 25;
    expect(mostWithin(starts, 1_000)).toBeLessThanOrEqual(inSecond + LATE);
    // After the burst. `shared-limit.test.ts` has the limit of a minute.
    const [first = 0, last = 0] = [starts[PER_MINUTE / 25], starts.at(-1)];
    const perSecond = ((starts.length - PER_MINUTE / 25) * 1_000) / (last - first);
    expect(perSecond).toBeLessThanOrEqual((PER_MINUTE / 60) * 1.1);
  });
});

describe("the silence that a provider has asked a process for", () => {
  it("is kept by the other processes, too", async () => {
    const platforms = await startPlatforms(2);
    const { provider, params, calls } = await platforms[0].onboard({ connect: false });
    const [asked, other] = platforms.map(({ operations }) => operations);
    if (!asked || !other) throw new Error("two processes have started");
    ok(await other.discoverIntegration({ params }));
    provider.setFault("rate-limited", { retryAfter: "60" });
    expect((await asked.discoverIntegration({ params })).error).toMatchObject({
      code: "provider_unavailable",
    });
    provider.clearFaults();
    // What a process has to write is written then.
    await platforms[0].platform.close();
    const made = calls.length;
    expect((await other.discoverIntegration({ params })).error).toMatchObject({
      code: "provider_unavailable",
    });
    expect(calls).toHaveLength(made);
  });
});
