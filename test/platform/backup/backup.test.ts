import { randomBytes, randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { backup } from "../../../src/cli/backup.ts";
import { restore } from "../../../src/cli/restore.ts";
import { readLines, writeBackup } from "../../../src/platform/backup/file.ts";
import { load } from "../../../src/platform/backup/load.ts";
import { type Database, openDatabase, openUnmigrated } from "../../../src/platform/db/database.ts";
import { inTransaction } from "../../../src/platform/db/in-transaction.ts";
import { readMigrations } from "../../../src/platform/db/migrate.ts";
import { joinProcesses } from "../../../src/platform/db/processes.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { addRows, digestsOf, textOf, writeAsBackup } from "../../harness/backup-rows.ts";
import { copyDatabase, copyFolder, engines, silent } from "../../harness/engines.ts";

const secretKey = randomBytes(32);

/** Runs a command and returns its exit code and lines. */
async function run(command: typeof backup, argv: string[], env: Record<string, string>) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const code = await command(argv, { stdout: write, stderr: write, env });
  return { code, text: lines.join("\n") };
}

/** The constraints of every table but those of single days; pg_class does not show the copies that Citus has on the coordinator. */
async function constraints({ raw }: Database) {
  const { rows } = await raw.executeSql(`
    select conrelid::regclass::text as name, conname, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid in (select oid from pg_class where relnamespace = 'shiftpact'::regnamespace) and conrelid::regclass::text !~ '_\\d{8}$' and contype <> 'n'
    order by conrelid::regclass::text collate "C", conname`);
  return rows;
}

const CHANGED = /the backup was changed or cut off/;
const HOSTILE = 'workplaces"; create table public.owned (); --';
const [PREAMBLE, CHUNK] = [72, 64 * 1024 + 16];

/** The file with only these of its chunks. */
const chunks = (bytes: Buffer, which: readonly number[]) => {
  const body = bytes.subarray(PREAMBLE);
  const all = which.map((nth) => body.subarray(nth * CHUNK, (nth + 1) * CHUNK));
  return Buffer.concat([bytes.subarray(0, PREAMBLE), ...all]);
};

const flipped = (bytes: Buffer, at: number) => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

const withDay = (text: string, table: string, day: string) =>
  text.replace(
    '"days":[',
    `"days":[${JSON.stringify({ table, day })}${text.includes('"days":[]') ? "" : ","}`,
  );

/** The number of tables that a restore may have made. */
async function tablesAt(where: { url: string } | { dataDir: string }) {
  const { raw, close } = await openUnmigrated({ ...where, log: silent });
  const { rows } = await raw.executeSql(
    "select count(*)::int as count from pg_tables where schemaname in ('shiftpact', 'public')",
  );
  await close();
  return rows[0].count;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(dirname(inject("pgliteTemplate")), "backup-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const key = { SECRET_KEY: secretKey.toString("base64") };

/** A place with rows of every kind, closed; `empty` to restore into. */
async function makePlace(engine: (typeof engines)[number], isEmpty: boolean) {
  if (engine === "postgres") {
    const { where, remove } = await copyDatabase({ empty: isEmpty });
    return { env: { ...key, DATABASE_URL: where.url ?? "" }, where, remove };
  }
  const dataDir = await mkdtemp(join(folder, "data-"));
  const where = { dataDir: join(dataDir, "database") };
  if (!isEmpty) {
    const copy = await copyFolder();
    cpSync(copy.where.dataDir, where.dataDir, { recursive: true });
    await copy.remove();
  }
  const remove = () => rm(dataDir, { recursive: true, force: true });
  return { env: { ...key, SHIFTPACT_DATA: dataDir }, where, remove };
}

async function using<T>(where: { url?: string; dataDir?: string }, use: (database: Database) => Promise<T>) {
  const database = await openDatabase({ ...where, log: silent });
  return use(database).finally(database.close);
}

const pairs = engines.flatMap((from) => engines.map((to) => ({ from, to })));

describe("a backup", () => {
  it.each(pairs)("of $from is restored into $to exactly", async ({ from, to }) => {
    const source = await makePlace(from, false);
    const target = await makePlace(to, true);
    const file = join(folder, `${from}-${to}.shiftpact`);
    const before = await using(source.where, async (database) => {
      await addRows(database, createVault(secretKey));
      const [session_hash, at] = ["of-a-session", new Date()];
      await database.kysely
        .insertInto("console_sessions")
        .values({ session_hash, token_hash: null, created_at: at, used_at: at })
        .execute();
      return { rows: await digestsOf(database), constraints: await constraints(database) };
    });
    expect(await run(backup, [file], source.env)).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(restore, [file], target.env)).toMatchObject({ code: 0 });
    const after = await using(target.where, async (database) => ({
      rows: await digestsOf(database),
      constraints: await constraints(database),
    }));
    expect(after.rows.console_sessions).toMatchObject({ rows: 0 });
    // The catch-up makes shifts and work due, and sessions end.
    const changed = [
      "console_sessions",
      "shifts",
      "work",
      "issues",
      "bookings",
      "notifications",
      "shift_changes",
    ];
    const kept = (all: Record<string, unknown>) =>
      Object.entries(all).filter(([name]) => !changed.includes(name));
    expect(kept(after.rows)).toEqual(kept(before.rows));
    expect(Object.keys(after.rows)).toEqual(Object.keys(before.rows));
    expect(after.constraints).toEqual(before.constraints);
    await source.remove();
    await target.remove();
  });

  it.each(engines)("of an older version is restored into %s as it was, and then migrated", async (engine) => {
    const source = await makePlace("postgres", false);
    await using(source.where, (database) => addRows(database, createVault(secretKey), 10));
    const file = join(folder, `older-${engine}.shiftpact`);
    expect(await run(backup, [file], source.env)).toMatchObject({ code: 0 });
    const target = await makePlace(engine, true);
    const sql = "alter table workplaces add column floor integer; update workplaces set floor = 1";
    const next = { name: "901-floors.sql", sql, checksum: "of-floors", worksWith: "001" };
    const known = [...(await readMigrations()), next];
    const { raw, close } = await openUnmigrated({ ...target.where, log: silent });
    const { migrated } = await raw.alone((sql) =>
      inTransaction(sql, () => load(sql, readLines(file, createVault(secretKey)), known)),
    );
    expect(migrated).toEqual([next.name]);
    const { rows } = await raw.executeSql("select count(floor) as floors from shiftpact.workplaces");
    expect(rows).toEqual([{ floors: 10 }]);
    await close();
    await source.remove();
    await target.remove();
  });

  it("of a distributed database is refused while a platform is at work there, with what to do", async () => {
    const { where, remove } = await makePlace("postgres", false);
    await using(where, async (database) => {
      const distributed = { ...database, isDistributed: true };
      const write = async () => {
        const sink = new PassThrough();
        const bytes = buffer(sink);
        await writeBackup(distributed, createVault(secretKey), sink);
        return (await bytes).byteLength;
      };
      const processes = await joinProcesses(database, silent);
      await expect(write()).rejects.toThrow(
        /^1 platform process on this distributed database, .*: stop the platform/,
      );
      await processes.leave();
      expect(await write()).toBeGreaterThan(0);
    });
    await remove();
  });

  describe("is refused", () => {
    let file = "";
    let source: Awaited<ReturnType<typeof makePlace>>;
    beforeAll(async () => {
      source = await makePlace("postgres", false);
      await using(source.where, (database) => addRows(database, createVault(secretKey)));
      file = join(folder, "whole.shiftpact");
      await run(backup, [file], source.env);
    });
    afterAll(() => source.remove());

    const vault = createVault(secretKey);
    /** Restores what was made of the file into an empty database, which it must leave empty. */
    const refused = async (make: (path: string) => Promise<void>) => {
      const place = await makePlace("postgres", true);
      const path = join(folder, `${randomUUID()}.shiftpact`);
      await make(path);
      const { code, text } = await run(restore, [path], place.env);
      const left = await tablesAt(place.where);
      await place.remove();
      return { code, text, left };
    };

    it.each(engines)("when the database is not empty: %s", async (engine) => {
      const place = await makePlace(engine, false);
      const { code, text } = await run(restore, [file], place.env);
      expect(code).toBe(1);
      expect(text).toMatch(engine === "pglite" ? /exists/ : /is not empty/);
      await place.remove();
    });

    it.each(engines)("with another SECRET_KEY, and leaves nothing: %s", async (engine) => {
      const place = await makePlace(engine, true);
      const other = { ...place.env, SECRET_KEY: randomBytes(32).toString("base64") };
      const { code, text } = await run(restore, [file], other);
      expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining("SECRET_KEY") });
      if ("dataDir" in place.where) expect(existsSync(place.where.dataDir)).toBe(false);
      expect(await run(restore, [file], place.env)).toMatchObject({ code: 0 });
      await place.remove();
    });

    it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
      ["cut off", (bytes) => bytes.subarray(0, bytes.length / 2), CHANGED],
      ["cut off after a whole chunk", (bytes) => chunks(bytes, [0]), CHANGED],
      ["with a byte more", (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]), CHANGED],
      ["appended to itself", (bytes) => Buffer.concat([bytes, bytes.subarray(PREAMBLE)]), CHANGED],
      ["with chunks in another order", (bytes) => chunks(bytes, [1, 0]), CHANGED],
      ["with a chunk twice", (bytes) => chunks(bytes, [0, 0, 1]), CHANGED],
      [
        "with another salt",
        (bytes) => flipped(bytes, PREAMBLE - 10),
        /changed or cut off|beginning was changed/,
      ],
      [
        "with another id of its key",
        // It stays hexadecimal: otherwise the beginning is what is named.
        (bytes) => Buffer.from(bytes).fill(bytes[20] === 0x30 ? "1" : "0", 20, 21),
        /was encrypted with key .*, but SECRET_KEY is key/,
      ],
      [
        "with another beginning",
        (bytes) => flipped(bytes, 3),
        /no backup of shiftpact, or its beginning was changed/,
      ],
      ["with a changed first chunk", (bytes) => flipped(bytes, PREAMBLE), CHANGED],
      ["with a changed last byte", (bytes) => flipped(bytes, bytes.length - 1), CHANGED],
      [
        "of a newer format",
        (bytes) => Buffer.from(bytes.toString("latin1").replace(" 1 ", " 2 "), "latin1"),
        /format 2, which a newer/,
      ],
      ["empty", () => Buffer.alloc(0), /no backup of shiftpact/],
      ["compressed only, as nothing made it", () => gzipSync("{}"), /no backup of shiftpact/],
    ])("%s, and leaves nothing", async (_, change, message) => {
      const changed = change(await readFile(file));
      expect(changed.equals(await readFile(file))).toBe(false);
      const { code, text, left } = await refused((path) => writeFile(path, changed));
      expect({ code, text, left }).toEqual({ code: 1, text: expect.stringMatching(message), left: 0 });
    });

    it.each<[string, (text: string) => string, RegExp]>([
      [
        "that ends within a line",
        (text) => text.slice(0, text.length / 2),
        /incomplete: its last line is cut off/,
      ],
      [
        "without its last table",
        (text) => text.replace(/\n[^\n]*\n$/, "\n"),
        /incomplete: it ends within table/,
      ],
      ["with rows after its last table", (text) => `${text}()\n`, /it goes on after its last table/],
      [
        "without the end of a table",
        (text) => text.replace('{"end":"events"}\n', ""),
        /the end of table "events" is missing/,
      ],
      [
        "with a header of another form",
        (text) => text.replace("{", "["),
        /its header is not what a backup has/,
      ],
      [
        "with a row too long",
        (text) => text.replace("Ward 1", "x".repeat(17 * 1024 * 1024)),
        /a line of more than 16 MB/,
      ],
      [
        "with a value of another type, which is not shown",
        (text) => text.replace(/\n\(([^\n]*Ward 1[^\n]*\n)/, "\n(secret$1"),
        /: the backup is damaged: a row of table workplaces cannot be stored$/,
      ],
      [
        "of a newer version",
        (text) => text.replace('"migrations":[', '"migrations":[{"name":"901-x.sql","checksum":"x"},'),
        /newer version/,
      ],
      [
        "of another commit before the first release",
        (text) => text.replace('"checksum":"', '"checksum":"0'),
        /the schema of the backup is that of another commit: .*; restore it with the commit that made it$/m,
      ],
      [
        "with a table of another name",
        (text) => text.replaceAll('"workplaces"', JSON.stringify(HOSTILE)),
        /it has "workplaces\\"; create table public.owned/,
      ],
      [
        "with a table twice",
        (text) => text.replaceAll('"workplaces"', '"work"'),
        /has table "workplaces", it has "work"/,
      ],
      [
        "with a day of another table",
        (text) => withDay(text, HOSTILE, "2026-01-01"),
        /no table "workplaces\\"; create table public.owned.*" is kept by day/,
      ],
      [
        "with a day that is SQL",
        (text) => withDay(text, "event_log", "2026-01-01'); create table public.owned (); --"),
        /its days is not what/,
      ],
      [
        "with a day that does not exist",
        (text) => withDay(text, "event_log", "2026-02-31"),
        /its days is not what/,
      ],
      [
        "with a time that does not exist",
        (text) => text.replace(/"takenAt":"/, '"takenAt":"\\u001b[2J'),
        /its takenAt is not what/,
      ],
    ])("%s, although it is made with the key, and leaves nothing", async (_, change, message) => {
      const before = await textOf(file, vault);
      const after = change(before);
      expect(after).not.toBe(before);
      const { code, text, left } = await refused((path) => writeAsBackup(path, vault, after));
      expect({ code, text, left }).toEqual({ code: 1, text: expect.stringMatching(message), left: 0 });
    });

    it("when its file exists, unless it is to be replaced", async () => {
      expect(await run(backup, [file], source.env)).toMatchObject({ code: 1 });
      expect(await run(backup, [file, "--force"], source.env)).toMatchObject({ code: 0 });
      expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
    });
  });
});
