import { describe, expect, it, onTestFinished } from "vitest";
import { copyDatabase } from "../../harness/engines.ts";
import { type Harness, type HarnessOptions, startHarness } from "../../harness/platform.ts";
import { onboard } from "../convergence/organisation.ts";
import { startProvider } from "../convergence/provider.ts";

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
    const provider = await startProvider();
    onTestFinished(provider.close);
    const { jobs } = await onboard(platforms[0], provider);
    const begun = provider.calls.length;
    for (let nth = 0; nth < WEBHOOKS; nth += 1) {
      provider.connect({ url: platforms[nth % count]?.platform.url ?? "" });
      await provider.announce("shift.create", provider.createShift().id);
    }
    await expect.poll(async () => (await jobs()).length).toBe(WEBHOOKS);
    const starts = provider.calls.slice(begun).map(({ at }) => at);
    expect(mostWithin(starts, 1_000)).toBeLessThanOrEqual(PER_SECOND + LATE);
    // After the burst. `shared-starts.test.ts` has that the processes use the whole limit together.
    const [first = 0, last = 0] = [starts[PER_MINUTE / 25], starts.at(-1)];
    const perSecond = ((starts.length - PER_MINUTE / 25) * 1_000) / (last - first);
    expect(perSecond).toBeLessThanOrEqual((PER_MINUTE / 60) * 1.1);
  });
});
