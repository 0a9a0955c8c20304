import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { featureEngines } from "../engines.ts";
import { useHarness } from "../harness/platform.ts";
import { commands } from "./model-commands.ts";
import { begin } from "./model-real.ts";

/** `MODEL_SEED=... npx vitest run test/flows/model.test.ts` does the same again; MODEL_RUNS for longer. */
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.MODEL_RUNS ?? 5);
const COMMANDS = 40;

describe.each(featureEngines)("the platform and the model of it, on %s", (engine) => {
  // What is to be read again is read at once, so that it belongs to the command that caused it.
  const timing = { recheckMs: [0, 0, 0, 0], absenceRetriesMs: [0, 0, 0] };
  const harness = useHarness(engine, { timing, retries: { tries: 40 } });

  it(`agree after every command (MODEL_SEED=${SEED})`, { timeout: 180_000 + RUNS * 5_000 }, async () => {
    let firstDay = 2;
    const property = fc.asyncProperty(commands(COMMANDS), async (todo) => {
      // Of its own: the shifts that other runs have deleted would be a loss of data.
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
