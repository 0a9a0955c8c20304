import { describe, expect, it, onTestFinished } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { type Asked, entryOf, startRegistry } from "../../harness/responders.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const { length } = [...published.personnummer, ...published.coordinationNumbers];
/** There are fewer test numbers: each further entry with one of them is counted as invalid. */
const people = Array.from({ length: 50_000 }, (_, nth) => entryOf(nth % length, { id: `candidate-${nth}` }));

describe.each(featureEngines)("a registry of 50,000 people, on %s", (engine) => {
  const harness = useHarness(engine);

  async function provider(reply: (asked: Asked) => unknown) {
    const { operations, onboard } = harness();
    const registry = await startRegistry(reply);
    onTestFinished(registry.close);
    const { params, providerId } = await onboard({ connect: false, activate: false });
    const body = { baseUrl: registry.url, routing: "path", providerToken: "provider-token" } as const;
    ok(await operations.changeIntegration({ params: { path: { providerId } }, body }));
    const status = async () => ok(await operations.getRegistryImport({ params }));
    return { run: () => operations.importRegistry({ params }), status, asked: registry.asked };
  }

  it("is refused in one response, after one call and with the remedy", async () => {
    const { run, asked } = await provider(() => ({ candidates: people }));
    const detail = expect.stringMatching(/longer than 10 MB.* in pages/);
    expect((await run()).error).toMatchObject({ status: 409, code: "registry_too_long", detail });
    expect(asked).toHaveLength(1);
  });

  it("is refused once its pages have more than 100,000 entries, with the remedy, and keeps what came before", async () => {
    const page = Array.from({ length: 60_000 }, () => "no entry");
    const { run, status, asked } = await provider(({ cursor }) => ({
      candidates: page,
      nextCursor: `${Number(cursor) + 1}`,
    }));
    const detail = expect.stringMatching(/more than 100000 entries: ask .* to list only /);
    const failure = { code: "registry_too_long", detail };
    expect((await run()).error).toMatchObject({ status: 409, ...failure });
    expect(await status()).toMatchObject({ state: "failed", entries: page.length, failure });
    expect(asked).toHaveLength(2);
  });

  it("is imported in pages with its progress on the stream, and adds no person twice after it broke off", async () => {
    let failsAt: number | undefined = 25_000;
    const { run } = await provider(({ limit, cursor }) => {
      const [from, to] = [Number(cursor), Number(cursor) + Number(limit)];
      if (from === failsAt) return 500;
      return { candidates: people.slice(from, to), nextCursor: to < people.length ? `${to}` : null };
    });
    const leaving = new AbortController();
    const { data: messages } = await harness().operations.readStream({ signal: leaving.signal });
    const seen = (async () => {
      const parts = [];
      for await (const { event, data } of messages ?? []) {
        if (event !== "import") continue;
        parts.push(data);
        if (data.entries === people.length) break;
      }
      return parts;
    })();
    expect((await run()).error).toMatchObject({
      code: "provider_unavailable",
      detail: expect.stringMatching(/^Page 126 .* running the import again is safe\.$/),
    });
    failsAt = undefined;
    const { faults, ...counts } = ok(await run());
    const invalid = people.length - length;
    expect(counts).toEqual({ imported: 0, unreleased: length, updated: 0, skipped: length, invalid });
    expect(faults).toHaveLength(100);
    const parts = (await seen).map(({ entries }) => entries);
    leaving.abort();
    const steps = (to: number) => Array.from({ length: to / 200 }, (_, nth) => 200 * (nth + 1));
    expect(parts).toEqual([...steps(25_000), ...steps(50_000)]);
  });
});
