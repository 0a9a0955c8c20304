import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noteCircuit } from "../../../src/platform/integrations/outages.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const MINUTE_MS = 60_000;

describe.each(featureEngines)("an outage of a provider, on %s", (engine) => {
  const database = useEngine(engine);
  let now = new Date();
  let shop: Workshop;
  beforeEach(async () => {
    now = new Date();
    shop = await openWorkshop(database(), { now: () => now });
  });
  afterEach(() => shop.close());

  const note = (state: "open" | "closed", processes: number) =>
    noteCircuit(shop.deps, shop.provider.providerId, state, processes);
  const pass = (minutes: number) => {
    now = new Date(now.getTime() + minutes * MINUTE_MS);
  };
  const issues = async () => (await shop.operations.listIssues()).data?.items.map(({ code }) => code);

  it("is over with the first answer, when there is no other process", async () => {
    await note("open", 1);
    expect(await issues()).toEqual(["provider_down"]);
    await note("closed", 1);
    expect(await issues()).toEqual([]);
  });

  it("is not over with an answer to another process, for as long as one finds it again", async () => {
    await note("open", 2);
    await note("closed", 2);
    pass(1.5);
    await note("open", 2);
    pass(1.5);
    await note("closed", 2);
    expect(await issues()).toEqual(["provider_down"]);
    pass(1);
    await note("closed", 2);
    expect(await issues()).toEqual([]);
  });
});
