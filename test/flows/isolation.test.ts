import { describe, expect, it, onTestFinished } from "vitest";
import { PROVIDER_RETRIES } from "../../src/clients/retry-policy.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { featureEngines } from "../harness/engines.ts";
import type { Organisation } from "../harness/organisation.ts";
import { startHarness } from "../harness/platform.ts";

const SHIFTS = 5;

/** The fault of each other provider, and the number of its waiting events. */
const NEIGHBOURS: readonly { fault: FaultName; events: number }[] = [
  // More than the limit of simultaneous calls to one provider.
  { fault: "slow", events: 60 },
  { fault: "garbage", events: 20 },
  { fault: "rate-limited", events: 20 },
];

/** `npm run bench` measures the delay of a job beside the work of others. */
describe.each(featureEngines)("an integration beside others whose providers fail, on %s", (engine) => {
  it("gets its jobs while the others get none", async () => {
    // Attempts are as far apart as in production, so no work is given up meanwhile.
    const harness = await startHarness(engine, { retries: PROVIDER_RETRIES });
    onTestFinished(harness.close);
    const healthy = await harness.onboard();
    // Onboarding waits until the platform is idle, which it never is beside a provider that fails.
    const failing = await Promise.all(NEIGHBOURS.map(() => harness.onboard()));
    await Promise.all(NEIGHBOURS.map((neighbour, nth) => fail(failing[nth], neighbour)));
    for (let nth = 0; nth < SHIFTS; nth += 1) {
      const { shiftId } = healthy.provider.createShift();
      await expect.poll(() => healthy.findJob(shiftId)).toMatchObject({ status: "open" });
    }
    for (const { jobs } of failing) expect(await jobs()).toEqual([]);
  });
});

/** Waits until all of its events are stored. */
async function fail(
  organisation: Organisation | undefined,
  { fault, events }: (typeof NEIGHBOURS)[number],
): Promise<void> {
  if (!organisation) throw new Error("each neighbour has an organisation");
  const { provider } = organisation;
  provider.setFault(fault);
  for (let nth = 0; nth < events; nth += 1) provider.createShift();
  await provider.settled();
}
