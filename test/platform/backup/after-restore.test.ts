import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { pino } from "pino";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { afterRestore } from "../../../src/cli/after-restore.ts";
import { restore } from "../../../src/cli/restore.ts";
import { MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { type Database, openDatabase } from "../../../src/platform/db/database.ts";
import { answerOn, catchMail, linksIn, ownLinkIn, PUBLIC_URL } from "../../harness/candidate-links.ts";
import { isOnCitus } from "../../harness/citus.ts";
import { hasPgDump, pgDump, pgRestore } from "../../harness/embedded-postgres.ts";
import { copyDatabase, engines, silent } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";
import { terminal } from "../../harness/terminal.ts";

const restorable = engines.filter((engine) => engine === "pglite" || (hasPgDump && !isOnCitus));

async function makeFolder() {
  const folder = await mkdtemp(join(dirname(inject("pgliteTemplate")), "after-restore-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function makeEmpty() {
  const { where, remove } = await copyDatabase({ empty: true });
  onTestFinished(remove);
  return where.url;
}

/** Of the running platform, as the guide has it. */
async function backUp({ platform, location }: Harness, file: string): Promise<void> {
  if (location.url !== undefined) return void (await pgDump(location.url, file));
  const headers = { Authorization: `Bearer ${platform.operationsToken}` };
  const response = await fetch(`${platform.url}/operations/v1/backup`, { headers });
  expect(response.status).toBe(200);
  await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(file));
}

/** Runs a command, which must succeed; returns its output. */
async function run(command: typeof restore, argv: string[], env: Record<string, string>) {
  const { io, out, err } = terminal({ LOG_LEVEL: "silent", ...env });
  expect([await command(argv, io), err]).toEqual([0, []]);
  return out.join("\n");
}

interface Restored {
  where: { url?: string; dataDir?: string };
  /** Runs `shiftpact after-restore` again. */
  repeat(argv?: string[]): Promise<string>;
}

async function restored(engine: (typeof engines)[number], file: string, argv: string[]): Promise<Restored> {
  if (engine === "pglite") {
    const dataDir = await makeFolder();
    await run(restore, [file, "--data", dataDir, ...argv], {});
    return {
      where: { dataDir: join(dataDir, "database") },
      repeat: (more = []) => run(afterRestore, ["--data", dataDir, ...more], {}),
    };
  }
  const url = await makeEmpty();
  await pgRestore(file, url);
  const repeat = (more: string[] = []) => run(afterRestore, more, { DATABASE_URL: url });
  // The platform that was backed up was at work in it a moment ago.
  await expect
    .poll(() => afterRestore(argv, terminal({ LOG_LEVEL: "silent", DATABASE_URL: url }).io), {
      timeout: 20_000,
      interval: 500,
    })
    .toBe(0);
  return { where: { url }, repeat };
}

/** A platform on a restored backup. */
async function start({ where }: Restored): Promise<Harness & { database: Database }> {
  const database = await openDatabase({ ...where, log: silent });
  const harness = await startHarness(database, { upkeep: { everyMs: 100 } });
  onTestFinished(async () => {
    await harness.close();
    await database.close();
  });
  return { ...harness, database };
}

describe.each(restorable)("a platform on a restored backup (%s)", (engine) => {
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
    // The person's own links are then stored with a salt.
    const ended = await answerOn(before.platform.url, ownLinkIn(mails[0]), "unsubscribe");
    expect(ended.status).toBe(303);
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

    const copy = await restored(engine, file, []);
    // Before a platform starts, to repeat it changes nothing that matters.
    await copy.repeat();
    const { platform, operations } = await start(copy);
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

  it("accepts no token and no session of an operator from before, and gives new ones; people who were erased since are erased again", async () => {
    const file = join(await makeFolder(), "backup");
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    const before = await startHarness(engine, { log });
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
    const signedIn = await before.operate("POST", "/session");
    const [cookie = ""] = signedIn.headers["set-cookie"]?.[0]?.split(";", 1) ?? [];
    // The name of a cookie has the port.
    const { host } = new URL(before.platform.url);
    const me = { headers: { cookie, host, "sec-fetch-site": "same-origin" } };
    expect((await before.send("/operations/v1/me", me)).status).toBe(200);
    await backUp(before, file);
    await before.operations.revokeOperator({ params: { path: { operatorId: revoked.operatorId } } });
    const byId = ({ candidateId }: { candidateId: string }) => ({ params: { path: { candidateId } } });
    await before.operations.eraseCandidate(byId(erased));
    await before.platform.close();
    // As the guide reads the list from the log.
    const logged = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "erased a person")
      .map(({ candidateId }) => candidateId);
    expect(logged).toEqual([erased.candidateId]);

    const unknown = "0190aaaa-0000-7000-8000-000000000000";
    const list = join(await makeFolder(), "erased.txt");
    await writeFile(list, `${[booked.candidateId, ...logged, unknown].join("\n")}\n`);
    const copy = await restored(engine, file, ["--erased", list]);
    expect(await copy.repeat(["--erased", list])).toContain("1 people are erased again");
    await copy.repeat();
    const after = await start(copy);
    const { operations } = after;
    const operatorsFor = (token: string) =>
      fetch(`${after.platform.url}/operations/v1/operators`, {
        headers: { Authorization: `Bearer ${token}` },
      });
    for (const { token } of [revoked, left]) expect((await operatorsFor(token)).status).toBe(401);
    expect((await after.send("/operations/v1/me", me)).status).toBe(401);
    const path = { operatorId: left.operatorId };
    const { token } = ok(await operations.rotateOperatorToken({ params: { path }, body: {} }));
    expect((await operatorsFor(token)).status).toBe(200);
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

describe("the start of a platform", () => {
  const openPlatform = (url: string) => startHarness({ url });

  it.runIf(hasPgDump && !isOnCitus)(
    "is refused on a copy until after-restore, or --same, was run there, and not on the original",
    async () => {
      const { where, remove } = await copyDatabase();
      onTestFinished(remove);
      await (await openPlatform(where.url)).close();
      const file = join(await makeFolder(), "file");
      await pgDump(where.url, file);
      for (const argv of [["--taken-at", "2026-03-01T02:00:00Z"], ["--same"]]) {
        const url = await makeEmpty();
        await pgRestore(file, url);
        await expect(openPlatform(url)).rejects.toThrow(
          /^the database is a copy, or was moved: run `shiftpact after-restore`/,
        );
        await run(afterRestore, argv, { DATABASE_URL: url });
        await (await openPlatform(url)).close();
      }
      await (await openPlatform(where.url)).close();
      // A dump in the place of the original is a copy, too.
      const { raw, close } = await openDatabase({ ...where, log: silent });
      await raw.executeSql("drop schema shiftpact cascade");
      await close();
      await pgRestore(file, where.url);
      await expect(openPlatform(where.url)).rejects.toThrow(/^the database is a copy/);
    },
  );

  it.skipIf(isOnCitus)("is refused on a copy that PostgreSQL makes of the files of a database", async () => {
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    await (await openPlatform(where.url)).close();
    const name = new URL(where.url).pathname.slice(1);
    const copy = await copyDatabase({ options: `template ${name}` });
    onTestFinished(copy.remove);
    await expect(openPlatform(copy.where.url)).rejects.toThrow(/^the database is a copy/);
  });
});

describe("shiftpact after-restore", () => {
  it("refuses while a platform is at work there, and names how to see that", async () => {
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    const harness = await startHarness({ url: where.url });
    onTestFinished(harness.close);
    const { io, err } = terminal({ LOG_LEVEL: "silent", DATABASE_URL: where.url });
    expect([await afterRestore([], io), err]).toEqual([
      1,
      [expect.stringMatching(/1 platform process at work .*`select \* from shiftpact\.processes`.*: stop/)],
    ]);
  });

  it.each([
    [["--taken-at", "monday"], "--taken-at must be a time in the past"],
    [["--same", "--taken-at", "2026-03-01T02:00:00Z"], "--same stands alone"],
    [["--erased", "LIST"], "line 2 of LIST is not a candidateId"],
    [["--erased", "MISSING"], "MISSING cannot be read (ENOENT)"],
  ])("refuses %j", async (argv, message) => {
    const folder = await makeFolder();
    await writeFile(join(folder, "LIST"), "0190aaaa-0000-7000-8000-000000000000\nRobin\n");
    const { io, err } = terminal({ LOG_LEVEL: "silent", SHIFTPACT_DATA: folder });
    const code = await afterRestore(
      argv.map((each) => (/^[A-Z]+$/.test(each) ? join(folder, each) : each)),
      io,
    );
    expect([code, err.join("\n").replaceAll(`${folder}/`, "")]).toEqual([
      2,
      expect.stringContaining(message),
    ]);
  });
});
