import { describe, expect, it, onTestFinished } from "vitest";
import { engines } from "../../harness/engines.ts";
import { type Flow, onboardFlow, startFlows } from "../flow.ts";

const NEIGHBOURS = 4;
const ACCEPTS = 12;
const HEALTHY_ACCEPTS = 3;
/** Longer than the test takes. `npm run bench` measures how long an accept takes beside slow providers. */
const PATIENCE_MS = 240_000;

/** Creates as many jobs as accepts, each with a candidate. */
async function prepare(organisation: Flow, count: number) {
  const { openAll, addPerson } = organisation;
  const jobs = await openAll(count);
  const prepared = await Promise.all(jobs.map(async (job) => ({ job, person: await addPerson() })));
  return { organisation, prepared };
}

describe.each(engines)("four providers that answer no call, on %s", (engine) => {
  it("do not delay an accept at a healthy provider", async () => {
    const platform = await startFlows(engine, { providerTimeoutMs: PATIENCE_MS });
    onTestFinished(platform.close);
    const answers = Promise.withResolvers<void>();
    onTestFinished(() => answers.resolve());
    const called = new Set<number>();
    let areSlow = false;
    const healthy = await prepare(await onboardFlow(platform), HEALTHY_ACCEPTS);
    const neighbour = (nth: number) =>
      onboardFlow(platform, {
        onTheWay: async (_call, pass) => {
          if (areSlow) {
            called.add(nth);
            await answers.promise;
          }
          await pass();
        },
      });
    const slow = await Promise.all(
      Array.from({ length: NEIGHBOURS }, async (_, nth) => prepare(await neighbour(nth), ACCEPTS)),
    );
    areSlow = true;
    void Promise.allSettled(
      slow.flatMap(({ organisation: { accept }, prepared }) =>
        prepared.map(({ job, person }) => accept(job, person)),
      ),
    );
    await expect.poll(() => called.size).toBe(NEIGHBOURS);
    const { book } = healthy.organisation;
    for (const { job, person } of healthy.prepared) await book(job, person);
  });
});
