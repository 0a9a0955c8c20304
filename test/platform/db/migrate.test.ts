import { appendFile, cp, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { migrate, readMigrations, SchemaError } from "../../../src/platform/db/migrate.ts";
import { copyDatabase, engines, silent, useEngine } from "../../harness/engines.ts";

const MIGRATIONS = new URL("../../../src/platform/db/migrations/", import.meta.url);
const ALL = (await readdir(MIGRATIONS)).sort().map((name) => ({ name }));

describe.each(engines)("migrations on %s", (engine) => {
  const database = useEngine(engine);
  let folder: string;
  const put = (name: string, sql: string) => writeFile(join(folder, name), sql);
  const run = () => migrate(database().raw, pathToFileURL(`${folder}/`));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "shiftpact-migrations-"));
    await cp(MIGRATIONS, folder, { recursive: true });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await database().raw.executeSql(
      "drop table if exists shiftpact.probe; delete from shiftpact.migrations where name like '9%'",
    );
  });

  it("are applied in order, once", async () => {
    await put("902-b.sql", "insert into probe values (2);");
    await put("901-a.sql", "create table probe (n int); insert into probe values (1);");
    await put("notes.txt", "not sql");
    expect(await run()).toEqual(["901-a.sql", "902-b.sql"]);
    expect(await run()).toEqual([]);
    expect((await database().raw.executeSql("select n from shiftpact.probe order by n")).rows).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
  });

  it("refuse a file that was changed after it was applied", async () => {
    await put("901-a.sql", "create table probe (n int);");
    await run();
    await put("901-a.sql", "create table probe (n bigint);");
    await expect(run()).rejects.toThrow(/901-a\.sql was changed after it was applied/);
  });

  it("leave nothing of a file that failed, and can go on", async () => {
    await put("901-a.sql", "create table probe (n int);");
    await put("902-b.sql", "insert into probe values (1); select no_such_function();");
    await expect(run()).rejects.toThrow(/902-b\.sql failed: .*no_such_function/);
    expect((await database().raw.executeSql("select n from shiftpact.probe")).rows).toEqual([]);
    await put("902-b.sql", "insert into probe values (2);");
    expect(await run()).toEqual(["902-b.sql"]);
  });

  it.each([
    ["whose schema was edited since", () => appendFile(join(folder, "001-schema/01-integrations.sql"), " ")],
    ["that other migrations made", () => rename(join(folder, "001-schema"), join(folder, "001-tables"))],
  ])("refuse a database %s, in one line", async (_, change) => {
    await change();
    const refusal = await run().catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(SchemaError);
    expect((refusal as Error).message).toMatch(
      /^the schema of the database is that of another commit: until the first release, .*; start on an empty database or data folder, .*$/,
    );
  });

  it("store with which older versions a schema works", async () => {
    await put("901-a.sql", "create table probe (n int);");
    await put("902-b.sql", "-- works with: 901\ninsert into probe values (2);");
    await run();
    const applied = await database().raw.executeSql(
      "select name, works_with from shiftpact.migrations where name like '9%' order by name",
    );
    expect(applied.rows).toEqual([
      { name: "901-a.sql", works_with: null },
      { name: "902-b.sql", works_with: "901" },
    ]);
  });

  it("let a version start beside, or after, a newer one that works with it", async () => {
    await put("901-a.sql", "create table probe (n int);");
    await put("902-b.sql", "-- works with: 901\ninsert into probe values (2);");
    await run();
    await rm(join(folder, "902-b.sql"));
    expect(await run()).toEqual([]);
  });

  it.each([
    ["says nothing about older versions", ""],
    ["works with later versions only", "-- works with: 902\n"],
  ])("refuse a newer schema that %s, in one line", async (_, comment) => {
    await put("901-a.sql", "create table probe (n int);");
    await put("903-c.sql", `${comment}insert into probe values (2);`);
    await put("904-d.sql", "-- works with: 901\ninsert into probe values (2);");
    await run();
    await Promise.all(["903-c.sql", "904-d.sql"].map((name) => rm(join(folder, name))));
    const refusal = await run().catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(SchemaError);
    expect((refusal as Error).message).toMatch(
      /^the schema .* is newer than this version: migration 903-c\.sql works with .*this one knows 901.*$/,
    );
  });

  it("refuse an old schema, unless they may change it", async () => {
    await put("901-a.sql", "create table probe (n int);");
    const folderUrl = pathToFileURL(`${folder}/`);
    const refusal = await migrate(database().raw, folderUrl, false).catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(SchemaError);
    expect((refusal as Error).message).toMatch(
      /AUTO_MIGRATE is 0: run `shiftpact migrate`, which applies 901-a\.sql$/,
    );
    await run();
    expect(await migrate(database().raw, folderUrl, false)).toEqual([]);
  });
});

/** The migrations after the first that do not begin with a line that says with which older schema they work. */
async function withoutWorksWith(folder: URL): Promise<string[]> {
  const [, ...later] = await readMigrations(folder);
  return later
    .filter(({ name, worksWith }) => worksWith === undefined || worksWith >= name.slice(0, 3))
    .map(({ name }) => name);
}

it("every migration after the first works with the version before it", async () => {
  expect(await withoutWorksWith(MIGRATIONS)).toEqual([]);
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-migrations-"));
  await writeFile(join(folder, "001-a.sql"), "");
  await writeFile(join(folder, "002-b.sql"), "-- works with: 001\n");
  await writeFile(join(folder, "003-c.sql"), "-- works with: 003\n");
  await writeFile(join(folder, "004-d.sql"), "");
  expect(await withoutWorksWith(pathToFileURL(`${folder}/`))).toEqual(["003-c.sql", "004-d.sql"]);
  await rm(folder, { recursive: true });
});

it("several processes can start on one empty PostgreSQL database at once", async () => {
  const { where, remove } = await copyDatabase({ empty: true });
  const opened = await Promise.all([1, 2, 3].map(() => openDatabase({ ...where, log: silent })));
  const [first] = opened;
  const applied = await first?.kysely.selectFrom("migrations").select("name").orderBy("name").execute();
  expect(applied).toEqual(ALL);
  await Promise.all(opened.map((database) => database.close()));
  await remove();
});
