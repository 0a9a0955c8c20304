import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { featureEngines } from "../engines.ts";
import { useHarness } from "../harness/platform.ts";
import { commands } from "./model-commands.ts";
import { begin } from "./model-real.ts";

/** `MODEL_SEED=... npx vitest run test/flows/model.test.ts` repeats a run; MODEL_RUNS sets their number. */
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.MODEL_RUNS ?? 5);
const COMMANDS = 40;

describe.each(featureEngines)("the platform and its model, on %s", (engine) => {
  // Repeated reads follow immediately, so they belong to the command that caused them.
  const timing = { recheckMs: [0, 0, 0, 0], absenceRetriesMs: [0, 0, 0] };
  const harness = useHarness(engine, { timing, retries: { tries: 40 } });

  it(`agree after every command (MODEL_SEED=${SEED})`, { timeout: 180_000 + RUNS * 5_000 }, async () => {
    let firstDay = 2;
    const property = fc.asyncProperty(commands(COMMANDS), async (todo) => {
      // A new organisation for each run: deleted shifts of other runs would count as a loss of data.
      const organisation = await harness().onboard({ connect: false });
      const people = await Promise.all(Array.from({ length: 4 }, () => organisation.addPerson()));
      const place = { organisation, operations: harness().operations, people, firstDay };
      firstDay += 2;
      await fc.asyncModelRun(() => begin(place), todo);
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 55_000 + RUNS * 5_000 });
    expect(firstDay).toBeGreaterThan(2);
  });
});
