import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../src/platform/main.ts";
import { PROVIDER_RETRIES } from "../../src/platform/queue/retry.ts";
import { featureEngines } from "../engines.ts";
import { ok } from "./operations.ts";
import type { Organisation } from "./organisation.ts";
import { startStage } from "./stage.ts";

const ROUNDS = 6;
const SHIFTS_PER_PHASE = 5;
/** Not measured: activating queues all that waited, at once. */
const FIRST_SHIFTS = 2;
/** More than may be asked at once of one provider, or worked on at once in all. */
const HANGING_EVENTS = 60;
/** Decision: "does not slow" is at most so much. */
const RATIO = 1.5;
/** A median of a few milliseconds is at the mercy of whatever else the machine does. Milliseconds. */
const NOISE_MS = 15;

describe.each(featureEngines)("an integration beside one whose provider hangs, on %s", (engine) => {
  it("has its jobs as soon as without it", { timeout: 60_000 }, async () => {
    // Tried again as in operation, but given up sooner, so that the circuit opens and is probed within the test.
    const stage = await startStage(engine, { providerTimeoutMs: 300, retries: PROVIDER_RETRIES });
    const { platform, operations } = stage;
    const [healthy, hanging] = [await stage.onboard(), await stage.onboard()];
    const params = { path: { providerId: hanging.providerId } };
    const watch = await watchJobs(platform);
    await measure(healthy, watch);
    await hang(hanging);
    const [alone, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      ok(await operations.suspendIntegration({ params }));
      alone.push(...(await measure(healthy, watch)));
      ok(await operations.activateIntegration({ params }));
      beside.push(...(await measure(healthy, watch)));
    }
    expect(await hanging.findJob(hanging.provider.shifts[0]?.id ?? "")).toBeUndefined();
    watch.close();
    await Promise.all([healthy.close(), hanging.close()]);
    await stage.close();
    expect([alone.length, beside.length]).toEqual([30, 30]);
    expect(median(beside)).toBeLessThanOrEqual(RATIO * median(alone) + NOISE_MS);
  });
});

/** All of its events are stored, and wait for the provider. */
async function hang({ provider }: Organisation): Promise<void> {
  provider.setFault("slow");
  for (let nth = 0; nth < HANGING_EVENTS; nth++) provider.createShift();
  await provider.settled();
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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
