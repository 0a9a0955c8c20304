import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CandidateCreate } from "../../../generated/operations/types.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";
import { numberAt } from "../../harness/responders.ts";

const ADDRESS = { email: "robin.ek@example.com", phone: "+46701740605" };

describe.each(featureEngines)("many people, on %s", (engine) => {
  const database = useEngine(engine);
  let harness: Harness;
  let organisation: Organisation;
  beforeEach(async () => {
    harness = await startHarness(database());
    organisation = await harness.onboard();
  });
  afterEach(() => harness.close());

  const person = (nth: number, given: Partial<CandidateCreate> = {}): CandidateCreate => ({
    personalNumber: numberAt(nth),
    firstName: `Robin ${nth}`,
    lastName: "Ek",
    ...ADDRESS,
    competenceIds: [organisation.competenceId],
    ...given,
  });
  const send = async (people: object[], preview = false) => {
    const body = { preview, people: people as { [key: string]: unknown }[] };
    return ok(await harness.operations.importCandidates({ body })).results;
  };
  const listed = async (search: string) =>
    ok(await harness.operations.listCandidates({ params: { query: { search } } })).items;

  it("are added once, however often the list is sent, and are offered the open jobs", async () => {
    const job = await organisation.open();
    const people = [person(400, { employeeNumber: "A-17" }), person(401, { language: "en" })];
    const [first, second] = await send(people);
    expect([first?.outcome, second?.outcome]).toEqual(["added", "added"]);
    expect(await listed("Robin 400")).toMatchObject([
      { candidateId: first?.candidateId, employeeNumber: "A-17", shared: true },
    ]);
    await organisation.idle();
    const offers = ok(
      await harness.operations.listNotifications({ params: { query: { jobId: job.jobId } } }),
    );
    expect(offers.items.map(({ candidateId }) => candidateId).toSorted()).toEqual(
      [first?.candidateId, second?.candidateId].toSorted(),
    );
    expect(await send(people)).toEqual([
      { outcome: "known", candidateId: first?.candidateId },
      { outcome: "known", candidateId: second?.candidateId },
    ]);
    expect(await listed("Robin 40")).toHaveLength(2);
  });

  it("are judged one by one: what is not valid keeps no other person from being added", async () => {
    const wrong = { ...person(410), personalNumber: numberAt(410), email: 7 };
    const unknown = person(411, { competenceIds: ["01a2090a-8965-7561-afea-5f20ecad21f7"] });
    const digit = person(412, {
      personalNumber: `${numberAt(412).slice(0, -1)}${(Number(numberAt(412).at(-1)) + 1) % 10}`,
    });
    expect(await send([wrong, {}, unknown, digit, person(413)])).toMatchObject([
      { outcome: "refused", errors: [{ pointer: "/email" }] },
      {
        outcome: "refused",
        errors: expect.arrayContaining([expect.objectContaining({ pointer: "/phone" })]),
      },
      { outcome: "refused", errors: [{ pointer: "/competenceIds/0", message: "is not a competence" }] },
      { outcome: "refused", errors: [{ pointer: "/personalNumber" }] },
      { outcome: "added" },
    ]);
    expect(await listed("Robin 41")).toHaveLength(1);
  });

  it("are refused when they are more than 200", async () => {
    const people = Array.from({ length: 201 }, () => ({}));
    const { error } = await harness.operations.importCandidates({ body: { people } });
    expect(error).toMatchObject({ code: "validation_failed", errors: [{ pointer: "/people" }] });
    expect(await send(people.slice(1))).toHaveLength(200);
  });

  it("with one number are one person, the first", async () => {
    const twin = { ...person(420), firstName: "Twin" };
    const [first, second] = await send([person(420), twin]);
    expect([first?.outcome, second]).toEqual([
      "added",
      { outcome: "known", candidateId: first?.candidateId },
    ]);
    expect(await listed("Twin")).toEqual([]);
  });

  it("are only looked at in a preview, which is in the audit log", async () => {
    const query = { operation: "importCandidates", limit: 200 };
    const audited = async () => ok(await harness.operations.listAudit({ params: { query } })).items.length;
    const before = await audited();
    const { candidateId } = ok(await harness.operations.createCandidate({ body: person(430) }));
    expect(await send([person(430), person(431), {}, person(431)], true)).toMatchObject([
      { outcome: "known", candidateId },
      { outcome: "added" },
      { outcome: "refused" },
      { outcome: "known" },
    ]);
    expect(await listed("Robin 431")).toEqual([]);
    expect(await audited()).toBe(before + 1);
  });

  it("become the company's if only a registry names them", async () => {
    organisation.provider.addCandidate({
      personalNumber: numberAt(440),
      firstName: "Registered",
      workHistory: [],
    });
    ok(await harness.operations.importRegistry({ params: organisation.params }));
    const [before] = await listed("Registered");
    expect(await send([person(440)])).toEqual([{ outcome: "added", candidateId: before?.candidateId }]);
    expect(await listed("Robin 440")).toMatchObject([{ candidateId: before?.candidateId, shared: true }]);
  });

  it("are added as one if two lists that overlap come at once", async () => {
    const people = Array.from({ length: 20 }, (_, nth) => person(450 + nth));
    const results = await Promise.all([send(people), send(people.toReversed())]);
    const added = results.flat().filter(({ outcome }) => outcome === "added");
    expect(added).toHaveLength(20);
    expect(await listed("Robin 4")).toHaveLength(20);
  });

  it("get a competence together, and lose it together", async () => {
    const [one, two] = await send([person(480, { competenceIds: [] }), person(481)]);
    const candidateIds = [one, two].flatMap((each) => each?.candidateId ?? []);
    const { competenceId } = organisation;
    const set = async (has: boolean) =>
      ok(await harness.operations.setCompetence({ body: { candidateIds, competenceId, has } })).changed;
    expect(await set(true)).toBe(1);
    expect(await set(true)).toBe(0);
    expect(await listed("Robin 480")).toMatchObject([{ competenceIds: [competenceId] }]);
    expect(await set(false)).toBe(2);
    expect((await listed("Robin 48")).map(({ competenceIds }) => competenceIds)).toEqual([[], []]);
  });

  it("are found by the employee number, which can be corrected and removed", async () => {
    const [added] = await send([person(490, { employeeNumber: "4711" })]);
    const path = { candidateId: added?.candidateId ?? "" };
    expect(await listed("4711")).toMatchObject([path]);
    const change = async (employeeNumber: string) =>
      ok(await harness.operations.changeCandidate({ params: { path }, body: { employeeNumber } }));
    expect(await change("4712")).toMatchObject({ employeeNumber: "4712" });
    expect(await change("")).not.toHaveProperty("employeeNumber");
    expect(await listed("4712")).toEqual([]);
  });
});
