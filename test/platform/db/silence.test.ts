import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/platform/db/database.ts";
import { openPostgres } from "../../../src/platform/db/postgres/postgres.ts";
import { copyDatabase, silent } from "../../harness/engines.ts";
import { type Gate, openGate } from "../../harness/gate.ts";

describe("a connection to PostgreSQL that stops responding", () => {
  let gate: Gate;
  let database: Database;
  let removeDatabase: () => Promise<void>;
  beforeEach(async () => {
    const { where, remove } = await copyDatabase();
    removeDatabase = remove;
    gate = await openGate(where.url);
    database = openPostgres(gate.url, silent, { silence: { statementMs: 300, listenMs: 300 } });
  });
  afterEach(async () => {
    await database.close();
    await gate.shut();
    await removeDatabase();
  });

  const statement = () => database.kysely.selectFrom("workplaces").selectAll().execute();

  it("fails its statement, and is not used again", async () => {
    expect(await statement()).toEqual([]);
    gate.freeze();
    await expect(statement()).rejects.toThrow("Query read timeout");
    expect(await statement()).toEqual([]);
  });

  it("fails a transaction as a whole", async () => {
    const transaction = database.kysely.transaction().execute(async (trx) => {
      await trx.insertInto("workplaces").values({ workplaceId: PLACE, name: "Kajen" }).execute();
      gate.freeze();
      await trx.selectFrom("workplaces").selectAll().execute();
    });
    await expect(transaction).rejects.toThrow("Query read timeout");
    expect(await statement()).toEqual([]);
  });

  it("fails a raw statement", async () => {
    const ask = () => database.raw.executeSql("select $1::int as one", [1]);
    expect((await ask()).rows).toEqual([{ one: 1 }]);
    gate.freeze();
    await expect(ask()).rejects.toThrow("Query read timeout");
    expect((await ask()).rows).toEqual([{ one: 1 }]);
  });

  it("hears signals again", async () => {
    const again = Promise.withResolvers<void>();
    let heard: string | undefined;
    let connections = 0;
    const onHeard = (payload: string) => {
      heard = payload;
    };
    const subscription = await database.raw.listen("probe", onHeard, () => {
      connections += 1;
      if (connections === 2) again.resolve();
    });
    gate.freeze();
    await again.promise;
    // On a busy machine, this connection or the other one may be given up again.
    const notify = () =>
      database.raw.executeSql("select pg_notify('probe', $1)", ["payload"]).catch(() => undefined);
    await expect.poll(() => notify().then(() => heard)).toBe("payload");
    await subscription.close();
  });
});

it("a statement that is prepared survives a table that a newer process alters", async () => {
  const { where, remove } = await copyDatabase();
  const database = openPostgres(where.url, silent);
  const read = () =>
    database.kysely.selectFrom("workplaces").selectAll().where("name", "=", "Kajen").execute();
  expect(await read()).toEqual([]);
  await database.raw.executeSql("alter table shiftpact.workplaces add column floor int");
  await expect(read()).rejects.toThrow("cached plan must not change result type");
  expect(await read()).toEqual([]);
  await database.close();
  await remove();
});

const PLACE = "0190c7a4-0000-7000-8000-000000000007";
