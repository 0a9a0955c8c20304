import { expect } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../src/contract/timestamp.ts";
import type { Engine } from "../../src/platform/db/database.ts";
import type { NewShift } from "../../src/sandbox/provider-actions.ts";
import type { Onboarding, Organisation, Person } from "../harness/organisation.ts";
import { type Harness, type HarnessOptions, startHarness, useStarted } from "../harness/platform.ts";

/** An organisation whose changes at the provider send no webhook: a test sends those that it is about. */
export interface Flow extends Organisation {
  platform: Harness["platform"];
  /** Creates a shift on a separate day, unless the times are given. Does not wait until the platform is idle. */
  open: Organisation["open"];
  /** Creates several at the same time. */
  openAll(count: number, shift?: NewShift): Promise<Job[]>;
  /** Accepts, and waits until the booking is confirmed. */
  book(job: Job, person: Pick<Person, "candidateId">): Promise<void>;
}

export type Onboard = (onboarding?: Onboarding) => Promise<Flow>;

/** The limit of one call to the provider. Late effects in tests must occur within it: the platform waits one time-out. */
export const TIMEOUT_MS = 1_000;

/**
 * Every delay within a scenario is a fraction of a second. The periodic read, which could conceal a missing reaction, is as rare as in
 * production.
 */
const PACE = {
  timing: {
    ladderMs: [50, 150, 350, 700],
    probeMs: 100,
    reconcileMs: HOUR_MS,
    hourlyMs: 500,
    answerWithinMs: 300,
  },
  retries: { baseMs: 20, capMs: 200, tries: 12 },
  providerTimeoutMs: TIMEOUT_MS,
  calls: { perMinute: 0, opensForMs: 50, opensAtMostMs: 200 },
} satisfies HarnessOptions;

/** Starts a platform with these delays, and the given ones. */
export const startFlows = (engine: Engine, { timing, calls, ...rest }: HarnessOptions = {}) =>
  startHarness(engine, {
    ...PACE,
    ...rest,
    timing: { ...PACE.timing, ...timing },
    calls: { ...PACE.calls, ...calls },
  });

/** Starts one platform for the `describe` around the call. Each test onboards a new organisation, whose work may outlast the test. */
export function useFlows(engine: Engine, options?: HarnessOptions): Onboard {
  const harness = useStarted(
    () => startFlows(engine, options),
    async () => undefined,
  );
  return (onboarding) => onboardFlow(harness(), onboarding);
}

export async function onboardFlow(
  { onboard, platform }: Pick<Harness, "onboard" | "platform">,
  onboarding?: Onboarding,
) {
  const organisation = await onboard({ connect: false, ...onboarding });
  const { provider, send, findJob, job, jobs, accept, booking } = organisation;
  const create = async (shift?: NewShift) => {
    const { shiftId } = provider.createShift({ ...separateDay(), ...shift });
    await send("shift.create", shiftId);
    return shiftId;
  };
  return {
    ...organisation,
    platform,
    open: async (shift) => {
      const shiftId = await create(shift);
      await expect.poll(() => findJob(shiftId)).toBeDefined();
      return job(shiftId);
    },
    openAll: async (count, shift) => {
      const shiftIds = await Promise.all(Array.from({ length: count }, () => create(shift)));
      const opened = async () => (await jobs()).filter(({ shiftId }) => shiftIds.includes(shiftId));
      await expect.poll(async () => (await opened()).length).toBe(count);
      return opened();
    },
    book: async (each, person) => {
      await accept(each, person);
      await expect.poll(async () => (await booking(each, person))?.status).toBe("confirmed");
    },
  } satisfies Flow;
}

let days = 1;

function separateDay() {
  const start = Math.ceil(Date.now() / DAY_MS + days++) * DAY_MS + 8 * HOUR_MS;
  return {
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + 6 * HOUR_MS).toISOString(),
  };
}

/** Both forms of it. */
export const UNASSIGN = /^DELETE .*\/assign\/|\/unassign\//;

/** The number of calls that the provider has carried out, of those whose method and path match. */
export const carriedOut = ({ calls }: Pick<Organisation, "calls">, which: RegExp): number =>
  calls.filter(({ method, path, status }) => status < 300 && which.test(`${method} ${path}`)).length;

/** Whether the body of a response is a shift. */
export const isShift = (body: unknown): body is { id: string; assignedCandidates: unknown[] } =>
  typeof body === "object" && body !== null && "assignedCandidates" in body;
