import { randomBytes } from "node:crypto";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { backup } from "../../../src/cli/backup.ts";
import { restore } from "../../../src/cli/restore.ts";
import { AS_TEXT, readTables } from "../../../src/platform/backup/catalog.ts";
import { digestOf } from "../../../src/platform/backup/digest.ts";
import { type Database, openDatabase } from "../../../src/platform/db/database.ts";
import { migrate } from "../../../src/platform/db/migrate.ts";
import { openPostgres } from "../../../src/platform/db/postgres.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { copyDatabase, copyFolder, engines, silent } from "../../engines.ts";
import { addRows } from "./rows.ts";

const MIGRATIONS = new URL("../../../src/platform/db/migrations/", import.meta.url);
const secretKey = randomBytes(32);

/** Runs a command and returns its exit code and lines. */
async function run(command: typeof backup, argv: string[], env: Record<string, string>) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const code = await command(argv, { stdout: write, stderr: write, env });
  return { code, text: lines.join("\n") };
}

/** The digest of every table. */
const digests = ({ raw }: Database) =>
  raw.alone(async (sql) => {
    await sql("begin");
    await sql(AS_TEXT);
    const found: Record<string, unknown> = {};
    for (const table of await readTables(sql)) found[table.name] = await digestOf(sql, table);
    await sql("rollback");
    return found;
  });

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
      return digests(database);
    });
    expect(await run(backup, [file], source.env)).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(restore, [file], target.env)).toMatchObject({ code: 0 });
    const after = await using(target.where, digests);
    // The catch-up makes shifts and work due.
    const changed = ["shifts", "work", "issues", "bookings", "notifications", "shift_changes"];
    const kept = (all: Record<string, unknown>) =>
      Object.entries(all).filter(([name]) => !changed.includes(name));
    expect(kept(after)).toEqual(kept(before));
    expect(Object.keys(after)).toEqual(Object.keys(before));
    await source.remove();
    await target.remove();
  });

  it("of an older version is restored, and migrated", async () => {
    const source = await copyDatabase({ empty: true });
    const older = await mkdtemp(join(folder, "older-"));
    const names = (await readdir(MIGRATIONS)).filter((name) => name < "013");
    for (const name of names) await copyFile(new URL(name, MIGRATIONS), join(older, name));
    const database = openPostgres(source.where.url, silent);
    await migrate(database.raw, pathToFileURL(`${older}/`));
    await addRows(database, createVault(secretKey), 10);
    await database.close();
    const target = await makePlace("pglite", true);
    const file = join(folder, "older.shiftpact");
    expect(await run(backup, [file], { ...key, DATABASE_URL: source.where.url })).toMatchObject({ code: 0 });
    const { code, text } = await run(restore, [file], target.env);
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining("migrated by 013-") });
    const { rows } = await using(target.where, ({ raw }) =>
      raw.executeSql("select routing_source from shiftpact.integrations"),
    );
    expect(rows).toHaveLength(1);
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
      expect(text).toMatch(/is not empty|exists/);
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
      ["without a row", (text: string) => text.replace(/\n\([^\n]*Ward 1[^\n]*\n/, "\n"), /rows instead of/],
      ["of a newer version", (text: string) => text.replace('"name":"001', '"name":"901'), /newer version/],
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
