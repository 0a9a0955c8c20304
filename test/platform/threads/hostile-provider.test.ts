import { describe, expect, it, onTestFinished } from "vitest";
import { createProviderCheck } from "../../../src/cli/check-provider.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, startHarness, useHarness } from "../../harness/platform.ts";

/** After a call to the provider, it computes without end. */
const ENDLESS = { file: new URL("./worker.ts", import.meta.url), computesMs: 2_000 };
const DRAFT = { connect: false, activate: false };
const SHIFT_ID = "6a1f6e2c-9d0f-4a50-8f3e-3a4d0a4d7f10";

const hasBegun = (of: Organisation) => expect.poll(() => of.callCount("GET", "/begun")).toBe(1);

describe.each(featureEngines)("while what one provider sent is judged without end, on %s", (engine) => {
  const harness = useHarness(engine, {
    checkProvider: createProviderCheck(ENDLESS),
    registryThreads: ENDLESS,
  });
  const pair = async () => [await harness().onboard(DRAFT), await harness().onboard(DRAFT)] as const;
  const issuesOf = async ({ providerId }: Organisation) => {
    const { items } = ok(await harness().operations.listIssues({ params: { query: { providerId } } }));
    return items.map(({ code, params }) => [code, params.failure]);
  };

  it("by a check, webhooks of another are acknowledged, and the check ends as an issue", async () => {
    const [hostile, other] = await pair();
    await hostile.activate();
    await hasBegun(hostile);
    expect(await other.trySend(SHIFT_ID)).toBe(200);
    await expect.poll(() => issuesOf(hostile)).toEqual([["provider_check_failed", "processing_limit"]]);
  });

  it("by an import of its registry, webhooks of another are acknowledged, and the import fails", async () => {
    const [hostile, other] = await pair();
    const importing = harness().operations.importRegistry({ params: hostile.params });
    await hasBegun(hostile);
    expect(await other.trySend(SHIFT_ID)).toBe(200);
    const detail = expect.stringContaining("responses took too much time or memory to process");
    expect((await importing).error).toMatchObject({ code: "provider_unavailable", detail });
  });
});

describe.each(featureEngines)("a platform on %s", (engine) => {
  const start = async (): Promise<Harness> => {
    const { file } = ENDLESS;
    const harness = await startHarness(engine, { checkProvider: createProviderCheck({ file }) });
    onTestFinished(harness.close);
    return harness;
  };

  it("stops while a check of a provider never ends", async () => {
    const harness = await start();
    const hostile = await harness.onboard(DRAFT);
    await hostile.activate();
    await hasBegun(hostile);
    await harness.platform.close();
  });
});
