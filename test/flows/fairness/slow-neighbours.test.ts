import { describe, expect, it, onTestFinished } from "vitest";
import { engines } from "../../harness/engines.ts";
import { type Organisation, startIndependent } from "../convergence/organisation.ts";

const NEIGHBOURS = 4;
const ACCEPTS = 12;
const HEALTHY_ACCEPTS = 3;
/** Longer than the test takes. `npm run bench` measures how long an accept takes beside slow providers. */
const SLOW_MS = 120_000;
const PATIENCE_MS = 2 * SLOW_MS;

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

interface At {
  organisation: Organisation;
}
const isOpen = ({ status }: { status: number }) => status === 0;
const isCalled = ({ organisation: { provider } }: At) => provider.calls.some(isOpen);
const responsesOf = ({ organisation: { provider } }: At) =>
  provider.calls.filter((call) => !isOpen(call)).length;

describe.each(engines)("four providers that take two minutes for each response, on %s", (engine) => {
  it("do not delay an accept at a healthy provider", async () => {
    const platform = await startIndependent(engine, { providerTimeoutMs: PATIENCE_MS });
    // Does not await the slow responses.
    onTestFinished(platform.close);
    const healthy = await prepare(await platform.onboard(), HEALTHY_ACCEPTS);
    const slow = await Promise.all(
      Array.from({ length: NEIGHBOURS }, async () => prepare(await platform.onboard(), ACCEPTS)),
    );
    void Promise.allSettled(slow.flatMap(acceptSlowly));
    await expect.poll(() => slow.every(isCalled)).toBe(true);
    const before = slow.map(responsesOf);
    const { book } = healthy.organisation;
    for (const { job, person } of healthy.prepared) await book(job, person);
    expect(slow.map(responsesOf)).toEqual(before);
  });
});
