import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import type { Person } from "../../harness/organisation.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const FIRST = "first@example.com";
const SECOND = "second@example.com";
const EVERYONE = [FIRST, SECOND];

interface Scene {
  organisation: StartedOrganisation;
  job: Job;
  first: Person;
}

/** Mailed offers since the first ones, by what happens to the job in the meantime. */
const SCENES: [what: string, happens: (scene: Scene) => Promise<unknown>, mailed: string[]][] = [
  [
    "the provider refuses a candidate",
    async ({ organisation, job, first }) => {
      organisation.provider.setFault("assign-conflict", { times: 1 });
      expect((await organisation.accept(job, first)).status).toBe(409);
    },
    [],
  ],
  [
    "the provider assigns a person of its own for a while",
    async ({ organisation, job }) => {
      organisation.provider.updateShift(job.shiftId, { positions: 0 });
      await organisation.process("shift.update", job.shiftId);
      expect((await organisation.job(job.shiftId)).status).toBe("filled");
      organisation.provider.updateShift(job.shiftId, { positions: 1 });
    },
    [],
  ],
  [
    "the times change and change back",
    async ({ organisation, job }) => {
      const { startTime, endTime } = job;
      const later = new Date(Date.parse(endTime) + HOUR_MS).toISOString();
      organisation.provider.updateShift(job.shiftId, { startTime, endTime: later });
      await organisation.process("shift.update", job.shiftId);
      organisation.provider.updateShift(job.shiftId, { startTime, endTime });
    },
    // Of the other times, then of these: the last mail must name the right ones.
    [...EVERYONE, ...EVERYONE],
  ],
  [
    "the provider refuses a cancellation",
    async ({ organisation, job }) => {
      organisation.provider.setFault("cancel-refused", { times: 1 });
      await organisation.cancel(job);
      await organisation.idle();
      expect(await organisation.issueCodes()).toContain("cancellation_refused");
    },
    [],
  ],
  [
    "a confirmed booking ends because the candidate withdraws",
    async ({ organisation, job, first }) => {
      await organisation.accept(job, first);
      await organisation.withdraw(job, first);
    },
    [SECOND],
  ],
];

describe.each(featureEngines)("an offer on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  let offers: string[];
  const channel: Channel = {
    name: "email",
    deliver: async ({ address, subject }) => {
      if (/open for you|new shifts/.test(subject)) offers.push(address);
      return { kind: "delivered" };
    },
    close: () => undefined,
  };
  beforeEach(async () => {
    offers = [];
    organisation = await startOrganisation(database(), { channel });
  });
  afterEach(() => organisation.close());

  const holders = async (job: Job) => {
    const all = await organisation.notifications(job, "job_offered");
    return all.filter(({ withdrawnAt }) => withdrawnAt === undefined).map(({ candidateId }) => candidateId);
  };

  it.each(SCENES)("is mailed once when %s", async (_, happens, mailed) => {
    const first = await organisation.addPerson({ email: FIRST });
    const second = await organisation.addPerson({ email: SECOND });
    const job = await organisation.open();
    expect(offers.toSorted()).toEqual(EVERYONE);
    await happens({ organisation, job, first });
    await organisation.process("shift.update", job.shiftId);
    await organisation.idle();
    expect(offers.slice(2).toSorted()).toEqual(mailed.toSorted());
    expect((await organisation.job(job.shiftId)).status).toBe("open");
    const isLeft = mailed.length === 1;
    const held = isLeft ? [second] : [first, second];
    expect((await holders(job)).toSorted()).toEqual(held.map(({ candidateId }) => candidateId).toSorted());
  });

  it("is the same one for every eager candidate whom the provider refuses", async () => {
    const people: Person[] = [];
    for (let nth = 0; nth < 6; nth += 1)
      people.push(await organisation.addPerson({ email: `${nth}@example.com` }));
    const job = await organisation.open();
    organisation.provider.setFault("assign-conflict", { times: 12 });
    for (const person of [...people, ...people]) await organisation.accept(job, person);
    await organisation.idle();
    expect(offers).toHaveLength(6);
    expect(await organisation.notifications(job, "job_offered")).toHaveLength(6);
  });
});
