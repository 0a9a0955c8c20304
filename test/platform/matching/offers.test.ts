import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { featureEngines } from "../../engines.ts";
import type { Organisation, Person } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const HOUR_MS = 3_600_000;

describe.each(featureEngines)("whom a job is offered to, on %s", (engine) => {
  const harness = useHarness(engine);

  const start = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 48 * HOUR_MS;
  const shift = (from: number, to: number) => ({
    startTime: new Date(start + from * HOUR_MS).toISOString(),
    endTime: new Date(start + to * HOUR_MS).toISOString(),
  });
  const offeredTo = async ({ notifications }: Organisation, job: Job) =>
    (await notifications(job, "job_offered")).map(({ candidateId }) => candidateId).sort();
  const ids = (...people: Person[]) => people.map(({ candidateId }) => candidateId).sort();

  it("are those who have the competence", async () => {
    const [organisation, other] = [await harness().onboard(), await harness().onboard()];
    const [able, both] = [
      await organisation.addPerson(),
      await organisation.addPerson({ competenceIds: [other.competenceId, organisation.competenceId] }),
    ];
    await organisation.addPerson({ competenceIds: [] });
    await other.addPerson();
    expect(await offeredTo(organisation, await organisation.open())).toEqual(ids(able, both));
  });

  it("are those who are free: a booking that only touches does not count", async () => {
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

  it("are not told twice", async () => {
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

  it("are also those who are new to the platform, for every open job that they can do", async () => {
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

  it("are told what they need to decide", async () => {
    const organisation = await harness().onboard();
    await organisation.addPerson();
    const job = await organisation.open();
    const [{ startTime, endTime, traceId }, [offer]] = [job, await organisation.notifications(job)];
    const content = { startTime, endTime, outletName: "Restaurang Stureplan", roleName: "Waiter" };
    expect(offer).toMatchObject({ kind: "job_offered", traceId, content });
  });

  it("are nobody, which the story of the job says", async () => {
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
