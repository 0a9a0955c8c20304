import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "../../engines.ts";
import { ok } from "../../flows/operations.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

const NTH = 43;

describe.each(featureEngines)("the lists about candidates, on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  const people = async (query: { search?: string; competenceId?: string }) =>
    ok(await shop.operations.listCandidates({ params: { query } })).items.map(({ lastName }) => lastName);

  it("finds people by a part of the name, without special characters", async () => {
    await shop.addPerson(NTH, { firstName: "Åsa", lastName: "Öberg" });
    await shop.addPerson(NTH + 1, { firstName: "Nils_100%", lastName: "Berg" });
    expect(await people({ search: "ÅSA ö" })).toEqual(["Öberg"]);
    expect(await people({ search: "berg" })).toEqual(["Berg", "Öberg"]);
    expect(await people({ search: "_1" })).toEqual(["Berg"]);
    expect(await people({ search: "%" })).toEqual(["Berg"]);
    expect(await people({ search: "Nobody" })).toEqual([]);
  });

  it("finds people by competence, together with the name", async () => {
    await shop.addPerson(NTH, { lastName: "Able" });
    await shop.addPerson(NTH + 1, { lastName: "Unable", competenceIds: [] });
    const { competenceId } = shop;
    expect(await people({ competenceId })).toEqual(["Able"]);
    expect(await people({ competenceId, search: "unable" })).toEqual([]);
  });

  it("finds the jobs of a candidate, and those that start within a period", async () => {
    const [candidateId, other] = [await shop.addPerson(NTH), await shop.addPerson(NTH + 1)];
    const times = (day: number) => ({
      startTime: `2031-05-0${day}T08:00:00.000Z`,
      endTime: `2031-05-0${day}T16:00:00.000Z`,
    });
    const [first, second] = [await shop.open(times(1)), await shop.open(times(2))];
    await shop.accept({ jobId: first.jobId, candidateId });
    await shop.accept({ jobId: second.jobId, candidateId: other });
    await shop.withdraw({ jobId: first.jobId, candidateId });
    const jobs = async (query: { candidateId?: string; from?: string; until?: string }) =>
      ok(await shop.operations.listJobs({ params: { query } })).items.map(({ jobId }) => jobId);
    expect(await jobs({ candidateId })).toEqual([first.jobId]);
    expect(await jobs({ candidateId: other })).toEqual([second.jobId]);
    expect(await jobs({ from: second.startTime })).toEqual([second.jobId]);
    expect(await jobs({ until: second.startTime })).toEqual([first.jobId]);
    expect(await jobs({ candidateId, from: second.startTime })).toEqual([]);
  });
});
