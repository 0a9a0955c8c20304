import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../src/platform/db/database.ts";
import { openPostgres } from "../../../src/platform/db/postgres/postgres.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";
import { startHarness } from "../../harness/platform.ts";

const WAIT = { timeout: 60_000 };

/** Two databases open on one server. Distributed ones are set as on Citus, each with the connections of a process at a node of its own. */
async function openTwo(isDistributed: boolean): Promise<[Database, Database]> {
  const { where, remove } = await copyDatabase();
  onTestFinished(remove);
  const open = () => {
    const database = openPostgres(where.url, silent, { isDistributed });
    onTestFinished(database.close);
    return database;
  };
  return [open(), open()];
}

/** Sessions that hold the lock of a person, and do nothing else meanwhile. */
const sessionsBeside = (database: Database) => async () => {
  const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
    and state = 'idle in transaction' and query like '%insert into locks%'`.execute(database.kysely);
  return rows.length;
};

async function startOn(database: Database) {
  const harness = await startHarness(database, { timing: { answerWithinMs: 0 } });
  onTestFinished(harness.close);
  return harness;
}

const sessionsWaiting = (database: Database) => async () => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.kysely);
  return rows.length;
};

// Not on the embedded engine, which has one session.
describe.each([
  ["of processes on one PostgreSQL", false],
  ["of processes at two nodes, whose locks are held beside their transactions", true],
])("accepts at two organisations at once, %s,", (_, isDistributed) => {
  it("wait for each other if they are of one person, and not if they are of two", async () => {
    const [one, two] = await openTwo(isDistributed);
    const [first, second] = [await startOn(one), await startOn(two)];
    const [here, there] = [await first.onboard(), await second.onboard()];
    const competenceIds = [here.competenceId, there.competenceId];
    const [person, other] = [
      await here.addPerson({ competenceIds }),
      await here.addPerson({ competenceIds }),
    ];
    const [job, overlapping, unrelated] = [await here.open(), await there.open(), await there.open()];
    const ids = { providerId: here.providerId, candidateId: person.candidateId };
    const trouble = sql<never>`'{"kind": "forgotten"}'::jsonb`;
    await one.kysely
      .insertInto("providerCandidates")
      .values({ ...ids, trouble })
      .execute();
    const replies = await one.kysely.transaction().execute(async (trx) => {
      // The first accept locks the person, and then waits for this row.
      await sql`select 1 from provider_candidates where provider_id = ${ids.providerId} and candidate_id = ${ids.candidateId} for update`.execute(
        trx,
      );
      const accepted = here.accept(job, person);
      await expect.poll(sessionsWaiting(two), WAIT).toBe(1);
      await expect.poll(sessionsBeside(two), WAIT).toBe(isDistributed ? 1 : 0);
      expect(await there.accept(unrelated, other)).toMatchObject({ status: 202 });
      const waiting = there.accept(overlapping, person);
      await expect.poll(sessionsWaiting(two), WAIT).toBe(2);
      return [accepted, waiting];
    });
    expect(await Promise.all(replies)).toMatchObject([
      { status: 202 },
      { status: 409, code: "booking_overlaps" },
    ]);
  });
});

describe("the deletion of a draft whose registry has named many people", () => {
  it("holds up only the people of one batch", async () => {
    const [database] = await openTwo(false);
    const harness = await startOn(database);
    const [organisation, draft] = [await harness.onboard(), await harness.onboard({ activate: false })];
    const people: { candidateId: string }[] = [];
    for (let nth = 0; nth < 101; nth += 1) people.push(await organisation.addPerson());
    people.sort((person, other) => (person.candidateId < other.candidateId ? -1 : 1));
    const rows = people.map(({ candidateId }) => ({
      providerId: draft.providerId,
      candidateId,
      firstName: "",
      lastName: "",
      email: "",
      phone: "",
    }));
    await database.kysely.insertInto("memberships").values(rows).execute();
    const [first, last] = [people[0], people.at(-1)];
    if (!first || !last) throw new Error("there are people");
    const job = await organisation.open();
    const deletion = await database.kysely.transaction().execute(async (trx) => {
      await sql`select 1 from candidates where candidate_id = ${first.candidateId} for update`.execute(trx);
      const deleted = harness.operate("DELETE", `/integrations/${draft.providerId}`);
      await expect.poll(sessionsWaiting(database), WAIT).toBe(1);
      expect(await organisation.accept(job, last)).toMatchObject({ status: 202 });
      return { deleted };
    });
    expect((await deletion.deleted).status).toBe(204);
    const { rows: left } =
      await sql`select 1 from memberships where provider_id = ${draft.providerId}`.execute(database.kysely);
    expect(left).toEqual([]);
  });
});
