import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

describe.each(featureEngines)("the lists about candidates, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  const people = async (query: { search?: string; candidateId?: string[]; competenceId?: string }) =>
    ok(await organisation.operations.listCandidates({ params: { query } })).items.map(
      ({ lastName }) => lastName,
    );

  it("finds people by a part of the name, in which no character has a meaning", async () => {
    await organisation.addPerson({ firstName: "Åsa", lastName: "Öberg" });
    await organisation.addPerson({ firstName: "Nils_100%", lastName: "Berg" });
    expect(await people({ search: "ÅSA ö" })).toEqual(["Öberg"]);
    expect(await people({ search: "berg" })).toEqual(["Berg", "Öberg"]);
    expect(await people({ search: "_1" })).toEqual(["Berg"]);
    expect(await people({ search: "%" })).toEqual(["Berg"]);
    expect(await people({ search: "Unknown" })).toEqual([]);
  });

  it("finds a person by candidateId", async () => {
    const { candidateId } = await organisation.addPerson({ lastName: "Berg" });
    await organisation.addPerson({ lastName: "Ek" });
    expect(await people({ search: candidateId.toUpperCase() })).toEqual(["Berg"]);
    expect(await people({ search: crypto.randomUUID() })).toEqual([]);
  });

  it("finds several people by their candidateIds", async () => {
    const [berg, ek] = [
      await organisation.addPerson({ lastName: "Berg" }),
      await organisation.addPerson({ lastName: "Ek" }),
    ];
    await organisation.addPerson({ lastName: "Other" });
    const candidateId = [berg.candidateId.toUpperCase(), ek.candidateId, crypto.randomUUID()];
    expect(await people({ candidateId })).toEqual(["Ek", "Berg"]);
    expect(await people({ candidateId, search: "berg" })).toEqual(["Berg"]);
    expect(await people({ candidateId: [crypto.randomUUID()] })).toEqual([]);
  });

  it("finds people by competence, together with the name", async () => {
    await organisation.addPerson({ lastName: "Able" });
    await organisation.addPerson({ lastName: "Unable", competenceIds: [] });
    const { competenceId } = organisation;
    expect(await people({ competenceId })).toEqual(["Able"]);
    expect(await people({ competenceId, search: "unable" })).toEqual([]);
  });

  it("finds the jobs of a candidate, and those that start within a time", async () => {
    const { candidateId } = await organisation.addPerson();
    const { candidateId: other } = await organisation.addPerson();
    const times = (day: number) => ({
      startTime: `2031-05-0${day}T08:00:00.000Z`,
      endTime: `2031-05-0${day}T16:00:00.000Z`,
    });
    const [first, second] = [await organisation.open(times(1)), await organisation.open(times(2))];
    await organisation.accept(first, { candidateId });
    await organisation.accept(second, { candidateId: other });
    await organisation.withdraw(first, { candidateId });
    const jobs = async (query: { candidateId?: string; from?: string; until?: string }) =>
      ok(await organisation.operations.listJobs({ params: { query } })).items.map(({ jobId }) => jobId);
    expect(await jobs({ candidateId })).toEqual([first.jobId]);
    expect(await jobs({ candidateId: other })).toEqual([second.jobId]);
    expect(await jobs({ from: second.startTime })).toEqual([second.jobId]);
    expect(await jobs({ until: second.startTime })).toEqual([first.jobId]);
    expect(await jobs({ candidateId, from: second.startTime })).toEqual([]);
  });

  it("walks the jobs of a time by their start, each once, and with the cursors of that order only", async () => {
    const startOf = (hour: number) => `2031-06-01T0${hour}:00:00.000Z`;
    const opened = [];
    for (const hour of [3, 1, 2, 1, 1]) {
      opened.push(await organisation.open({ startTime: startOf(hour), endTime: "2031-06-01T16:00:00.000Z" }));
    }
    const list = (query: object) => organisation.operations.listJobs({ params: { query } });
    const span = { from: startOf(1), until: startOf(3), limit: 1 };
    const walked = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor }: { items: { jobId: string }[]; nextCursor?: string } = ok(
        await list({ ...span, ...(cursor !== undefined && { cursor }) }),
      );
      walked.push(...items.map(({ jobId }) => jobId));
      cursor = nextCursor;
    } while (cursor !== undefined);
    const expected = opened
      .filter(({ startTime }) => startTime < startOf(3))
      .toSorted((a, b) => a.startTime.localeCompare(b.startTime) || a.jobId.localeCompare(b.jobId));
    expect(walked).toEqual(expected.map(({ jobId }) => jobId));

    const { nextCursor: newest } = ok(await list({ limit: 1 }));
    const { nextCursor: earliest } = ok(await list(span));
    expect((await list({ ...span, cursor: newest })).status).toBe(400);
    expect((await list({ limit: 1, cursor: earliest })).status).toBe(400);
    const spoiled = earliest?.replace(/^[^_]*/, "never");
    expect((await list({ ...span, cursor: spoiled })).status).toBe(400);
  });
});
