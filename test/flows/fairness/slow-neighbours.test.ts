import { describe, expect, it, onTestFinished } from "vitest";
import { engines } from "../../harness/engines.ts";
import { type Organisation, startIndependent } from "../convergence/organisation.ts";

const NEIGHBOURS = 4;
const ACCEPTS = 12;
const SLOW_MS = 8_000;
const PATIENCE_MS = 2 * SLOW_MS;
/** Half of the time of a slow provider: waiting behind one takes longer. `npm run bench` measures the real time. */
const BOUND_MS = 4_000;
const MEASUREMENTS = 3;

/** Creates as many jobs as accepts, each with a candidate. */
async function prepare(organisation: Organisation, count: number) {
  const { openAll, addPerson } = organisation;
  const jobs = await openAll(count);
  const prepared = await Promise.all(jobs.map(async (job) => ({ job, person: await addPerson() })));
  return { organisation, prepared };
}

/** Slows every response, and accepts jobs without awaiting the results. */
function acceptSlowly({ organisation, prepared }: Awaited<ReturnType<typeof prepare>>): Promise<unknown>[] {
  organisation.provider.fault({ kind: "slow", ms: SLOW_MS });
  return prepared.map(({ job, person }) => organisation.accept(job, person));
}

const isCalled = ({ organisation: { provider } }: { organisation: Organisation }) =>
  provider.calls.some(({ status }) => status === 0);

describe.each(engines)("four providers that take eight seconds for each response, on %s", (engine) => {
  it("do not delay an accept at a healthy provider", async () => {
    const platform = await startIndependent(engine, { providerTimeoutMs: PATIENCE_MS });
    // Does not await the slow responses.
    onTestFinished(platform.close);
    const healthy = await prepare(await platform.onboard(), MEASUREMENTS);
    const slow = await Promise.all(
      Array.from({ length: NEIGHBOURS }, async () => prepare(await platform.onboard(), ACCEPTS)),
    );
    void Promise.allSettled(slow.flatMap(acceptSlowly));
    await expect.poll(() => slow.every(isCalled)).toBe(true);
    const { book } = healthy.organisation;
    const durations: number[] = [];
    for (const { job, person } of healthy.prepared) {
      const begun = performance.now();
      await book(job, person);
      durations.push(performance.now() - begun);
    }
    expect(slow.every(isCalled)).toBe(true);
    expect(Math.max(...durations)).toBeLessThan(BOUND_MS);
  });
});
