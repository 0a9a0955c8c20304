import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { MINUTE_MS } from "../../../src/contract/durations.ts";
import { readLines } from "../../../src/platform/backup/file.ts";
import { restore } from "../../../src/platform/backup/restore.ts";
import { type Database, openDatabase } from "../../../src/platform/db/database.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { catchMail, linksIn, PUBLIC_URL } from "../../harness/candidate-links.ts";
import { copyDatabase, engines, silent } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type Harness, SECRET_KEY, startHarness } from "../../harness/platform.ts";

async function makeFolder() {
  const folder = await mkdtemp(join(dirname(inject("pgliteTemplate")), "catch-up-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What the running platform answers to `GET /operations/v1/backup`. */
async function backUp({ platform }: Harness, file: string): Promise<void> {
  const headers = { Authorization: `Bearer ${platform.operationsToken}` };
  const response = await fetch(`${platform.url}/operations/v1/backup`, { headers });
  expect(response.status).toBe(200);
  await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(file));
}

/** A platform on the restored backup, on the same engine. */
async function startRestored(
  engine: (typeof engines)[number],
  file: string,
  erased?: readonly string[],
): Promise<Harness & { database: Database }> {
  const folder = await makeFolder();
  const empty = engine === "postgres" ? await copyDatabase({ empty: true }) : undefined;
  if (empty) onTestFinished(empty.remove);
  const where = empty?.where ?? { dataDir: join(folder, "database") };
  const target = { url: empty?.where.url, database: join(folder, "database") };
  const vault = createVault(SECRET_KEY);
  await restore({ ...target, vault, erased, log: silent }, () => readLines(file, vault));
  const database = await openDatabase({ ...where, log: silent });
  const harness = await startHarness(database, { upkeep: { everyMs: 100 } });
  onTestFinished(async () => {
    await harness.close();
    await database.close();
  });
  return { ...harness, database };
}

describe.each(engines)("a platform on a restored backup (%s)", (engine) => {
  it("agrees with the provider about what happened since, and neither assigns nor notifies again", async () => {
    const file = join(await makeFolder(), "backup");
    const { channel, mails } = catchMail();
    const before = await startHarness(engine, { config: { publicUrl: PUBLIC_URL }, channel });
    const organisation = await before.onboard({ connect: false });
    const { provider, send } = organisation;
    const open = async () => {
      const { shiftId } = provider.createShift();
      await send("shift.create", shiftId);
      await before.platform.idle();
      return organisation.job(shiftId);
    };
    const [left, moved, deleted] = [await open(), await open(), await open()];
    const person = await organisation.addPerson();
    await organisation.accept(left, person);
    await before.platform.idle();
    // The provider has listed the person.
    await send("shift.update", left.shiftId);
    await before.platform.idle();
    const notified = (await organisation.notifications(left)).length;
    const links = mails.flatMap(linksIn);
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) expect((await fetch(before.platform.url + link)).status).toBe(200);
    await backUp(before, file);
    // Since the backup.
    await organisation.withdraw(left, person);
    await before.platform.idle();
    await before.platform.close();
    const startTime = new Date(Date.parse(moved.startTime) + MINUTE_MS).toISOString();
    provider.updateShift(moved.shiftId, { startTime });
    provider.deleteShift(deleted.shiftId);
    const callsBefore = organisation.callCount("PUT", `/shifts/${left.shiftId}/assign/`);

    const { platform, operations } = await startRestored(engine, file);
    await platform.idle();
    const job = async (jobId: string) => ok(await operations.getJob({ params: { path: { jobId } } }));
    await expect.poll(async () => (await job(deleted.jobId)).status).toBe("cancelled");
    await expect
      .poll(async () => (await job(left.jobId)).bookings)
      .toMatchObject([{ status: "released", reason: "removed_by_provider" }]);
    expect(Date.parse((await job(moved.jobId)).startTime)).toBe(Date.parse(startTime));
    expect(organisation.callCount("PUT", `/shifts/${left.shiftId}/assign/`)).toBe(callsBefore);
    const issue = async () => {
      const { items } = ok(await operations.listIssues({ params: { query: {} } }));
      return items.find(({ code }) => code === "restored");
    };
    await expect
      .poll(async () => (await issue())?.params)
      .toMatchObject({ shifts: 3, read: 3, cancelled: 1, held: 0 });
    const { items } = ok(await operations.listNotifications({ params: { query: { jobId: left.jobId } } }));
    const confirmations = items.filter(({ kind }) => kind === "booking_confirmed");
    expect(confirmations).toHaveLength(1);
    expect(items.length).toBeGreaterThanOrEqual(notified);
    for (const link of links) expect((await fetch(platform.url + link)).status).toBe(410);
    await organisation.close();
  });

  it("accepts no token of an operator from before, and gives new ones; people who were erased since are erased again", async () => {
    const file = join(await makeFolder(), "backup");
    const before = await startHarness(engine);
    const organisation = await before.onboard({ connect: false });
    const job = await organisation.open();
    const [booked, erased, kept] = [
      await organisation.addPerson(),
      await organisation.addPerson(),
      await organisation.addPerson(),
    ];
    await organisation.accept(job, booked);
    await before.platform.idle();
    const create = (name: string) => before.operations.createOperator({ body: { name, role: "admin" } });
    const [revoked, left] = [ok(await create("Revoked")), ok(await create("Left"))];
    await backUp(before, file);
    await before.operations.revokeOperator({ params: { path: { operatorId: revoked.operatorId } } });
    const byId = ({ candidateId }: { candidateId: string }) => ({ params: { path: { candidateId } } });
    await before.operations.eraseCandidate(byId(erased));
    await before.platform.close();

    const unknown = "0190aaaa-0000-7000-8000-000000000000";
    const ids = [booked, erased].map(({ candidateId }) => candidateId);
    const after = await startRestored(engine, file, [...ids, unknown]);
    const { operations } = after;
    const list = (token: string) =>
      fetch(`${after.platform.url}/operations/v1/operators`, {
        headers: { Authorization: `Bearer ${token}` },
      });
    for (const { token } of [revoked, left]) expect((await list(token)).status).toBe(401);
    const path = { operatorId: left.operatorId };
    const { token } = ok(await operations.rotateOperatorToken({ params: { path }, body: {} }));
    expect((await list(token)).status).toBe(200);
    expect((await operations.getCandidate(byId(erased))).response.status).toBe(404);
    expect(ok(await operations.getCandidate(byId(kept)))).toMatchObject({ firstName: "Robin" });
    const { items } = ok(await operations.listIssues({ params: { query: {} } }));
    const issue = items.find(({ code }) => code === "restored");
    expect(issue?.params).toMatchObject({ tokensEnded: 2, erased: 1, notErased: [booked.candidateId] });
    const { rows } = await after.database.raw.executeSql("select 1 from shiftpact.erased_people");
    expect(rows).toHaveLength(1);
    await organisation.close();
  });
});
