import { randomBytes } from "node:crypto";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { backup } from "../../../src/cli/backup.ts";
import { restore } from "../../../src/cli/restore.ts";
import { readLines } from "../../../src/platform/backup/file.ts";
import { load } from "../../../src/platform/backup/load.ts";
import { type Database, openDatabase, openUnmigrated } from "../../../src/platform/db/database.ts";
import { inTransaction } from "../../../src/platform/db/in-transaction.ts";
import { readMigrations } from "../../../src/platform/db/migrate.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { addRows, digestsOf } from "../../harness/backup-rows.ts";
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
      inTransaction(sql, () => load(sql, readLines(file), () => undefined, known)),
    );
    expect(migrated).toEqual([next.name]);
    const { rows } = await raw.executeSql("select count(floor) as floors from shiftpact.workplaces");
    expect(rows).toEqual([{ floors: 10 }]);
    await close();
    await source.remove();
    await target.remove();
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

    const changed = async (name: string, change: (text: string) => string) => {
      const path = join(folder, name);
      await writeFile(path, gzipSync(change(gunzipSync(await readFile(file)).toString())));
      return path;
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

    it.each([
      ["cut off", (text: string) => text.slice(0, text.length / 2), /incomplete|cannot be read/],
      ["without its last line", (text: string) => text.replace(/\{"complete".*\n$/, ""), /incomplete/],
      ["with a changed value", (text: string) => text.replace("Ward 1", "Ward 2"), /checksum differs/],
      [
        "with a value that is none of its type, which is not shown",
        (text: string) => text.replace(/\n\(([^\n]*Ward 1[^\n]*\n)/, "\n(secret$1"),
        /: the backup is damaged: a row of table workplaces cannot be stored$/,
      ],
      ["without a row", (text: string) => text.replace(/\n\([^\n]*Ward 1[^\n]*\n/, "\n"), /rows instead of/],
      [
        "of a newer version",
        (text: string) =>
          text.replace('"migrations":[', '"migrations":[{"name":"901-x.sql","checksum":"x"},'),
        /newer version/,
      ],
      [
        "of another commit before the first release",
        (text: string) => text.replace('"checksum":"', '"checksum":"0'),
        /the schema of the backup is that of another commit: .*; restore it with the commit that made it$/m,
      ],
    ])("%s, and leaves nothing", async (name, change, message) => {
      const place = await makePlace("postgres", true);
      const damaged = await changed(`${name}.shiftpact`, change);
      const { code, text } = await run(restore, [damaged], place.env);
      expect(code).toBe(1);
      expect(text).toMatch(message);
      expect(await run(restore, [file], place.env)).toMatchObject({ code: 0 });
      await place.remove();
    });

    it("when its file exists, unless it is to be replaced", async () => {
      expect(await run(backup, [file], source.env)).toMatchObject({ code: 1 });
      expect(await run(backup, [file, "--force"], source.env)).toMatchObject({ code: 0 });
      expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
    });
  });
});
