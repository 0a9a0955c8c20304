import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation, Person } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";
import { numberAt } from "../../harness/responders.ts";

/** Of the published test numbers, those that no other helper uses here. */
let numbersUsed = 400;

describe.each(featureEngines)("candidates who are offered a job, on %s", (engine) => {
  const harness = useHarness(engine);

  const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 48 * HOUR_MS;
  const shift = (from: number, to: number) => ({
    startTime: new Date(start + from * HOUR_MS).toISOString(),
    endTime: new Date(start + to * HOUR_MS).toISOString(),
  });
  const offeredTo = async ({ notifications }: Organisation, job: Job) =>
    (await notifications(job, "job_offered")).map(({ candidateId }) => candidateId).sort();
  const ids = (...people: Person[]) => people.map(({ candidateId }) => candidateId).sort();

  it("have its competence", async () => {
    const [organisation, other] = [await harness().onboard(), await harness().onboard()];
    const [able, both] = [
      await organisation.addPerson(),
      await organisation.addPerson({ competenceIds: [other.competenceId, organisation.competenceId] }),
    ];
    await organisation.addPerson({ competenceIds: [] });
    await other.addPerson();
    expect(await offeredTo(organisation, await organisation.open())).toEqual(ids(able, both));
  });

  describe("include at once a person", () => {
    type Case = (at: {
      organisation: Organisation;
      other: Organisation;
      personalNumber: string;
    }) => Promise<unknown>;
    const operations = () => harness().operations;
    const name = async ({ provider, params }: Organisation, personalNumber: string, isExperienced = true) => {
      const [role] = provider.roles;
      const workHistory = role && isExperienced ? [{ roleId: role.id }] : [];
      provider.addCandidate({ personalNumber, workHistory });
      ok(await operations().importRegistry({ params }));
    };
    const named = async ({ providerId }: Organisation, personalNumber: string) => {
      const query = { providerId, limit: 200 };
      const { items } = ok(await operations().listCandidates({ params: { query } }));
      const masked = `${personalNumber.slice(0, 4)}****-****`;
      const [newest] = items.filter((each) => each.personalNumber === masked);
      if (!newest) throw new Error("the registry was not imported");
      return newest.candidateId;
    };
    const give = async (candidateId: string, { competenceId }: Organisation) => {
      const params = { path: { candidateId } };
      ok(await operations().changeCandidate({ params, body: { competenceIds: [competenceId] } }));
    };
    const identity = { firstName: "Kim", lastName: "Ek", email: "kim@example.com", phone: "+46701740605" };

    it.each<[how: string, before: Case | undefined, makeAble: Case]>([
      [
        "whom an operator adds",
        undefined,
        ({ organisation, personalNumber }) => organisation.addPerson({ personalNumber }),
      ],
      [
        "whom an operator imports",
        undefined,
        async ({ organisation: { competenceId }, personalNumber }) => {
          const people = [{ ...identity, personalNumber, competenceIds: [competenceId] }];
          ok(await operations().importCandidates({ body: { people } }));
        },
      ],
      [
        "whom the registry names with the role",
        undefined,
        ({ organisation, personalNumber }) => name(organisation, personalNumber),
      ],
      [
        "whom the registry names, and to whom an operator has given the competence elsewhere",
        async ({ organisation, other, personalNumber }) => {
          await name(other, personalNumber, false);
          await give(await named(other, personalNumber), organisation);
        },
        ({ organisation, personalNumber }) => name(organisation, personalNumber, false),
      ],
      [
        "whom an operator adds, and who has had the competence at another organisation alone",
        async ({ organisation, other, personalNumber }) => {
          await name(other, personalNumber, false);
          await give(await named(other, personalNumber), organisation);
        },
        ({ organisation, personalNumber }) => organisation.addPerson({ personalNumber, competenceIds: [] }),
      ],
      [
        "to whom an operator gives the competence",
        ({ organisation, personalNumber }) => name(organisation, personalNumber, false),
        async ({ organisation, personalNumber }) =>
          give(await named(organisation, personalNumber), organisation),
      ],
      [
        "to whom an operator gives the competence together with others",
        ({ organisation, personalNumber }) => name(organisation, personalNumber, false),
        async ({ organisation, personalNumber }) => {
          const candidateIds = [await named(organisation, personalNumber)];
          const { competenceId } = organisation;
          ok(await operations().setCompetence({ body: { candidateIds, competenceId, has: true } }));
        },
      ],
      [
        "whom an operator releases",
        async ({ organisation, other, personalNumber }) => {
          await name(other, personalNumber, false);
          await give(await named(other, personalNumber), organisation);
        },
        async ({ other, personalNumber }) => {
          const path = { candidateId: await named(other, personalNumber) };
          const { providerId } = other;
          ok(await operations().releaseCandidate({ params: { path }, body: { providerId } }));
        },
      ],
      [
        "whom an operator releases together with others",
        async ({ organisation, other, personalNumber }) => {
          await name(other, personalNumber, false);
          await give(await named(other, personalNumber), organisation);
        },
        async ({ other, personalNumber }) => {
          const candidateIds = [await named(other, personalNumber)];
          ok(await operations().releaseCandidates({ params: other.params, body: { candidateIds } }));
        },
      ],
    ])("%s", async (_, before, makeAble) => {
      const [organisation, other] = [await harness().onboard(), await harness().onboard()];
      const at = { organisation, other, personalNumber: numberAt(numbersUsed++) };
      await before?.(at);
      const job = await organisation.open();
      expect(await offeredTo(organisation, job)).toEqual([]);
      await makeAble(at);
      await expect.poll(() => offeredTo(organisation, job)).toHaveLength(1);
    });

    it("whom the registry names, after the two seconds in which its other parts arrive", async () => {
      const organisation = await harness().onboard();
      const job = await organisation.open();
      const begun = Date.now();
      await name(organisation, numberAt(numbersUsed++));
      await expect.poll(() => offeredTo(organisation, job)).toHaveLength(1);
      expect(Date.now() - begun).toBeGreaterThanOrEqual(2_000);
    });
  });

  it("are free at that time, apart from bookings that only touch it", async () => {
    const organisation = await harness().onboard();
    const [busy, touching, free] = [
      await organisation.addPerson(),
      await organisation.addPerson(),
      await organisation.addPerson(),
    ];
    await organisation.accept(await organisation.open(shift(0, 8)), busy);
    await organisation.accept(await organisation.open(shift(0, 7)), touching);
    expect(await offeredTo(organisation, await organisation.open(shift(7, 9)))).toEqual(ids(touching, free));
  });

  it("are notified once", async () => {
    const organisation = await harness().onboard();
    const first = await organisation.addPerson();
    const job = await organisation.open({ positions: 2 });
    const second = await organisation.addPerson();
    for (let n = 0; n < 2; n++) {
      organisation.provider.updateShift(job.shiftId, {});
      await organisation.idle();
    }
    expect(await offeredTo(organisation, job)).toEqual(ids(first, second));
  });

  it("include new candidates, for every open job that they can do", async () => {
    const [organisation, other] = [await harness().onboard(), await harness().onboard()];
    const first = await organisation.addPerson();
    const [open, filled] = [await organisation.open(shift(0, 8)), await organisation.open(shift(8, 16))];
    const foreign = await other.open(shift(0, 8));
    await organisation.accept(filled, first);
    const second = await organisation.addPerson();
    await organisation.idle();
    expect(await offeredTo(organisation, open)).toEqual(ids(first, second));
    expect(await offeredTo(organisation, filled)).toEqual(ids(first));
    expect(await offeredTo(other, foreign)).toEqual([]);
  });

  it("receive the times, the outlet, and the role", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open();
    const [{ startTime, endTime, traceId }, [offer]] = [job, await organisation.notifications(job)];
    const content = { startTime, endTime, outletName: "Restaurang Stureplan", roleName: "Waiter" };
    expect(offer).toMatchObject({ kind: "job_offered", traceId, content });
  });

  it("are counted as none in the trace of a job that no candidate can do", async () => {
    const organisation = await harness().onboard();
    const { traceId = "" } = await organisation.open();
    expect(await organisation.steps(traceId)).toContainEqual(
      expect.objectContaining({
        step: "match",
        verdict: { code: "candidates_matched", params: { free: 0, offered: 0 } },
      }),
    );
  });
});
