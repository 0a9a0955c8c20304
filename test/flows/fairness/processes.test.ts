import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../generated/operations/client.ts";
import { startPlatform } from "../../../src/platform/main.ts";
import { copyDatabase, silent } from "../../engines.ts";
import { withDatabase } from "../../harness/platform.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { onboard } from "../convergence/organisation.ts";
import { startProvider } from "../convergence/provider.ts";

const PER_MINUTE = 1_200;
const PER_SECOND = 24;
const WEBHOOKS = 120;
/** A busy machine may be late for single calls. */
const LATE = 3;

/** As many on one database. */
async function startPlatforms(count: number) {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const record = `insert into shiftpact.processes (process_id, seen_at) values (gen_random_uuid(), now() + interval '1 hour')`;
  // Processes learn of each other within seconds: one that is there from the beginning spares the wait.
  if (count > 1) await withDatabase(where, ({ raw }) => raw.executeSql(record));
  const config = {
    ...{ databaseUrl: where.url, dataDir: "", port: 0, operationsToken: "operations-token-of-all" },
    ...{ secretKey: randomBytes(32), allowInsecureProviders: true, webhookRateLimit: 0, logLevel: "silent" },
  };
  const calls = { perMinute: PER_MINUTE, perSecond: PER_SECOND };
  const platforms = [];
  for (let nth = 0; nth < count; nth += 1) {
    const platform = await startPlatform(config, { log: silent, calls });
    onTestFinished(() => platform.close());
    platforms.push(platform);
  }
  return platforms;
}

const mostWithin = (starts: readonly number[], ms: number) =>
  Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + ms).length));

describe.each([1, 2, 4])("%i processes on one PostgreSQL", (count) => {
  it("call a provider as often as its limit allows, and no oftener", async () => {
    const platforms = await startPlatforms(count);
    const [platform] = platforms;
    if (!platform) throw new Error("there is no platform");
    const headers = { Authorization: "Bearer operations-token-of-all" };
    const operations = createClient({ baseUrl: `${platform.url}/operations/v1`, headers });
    const provider = await startProvider();
    onTestFinished(provider.close);
    const numbers = published.personnummer.values();
    const { jobs } = await onboard({ platform, operations }, provider, { numbers });
    const begun = provider.calls.length;
    for (let nth = 0; nth < WEBHOOKS; nth += 1) {
      const { url } = platforms[nth % count] ?? platform;
      provider.connect({ url });
      await provider.announce("shift.create", provider.createShift().id);
    }
    await expect.poll(async () => (await jobs()).length).toBe(WEBHOOKS);
    const starts = provider.calls.slice(begun).map(({ at }) => at);
    expect(mostWithin(starts, 1_000)).toBeLessThanOrEqual(PER_SECOND + LATE);
    // After the burst.
    const [first = 0, last = 0] = [starts[PER_MINUTE / 25], starts.at(-1)];
    const perSecond = ((starts.length - PER_MINUTE / 25) * 1_000) / (last - first);
    expect(perSecond).toBeLessThanOrEqual((PER_MINUTE / 60) * 1.1);
    expect(perSecond).toBeGreaterThan((PER_MINUTE / 60) * 0.6);
  });
});
