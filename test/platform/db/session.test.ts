import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../../src/platform/db/database.ts";
import { silent } from "../../harness/engines.ts";
import { copyOddDatabase, expectReliedOn } from "../../harness/odd-database.ts";
import { startWithTenants } from "../../harness/tenants.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

async function oddDatabase(settings?: Readonly<Record<string, string>>): Promise<string> {
  const { url, remove } = await copyOddDatabase(settings);
  undo.push(remove);
  return url;
}

async function opened(url: string): Promise<Database> {
  const database = await openDatabase({ url, log: silent });
  undo.push(database.close);
  return database;
}

describe("a database whose settings differ from what the platform relies on", () => {
  it("has sessions of the platform that are set to what it relies on", async () => {
    await expectReliedOn(await opened(await oddDatabase()));
  });

  it.each(["local", "remote_apply"])("keeps a durable synchronous_commit: %s", async (synchronousCommit) => {
    const { kysely } = await opened(await oddDatabase({ synchronous_commit: synchronousCommit }));
    const { rows } = await sql`show synchronous_commit`.execute(kysely);
    expect(rows).toEqual([{ synchronousCommit }]);
  });

  it("serves an organisation from onboarding to the job", async () => {
    const harness = await startWithTenants({ url: await oddDatabase() });
    undo.push(harness.close);
    const { provider } = await harness.onboard({ webhooks: { schedule: [0] } });
    const { shiftId, shift, traceId } = provider.createShift();
    expect(await provider.delivered(traceId)).toMatchObject({ delivered: true });
    await harness.platform.idle();
    const { body } = await harness.operate("GET", `/jobs?shiftId=${shiftId}`);
    expect(body).toMatchObject({ items: [{ shiftId, startTime: new Date(shift.startTime).toISOString() }] });
  });
});
