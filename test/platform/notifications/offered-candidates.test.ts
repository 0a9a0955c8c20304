import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import { featureEngines } from "../../harness/engines.ts";
import type { Organisation, Person } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

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
