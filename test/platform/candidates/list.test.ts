import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CandidatePage } from "../../../generated/operations/types.ts";
import type { Deps } from "../../../src/platform/deps.ts";
import { candidateHandlers } from "../../../src/platform/http/operations/candidates.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

/** No one has a number here. */
const numbers = {
  hash: String,
  columns: () => ({}),
  open: () => "189001169813",
} as unknown as Deps["numbers"];

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

  it("finds people by words in any order, in whichever normal form a name or the words are", async () => {
    await organisation.addPerson({ firstName: "Åsa".normalize("NFD"), lastName: "Öberg" });
    expect(await people({ search: "öberg åsa" })).toEqual(["Öberg"]);
    expect(await people({ search: "ÖBERG Å".normalize("NFD") })).toEqual(["Öberg"]);
    expect(await people({ search: "Öberg Berit" })).toEqual([]);
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

  it("finds the people about whom sources conflict, at the cost of a page", async () => {
    const { kysely } = database();
    const { providerId } = organisation;
    const many = 12_000;
    // Every hundredth of the older half: the newer half has no conflict.
    await sql`with person as (
        insert into candidates (candidate_id, first_name, last_name, email, phone)
        select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Kim', 'Ek', 'kim@example.com', '+46701740606'
        from generate_series(1, ${many}::int) as n returning candidate_id)
      insert into memberships (provider_id, candidate_id, first_name, last_name, email, phone)
      select ${providerId}::uuid, candidate_id, 'Kim', 'Ek',
        case when right(candidate_id::text, 12)::int % 100 = 0 and right(candidate_id::text, 12)::int <= ${many / 10}
          then 'other@example.com' else 'kim@example.com' end, '+46701740606' from person`.execute(kysely);
    let rows = 0;
    const counting = kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rows += result.rows.length;
        return result;
      },
    });
    const deps = depsFor({ ...database(), kysely: counting }, { numbers });
    const { listCandidates } = candidateHandlers(deps);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      rows = 0;
      const query = { state: "conflicting" as const, providerId, limit: 5, ...(cursor && { cursor }) };
      const { body } = (await listCandidates({ query } as never)) as { body: CandidatePage };
      found.push(...body.items.map((each) => each.candidateId.slice(-4)));
      cursor = body.nextCursor;
      expect(rows).toBeLessThan(10_200);
    } while (cursor !== undefined);
    expect(found).toEqual([
      "1200",
      "1100",
      "1000",
      "0900",
      "0800",
      "0700",
      "0600",
      "0500",
      "0400",
      "0300",
      "0200",
      "0100",
    ]);
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
