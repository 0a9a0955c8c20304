import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { describe, expect, it } from "vitest";
import { PROVIDER_RETRIES } from "../../src/clients/retry-policy.ts";
import type { Platform } from "../../src/platform/main.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { featureEngines } from "../engines.ts";
import { ok } from "../harness/operations.ts";
import type { Organisation } from "../harness/organisation.ts";
import { type Harness, startHarness } from "../harness/platform.ts";

/** Each with the others and without, one right after the other. */
const ROUNDS = 9;
const SHIFTS_PER_PHASE = 5;
/** Not measured: activating queues all that waited, at once. */
const FIRST_SHIFTS = 2;
/** Decision: "does not slow" is at most so much. */
const RATIO = 1.5;

/** What is wrong with each neighbour, and how many events of it wait. */
const NEIGHBOURS: readonly { fault: FaultName; events: number }[] = [
  // More than may be asked at once of one provider, or worked on at once in all.
  { fault: "slow", events: 60 },
  { fault: "garbage", events: 20 },
  { fault: "rate-limited", events: 20 },
];

describe.each(featureEngines)("an integration beside others whose providers are ill, on %s", (engine) => {
  // Other test files share the machine: what was too slow is measured anew, from the start, against the same bound.
  it("has its jobs as soon as without them", { timeout: 90_000, retry: 2 }, async () => {
    // Tried again as in operation, but given up sooner, so that the circuit opens and is probed within the test.
    const harness = await startHarness(engine, { providerTimeoutMs: 300, retries: PROVIDER_RETRIES });
    const { platform, operations } = harness;
    const healthy = await harness.onboard();
    const watch = await watchJobs(platform);
    await measure(healthy, watch);
    const ill = await Promise.all(NEIGHBOURS.map((neighbour) => onboardIll(harness, neighbour)));
    const each = (act: (params: { path: { providerId: string } }) => Promise<unknown>) =>
      Promise.all(ill.map(({ providerId }) => act({ path: { providerId } })));
    const [alone, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      await each(async (params) => ok(await operations.suspendIntegration({ params })));
      alone.push(median(await measure(healthy, watch)));
      await each(async (params) => ok(await operations.activateIntegration({ params })));
      beside.push(median(await measure(healthy, watch)));
    }
    for (const { findJob, provider } of ill) {
      expect(await findJob(provider.shifts[0]?.id ?? "")).toBeUndefined();
    }
    watch.close();
    await Promise.all([healthy, ...ill].map((organisation) => organisation.close()));
    await harness.close();
    expect([alone.length, beside.length]).toEqual([ROUNDS, ROUNDS]);
    expect(quartile(beside)).toBeLessThanOrEqual(RATIO * quartile(alone));
  });
});

/** All of its events are stored, and wait for the provider. */
async function onboardIll(
  harness: Harness,
  { fault, events }: (typeof NEIGHBOURS)[number],
): Promise<Organisation> {
  const organisation = await harness.onboard();
  const { provider } = organisation;
  provider.setFault(fault);
  for (let nth = 0; nth < events; nth++) provider.createShift();
  await provider.settled();
  return organisation;
}

/** From the change at the provider to the news of the job, of one shift after the other. Milliseconds. */
async function measure({ provider }: Organisation, { nextJob }: Watch): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < FIRST_SHIFTS + SHIFTS_PER_PHASE; nth++) {
    const begun = performance.now();
    await nextJob(provider.createShift().shiftId);
    times.push(performance.now() - begun);
  }
  return times.slice(FIRST_SHIFTS);
}

interface Watch {
  nextJob(shiftId: string): Promise<void>;
  close(): void;
}

/** Reads the stream of news, so that asking does not slow what is measured. */
async function watchJobs({ url, operationsToken }: Platform): Promise<Watch> {
  const response = await fetch(`${url}/operations/v1/stream`, {
    headers: { Authorization: `Bearer ${operationsToken}` },
  });
  if (!response.body) throw new Error("the stream has no body");
  const known = new EventEmitter();
  const input = Readable.fromWeb(response.body as WebStream);
  createInterface({ input }).on("line", (line) => {
    const { jobId, shiftId } = line.startsWith("data: ") ? JSON.parse(line.slice("data: ".length)) : {};
    if (jobId && shiftId) known.emit(shiftId);
  });
  return { nextJob: async (shiftId) => void (await once(known, shiftId)), close: () => void input.destroy() };
}

const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other);

const median = (values: readonly number[]) => sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Whatever else a busy machine does, a quarter of the rounds has little of it; what neighbours do is in every round beside them. */
const quartile = (values: readonly number[]) => sorted(values)[Math.floor(values.length / 4)] ?? Number.NaN;
