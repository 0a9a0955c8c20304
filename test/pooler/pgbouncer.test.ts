import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { afterRestore } from "../../src/cli/after-restore.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { newClientOf } from "../../src/platform/db/database-url.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { copyOddDatabase, expectReliedOn } from "../harness/odd-database.ts";
import { shiftEvent, startWithTenants, type TenantHarness } from "../harness/tenants.ts";
import { terminal } from "../harness/terminal.ts";
import { startPgbouncer } from "./pgbouncer.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

let direct: string;
beforeEach(async () => {
  const { where, remove } = await copyDatabase();
  undo.push(remove);
  direct = where.url;
});

async function pooled(mode: "session" | "transaction", url = direct): Promise<string> {
  const pooler = await startPgbouncer(url, mode);
  undo.push(pooler.stop);
  return pooler.url;
}

const SHIFTS = 30;

/** Onboards an organisation and has every one of its shifts become a job. */
async function fillShifts(harness: TenantHarness): Promise<void> {
  const { provider } = await harness.onboard({ webhooks: { schedule: [0] } });
  const created = Array.from({ length: SHIFTS }, () => provider.createShift());
  for (const { traceId } of created)
    expect(await provider.delivered(traceId)).toMatchObject({ delivered: true });
  await harness.platform.idle();
  const { body } = await harness.operate("GET", "/jobs?limit=100");
  const jobs = (body as { items: { shiftId: string; status: string }[] }).items;
  expect(new Set(jobs.map(({ shiftId }) => shiftId)).size).toBe(SHIFTS);
  expect((await harness.send("/health/ready")).status).toBe(200);
}

describe("a platform behind pgbouncer", () => {
  it("works with pooling by session", async () => {
    const harness = await startWithTenants({ url: await pooled("session") });
    undo.push(harness.close);
    await fillShifts(harness);
  });

  it("refuses pooling by transaction without a direct URL, and says what to do", async () => {
    const url = await pooled("transaction");
    for (const name of ["DATABASE_URL", "DIRECT_DATABASE_URL"]) {
      const place = name === "DATABASE_URL" ? { url } : { url, directUrl: url };
      await expect(openDatabase({ ...place, log: silent })).rejects.toThrow(
        new RegExp(`^${name} leads to a pooler in transaction mode, .*give DIRECT_DATABASE_URL`),
      );
    }
  });

  it("works with pooling by transaction and a direct URL, several processes at once", async () => {
    const databaseUrl = await pooled("transaction");
    const config = { databaseUrl, directDatabaseUrl: direct };
    const [harness, beside] = [
      await startWithTenants({ url: direct }, { config }),
      await startWithTenants({ url: direct }, { config }),
    ];
    undo.push(harness.close, beside.close);
    await fillShifts(harness);
    const { providerId } = harness.tenant;
    const sending = { method: "POST", authorization: `Bearer ${harness.tenant.platformToken}` };
    const path = "/webhooks/scheduling-provider";
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, nth) =>
        (nth % 2 ? harness : beside).send(path, { ...sending, body: shiftEvent(providerId) }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const count = "select count(*)::int as count from shiftpact.events where provider_id = $1";
    const database = await openDatabase({ url: direct, log: silent });
    undo.push(database.close);
    expect((await database.raw.executeSql(count, [providerId])).rows).toEqual([{ count: 200 }]);
  });

  it("has every transaction set to what the platform relies on, and leaves nothing in the session", async () => {
    const odd = await copyOddDatabase();
    undo.push(odd.remove);
    const url = await pooled("transaction", odd.url);
    const database = await openDatabase({ url, directUrl: odd.url, log: silent });
    undo.push(database.close);
    await expectReliedOn(database);
    const other = newClientOf(url);
    await other.connect();
    undo.push(() => other.end());
    for (let nth = 0; nth < 8; nth += 1)
      expect((await other.query("show jit")).rows).toEqual([{ jit: "on" }]);
  });

  it("starts on a database that was used without it, and after-restore works with a direct URL", async () => {
    const before = await startWithTenants({ url: direct });
    await before.close();
    const databaseUrl = await pooled("transaction");
    const { io, err } = terminal({
      LOG_LEVEL: "silent",
      DATABASE_URL: databaseUrl,
      DIRECT_DATABASE_URL: direct,
    });
    expect([await afterRestore([], io), err]).toEqual([0, []]);
    const after = await startWithTenants(
      { url: direct },
      { config: { databaseUrl, directDatabaseUrl: direct } },
    );
    await after.close();
  });

  it("reports the failure of a single statement, and has the connection go on", async () => {
    const database = await openDatabase({ url: await pooled("transaction"), directUrl: direct, log: silent });
    undo.push(database.close);
    const row = { competenceId: crypto.randomUUID(), name: "Cook" };
    const store = () => database.kysely.insertInto("competences").values(row).execute();
    await store();
    await expect(store()).rejects.toMatchObject({ code: "23505" });
    const failed = database.kysely.transaction().execute(async (trx) => {
      await trx
        .insertInto("competences")
        .values({ ...row, competenceId: crypto.randomUUID() })
        .execute();
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await database.kysely.selectFrom("competences").select("name").execute()).toEqual([
      { name: "Cook" },
    ]);
  });
});
