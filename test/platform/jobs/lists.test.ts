import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobCandidate, operations } from "../../../generated/operations/types.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { insertJobs, insertPeople } from "../../harness/many-rows.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

const FIRST_START = "2031-05-01T08:00:00.000Z";

describe.each(featureEngines)("the lists of jobs, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database(), { timing: { answerWithinMs: 0 } });
  });
  afterEach(() => organisation.close());

  type Query = NonNullable<operations["listJobs"]["parameters"]["query"]>;

  const walk = async (query: Query) => {
    const starts: string[] = [];
    let cursor: string | undefined;
    do {
      const page = ok(
        await organisation.operations.listJobs({
          params: { query: { limit: 200, ...query, ...(cursor && { cursor }) } },
        }),
      );
      starts.push(...page.items.map(({ startTime }) => startTime));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return starts;
  };
  const counts = async (query: { providerId?: string } = {}) =>
    ok(await organisation.operations.countJobs({ params: { query } }));

  it("have the job that starts earliest first, and every one of 2,000 once", async () => {
    await insertJobs(database().kysely, organisation, { count: 2_000, firstStart: FIRST_START });
    const starts = await walk({ group: "active", order: "earliest" });
    expect(starts).toHaveLength(2_000);
    expect(starts[0]).toBe(FIRST_START);
    expect(starts).toEqual(starts.toSorted());
    expect(await walk({ status: "open", order: "latest", providerId: organisation.providerId })).toEqual(
      starts.toReversed(),
    );
    expect(await walk({ order: "newest" })).toEqual(starts);
    expect(await counts()).toEqual({
      blocked_mapping: { count: 0, exact: true },
      open: { count: 2_000, exact: true },
      filled: { count: 0, exact: true },
    });
  });

  it("are filtered by group, and refuse the cursor of another order", async () => {
    const insert = (status: string, firstStart: string) =>
      insertJobs(database().kysely, organisation, { count: 1, firstStart, status });
    const [open, filled, expired, cancelled] = [1, 2, 3, 4].map((day) => `2031-05-0${day}T08:00:00.000Z`) as [
      ...[string, string, string, string],
    ];
    await insert("open", open);
    await insert("filled", filled);
    await insert("expired", expired);
    await insert("cancelled", cancelled);
    expect(await walk({ group: "active", order: "earliest" })).toEqual([open, filled]);
    expect(await walk({ group: "not_cancelled", order: "latest" })).toEqual([expired, filled, open]);
    expect(await walk({ order: "earliest", limit: 1 })).toEqual([open, filled, expired, cancelled]);
    const list = (query: Query) => organisation.operations.listJobs({ params: { query } });
    const { nextCursor: cursor = "" } = ok(await list({ limit: 1, order: "earliest" }));
    expect((await list({ cursor })).error?.code).toBe("validation_failed");
    expect((await list({ cursor: `2_${cursor.split("_")[1]}`, order: "earliest" })).error?.code).toBe(
      "validation_failed",
    );
  });

  it("are searched by place and the beginning of an id, and filtered by competence and by what they need", async () => {
    const { open, operations, addPerson, provider } = organisation;
    const [one, other] = [await open(), await open({ positions: 2 })];
    const found = async (query: Query) =>
      ok(await operations.listJobs({ params: { query: { order: "newest", ...query } } })).items.map(
        ({ jobId }) => jobId,
      );
    const all = [other.jobId, one.jobId];
    const { items } = ok(await operations.listWorkplaces({ params: { query: {} } }));
    const { name = "" } = items.find(({ workplaceId }) => workplaceId === one.workplaceId) ?? {};
    expect(await found({ search: name.slice(1).toUpperCase() })).toEqual(all);
    expect(await found({ search: (one.outletName ?? "").slice(1) })).toEqual(all);
    expect(await found({ search: "no such place" })).toEqual([]);
    expect(await found({ search: "%" })).toEqual([]);
    expect(await found({ search: one.jobId.slice(0, 24).toUpperCase() })).toEqual([one.jobId]);
    expect(await found({ search: other.shiftId.slice(0, 24) })).toEqual([other.jobId]);
    expect(await found({ competenceId: organisation.competenceId })).toEqual(all);
    expect(await found({ competenceId: one.jobId })).toEqual([]);
    provider.setFault("unavailable", { operations: ["assignCandidate"], retryAfter: "0" });
    ok(await operations.acceptJob({ params: { path: { jobId: one.jobId } }, body: await addPerson() }));
    expect(await found({ needs: "confirmation" })).toEqual([one.jobId]);
    await expect.poll(() => found({ needs: "people" })).toEqual([other.jobId]);
    provider.clearFaults();
    await organisation.idle();
    expect(await found({ needs: "confirmation" })).toEqual([]);
  });

  it("are counted by organisation, up to a limit that the count states", async () => {
    await insertJobs(database().kysely, organisation, { count: 10_001, firstStart: FIRST_START });
    await insertJobs(database().kysely, organisation, {
      count: 10_000,
      firstStart: FIRST_START,
      status: "filled",
    });
    expect(await counts({ providerId: organisation.providerId })).toMatchObject({
      open: { count: 10_000, exact: false },
      filled: { count: 10_000, exact: true },
    });
    expect((await counts({ providerId: crypto.randomUUID() })).open).toEqual({ count: 0, exact: true });
  });

  // On Citus the coordinator shows no index: the worker chooses it.
  it.skipIf(isOnCitus).each([
    [{ group: "active", order: "earliest" }, "jobs_active"],
    [{ status: "cancelled", order: "latest" }, "jobs_status"],
    [{ group: "not_cancelled", order: "earliest" }, "jobs_start"],
  ] as const)("are read from one index: %o from %s", async (query, index) => {
    const { kysely } = database();
    await insertJobs(kysely, organisation, { count: 20_000, firstStart: FIRST_START, status: "expired" });
    await insertJobs(kysely, organisation, { count: 2_000, firstStart: FIRST_START });
    await insertJobs(kysely, organisation, { count: 200, firstStart: FIRST_START, status: "cancelled" });
    await sql`analyze jobs`.execute(kysely);
    const condition =
      "status" in query
        ? sql`status = 'cancelled'`
        : query.group === "active"
          ? sql`status in ('blocked_mapping', 'open', 'filled')`
          : sql`status <> 'cancelled'`;
    const direction = sql.raw(query.order === "latest" ? "desc" : "asc");
    const { rows } = await sql<{ "QUERY PLAN": string }>`explain select * from jobs where ${condition}
      order by start_time ${direction}, job_id ${direction} limit 101`.execute(kysely);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toMatch(new RegExp(`Index Scan.* using ${index} on jobs`));
    expect(plan).not.toContain("Sort");
  });

  it("have the candidates with an offer first, mark who is busy, and find the last of 2,001 by name", async () => {
    const { operations, addPerson, accept, open } = organisation;
    const [offered, busy, booked] = [
      await addPerson({ firstName: "Astrid", lastName: "Offered" }),
      await addPerson({ firstName: "Bo", lastName: "Busy" }),
      await addPerson({ firstName: "Carl", lastName: "Booked" }),
    ];
    const unable = await addPerson({ firstName: "Dag", lastName: "Unable", competenceIds: [] });
    await accept(await open(), busy);
    const job = await open({ positions: 3 });
    await accept(job, booked);
    await organisation.idle();
    await insertPeople(database().kysely, organisation, { candidateId: unable.candidateId, count: 2_001 });
    const list = async (query: { search?: string; limit?: number; cursor?: string }) =>
      ok(await operations.listJobCandidates({ params: { path: { jobId: job.jobId }, query } }));
    const first = await list({ limit: 3 });
    expect(first.items.map(({ lastName }) => lastName)).toEqual(["Booked", "Offered", "1"]);
    const flags = ({ lastName, offered: has, able, busy: is, booked: holds }: JobCandidate) => [
      lastName,
      { has, able, is, holds },
    ];
    const byName = async (search: string) => (await list({ search })).items.map(flags);
    expect(await byName("Offered")).toEqual([
      ["Offered", { has: true, able: true, is: false, holds: false }],
    ]);
    expect(await byName("busy")).toEqual([["Busy", { has: false, able: true, is: true, holds: false }]]);
    expect(await byName("Booked")).toEqual([["Booked", { has: true, able: true, is: false, holds: true }]]);
    expect(await byName("unable")).toEqual([
      ["Unable", { has: false, able: false, is: false, holds: false }],
    ]);
    expect(await byName("Person 2001")).toEqual([
      ["2001", { has: false, able: true, is: false, holds: false }],
    ]);
    const all = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 200, ...(cursor && { cursor }) });
      for (const { candidateId } of page.items) all.add(candidateId);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(all.size).toBe(2_005);
    expect(all.has(offered.candidateId)).toBe(true);
  });
});
