import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { useEngine } from "../../harness/engines.ts";
import { startHarness } from "../../harness/platform.ts";

const WAIT = { timeout: 20_000 };

// Not on the embedded engine, which has one session.
describe("accepts at two organisations at once on postgres", () => {
  const database = useEngine("postgres");

  const isHeld = (granted: boolean) => async () => {
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and granted = ${granted}
      and classid = 1 and objsubid = 2 and database = (select oid from pg_database where datname = current_database())`.execute(
      database().kysely,
    );
    return rows.length > 0;
  };

  it("wait for each other if they are of one person, and not if they are of two", async () => {
    const harness = await startHarness(database(), { timing: { answerWithinMs: 0 } });
    const [here, there] = [await harness.onboard(), await harness.onboard()];
    const competenceIds = [here.competenceId, there.competenceId];
    const [person, other] = [
      await here.addPerson({ competenceIds }),
      await here.addPerson({ competenceIds }),
    ];
    const [job, overlapping, unrelated] = [await here.open(), await there.open(), await there.open()];
    const { kysely } = database();
    const ids = { provider_id: here.providerId, candidate_id: person.candidateId };
    const trouble = sql<never>`'{"kind": "forgotten"}'::jsonb`;
    await kysely
      .insertInto("provider_candidates")
      .values({ ...ids, trouble })
      .execute();
    const replies = await kysely.transaction().execute(async (trx) => {
      // The first accept locks the person, and then waits for this row.
      await sql`select 1 from provider_candidates where provider_id = ${ids.provider_id} and candidate_id = ${ids.candidate_id} for update`.execute(
        trx,
      );
      const first = here.accept(job, person);
      await expect.poll(isHeld(true), WAIT).toBe(true);
      expect(await there.accept(unrelated, other)).toMatchObject({ status: 202 });
      const second = there.accept(overlapping, person);
      await expect.poll(isHeld(false), WAIT).toBe(true);
      return [first, second];
    });
    expect(await Promise.all(replies)).toMatchObject([
      { status: 202 },
      { status: 409, code: "booking_overlaps" },
    ]);
    await harness.close();
  });
});
