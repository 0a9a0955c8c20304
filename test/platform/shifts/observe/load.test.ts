import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/contract/timestamp.ts";
import { camelCase } from "../../../../src/platform/db/names.ts";
import { begin } from "../../../../src/platform/integrations/conditions.ts";
import { requireIntegration } from "../../../../src/platform/integrations/integration.ts";
import { loadShifts } from "../../../../src/platform/shifts/observe/load.ts";
import {
  countRemoved,
  findArrived,
  findMoved,
} from "../../../../src/platform/shifts/observe/surroundings.ts";
import type { ShiftState } from "../../../../src/platform/shifts/plan/state.ts";
import { type Trx, transact } from "../../../../src/platform/transaction.ts";
import { depsFor } from "../../../harness/deps.ts";
import { featureEngines, useEngine } from "../../../harness/engines.ts";
import { startOrganisation } from "../../../harness/started-organisation.ts";
import { aShift } from "../plan/states.ts";

describe.each(featureEngines)("the state of a shift, on %s", (engine) => {
  const database = useEngine(engine);

  it("has the integration as it is stored, each time among them", async () => {
    const organisation = await startOrganisation(database());
    const { kysely } = database();
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_name = 'integrations' and data_type = 'timestamp with time zone'`.execute(kysely);
    expect(rows.length).toBeGreaterThan(5);
    const times = rows.map(({ name }) => sql`${sql.ref(name)} = now()`);
    await sql`update integrations set ${sql.join(times)}`.execute(kysely);
    const { providerId } = organisation;
    for (const code of ["rate_limited", "token_rejected"] as const)
      await transact(depsFor(database()), (trx) =>
        begin(trx, depsFor(database()), providerId, code, { until: new Date() }),
      );
    const stored = await requireIntegration(kysely, providerId);
    expect(stored.conditions.map(({ code }) => code)).toEqual(["token_rejected", "rate_limited"]);
    const key = { providerId, shiftId: randomUUID() };
    const [loaded] = await loadShifts(kysely, [{ key }], new Date(), providerId);
    for (const { name } of rows) expect(stored).toHaveProperty(camelCase(name), expect.any(Date));
    expect(loaded?.integration).toEqual(stored);
    await organisation.close();
  });

  /** Books a person on the first shift. `assign` puts them on the other one, `hours` later, at the provider. */
  async function bookOne(hours = 0) {
    const organisation = await startOrganisation(database());
    const [first, person] = [await organisation.open(), await organisation.addPerson()];
    const later = (time: string) => new Date(Date.parse(time) + hours * HOUR_MS).toISOString();
    const other = await organisation.open({
      startTime: later(first.startTime),
      endTime: later(first.endTime),
    });
    await organisation.accept(first, person);
    const assign = () => {
      organisation.provider.assign(other.shiftId, organisation.idOf(person));
      return organisation.process("shift.update", other.shiftId);
    };
    return { organisation, first, other, candidateId: person.candidateId, assign };
  }

  it.each([
    ["at the same time", 0, null, 1],
    ["at another time, and missing", 48, new Date(), 1],
    ["only at another time", 48, null, 0],
  ])(
    "is read again at once if another list shows someone who is booked on it %s: %d hours later",
    async (_, hours, missingSince, times) => {
      const { organisation, first, assign } = await bookOne(hours);
      await database().kysely.updateTable("bookings").set({ missingSince }).execute();
      const reads = () => organisation.callCount("GET", `/shifts/${first.shiftId}`);
      const before = reads();
      await assign();
      expect(reads() - before).toBe(times);
      await organisation.close();
    },
  );

  /** The person is booked on the first shift, and the provider has put them on the second one too. */
  interface Seen {
    trx: Trx;
    first: ShiftState;
    second: ShiftState;
    candidateId: string;
  }

  const endedAt = (at: RawBuilder<unknown>) =>
    sql`update bookings set status = 'released', reason = 'shift_deleted', at_provider = 'no', updated_at = ${at}`;

  it.each<[string, number, (at: RawBuilder<unknown>) => RawBuilder<unknown>, (seen: Seen) => unknown]>([
    ["the end of a booking", 120, endedAt, ({ first }) => first.bookings.length],
    [
      "a person whom a list lacks",
      10,
      (at) => sql`update bookings set missing_since = ${at}`,
      async ({ trx, second }) => (await countRemoved(trx, second, new Date())).missing,
    ],
    [
      "a person whom another shift lists too",
      120,
      (at) => sql`update own_people set created_at = ${at}`,
      async ({ trx, first, candidateId }) => (await findMoved(trx, first, [candidateId], new Date())).length,
    ],
    [
      "a person whose booking on another shift has ended",
      10,
      endedAt,
      async ({ trx, second, candidateId }) => {
        const listed = [{ providerCandidateId: "person", candidateId }];
        return (await findArrived(trx, second, { listed }, aShift())).length;
      },
    ],
  ])("shows %s for %d minutes", async (_, minutes, happened, count) => {
    const { organisation, first, other, candidateId, assign } = await bookOne();
    await assign();
    const { providerId } = organisation;
    const keys = [first.shiftId, other.shiftId].map((each) => ({ key: { providerId, shiftId: each } }));
    const counted = (age: number) =>
      transact({ database: database() }, async (trx) => {
        await happened(sql`now() - ${age}::int * interval '1 minute'`).execute(trx);
        const [one, two] = await loadShifts(trx, keys, new Date(), providerId);
        if (!one || !two) return expect.unreachable();
        return count({ trx, first: one.state, second: two.state, candidateId });
      });
    expect([await counted(minutes - 1), await counted(minutes + 1)]).toEqual([1, 0]);
    await organisation.close();
  });
});
