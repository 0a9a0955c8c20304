import { describe, expect, it } from "vitest";
import type { Job } from "../../generated/operations/types.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { featureEngines } from "../engines.ts";
import type { Organisation, Person } from "../harness/organisation.ts";
import { useHarness } from "../harness/platform.ts";

/** Temporary faults, some of which occur after the call has taken effect. */
const FAULTS: readonly FaultName[] = ["error-500", "truncated", "reset", "assign-lost-answer", "garbage"];
const ROUNDS = 12;
const AT_ONCE = 12;
const HOUR_MS = 3_600_000;

describe.each(featureEngines)("many simultaneous actions, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { answerWithinMs: 0 }, retries: { tries: 10_000 } });

  it.each(process.env.ENGINES === undefined ? [1] : [1, 2, 3])(
    "leave both sides in agreement (seed %i)",
    async (seed) => {
      const organisation = await harness().onboard({ dialect: { assignEchoes: true } });
      const people = await Promise.all(Array.from({ length: 10 }, () => organisation.addPerson()));
      const jobs = await Promise.all([0, 4, 8, 12].map((hour) => organisation.open(shiftAt(hour))));
      const pick = picker(seed);
      const statuses = new Set<number>();
      for (let round = 0; round < ROUNDS; round++) {
        const acts = Array.from({ length: AT_ONCE }, () => act(organisation, pick, pick(jobs), pick(people)));
        for (const status of await Promise.all(acts)) statuses.add(status);
      }
      await organisation.idle();
      expect([...statuses].filter((status) => status >= 500)).toEqual([]);
      for (const { shiftId } of jobs) await isAgreed(organisation, await organisation.job(shiftId));
      const overfilled = await Promise.all(jobs.map(({ shiftId }) => organisation.job(shiftId)));
      const issues = overfilled.filter((job) => job.overfilled).map(() => "shift_overfilled");
      expect(await organisation.issueCodes()).toEqual(issues);
    },
  );
});

/** Each shift overlaps with its neighbours. */
function shiftAt(hour: number) {
  const start = Math.ceil(Date.now() / HOUR_MS + 48 + hour) * HOUR_MS;
  const [startTime, endTime] = [start, start + 6 * HOUR_MS].map((ms) => new Date(ms).toISOString());
  return { startTime: startTime ?? "", endTime: endTime ?? "", positions: 3 };
}

type Pick = <T>(from: readonly T[]) => T;

/** Random choices that a seed reproduces (a linear congruential generator). */
function picker(seed: number): Pick {
  let state = seed;
  return (from) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return from[Math.floor((state / 2 ** 31) * from.length)] as (typeof from)[number];
  };
}

/** Performs a random action. Returns the platform's status. */
async function act(organisation: Organisation, pick: Pick, job: Job, person: Person): Promise<number> {
  switch (pick(["accept", "accept", "accept", "withdraw", "change", "fault"] as const)) {
    case "accept":
      return (await organisation.accept(job, person)).status;
    case "fault":
      organisation.provider.setFault(pick(FAULTS), { times: 2 });
      return 200;
    case "withdraw":
      return (await organisation.withdraw(job, person)).status;
    case "change": {
      const { provider } = organisation;
      const { traceId } = provider.updateShift(job.shiftId, { positions: pick([2, 3, 4]) });
      return (await provider.delivered(traceId)).delivered ? 200 : 500;
    }
  }
}

async function isAgreed(
  { provider }: Organisation,
  { shiftId, positions, overfilled, bookings, status }: Job,
) {
  const shift = provider.shift(shiftId);
  const booked = bookings.filter((booking) => booking.status === "confirmed");
  expect(bookings.filter((booking) => booking.status === "pending")).toEqual([]);
  const assigned = [...(shift?.assigned.keys() ?? [])].sort();
  expect(booked.map(({ providerCandidateId }) => providerCandidateId).sort()).toEqual(assigned);
  expect(new Set(booked.map(({ candidateId }) => candidateId)).size).toBe(booked.length);
  expect(positions).toBe(shift?.positions);
  expect([status, overfilled]).toEqual([
    booked.length >= positions ? "filled" : "open",
    booked.length > positions,
  ]);
}
