import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Engine, openDatabase } from "../../../src/platform/db/database.ts";
import { migrate } from "../../../src/platform/db/migrate.ts";
import { openPglite } from "../../../src/platform/db/pglite.ts";
import { openPostgres } from "../../../src/platform/db/postgres.ts";
import { SchemaError } from "../../../src/platform/db/schema-version.ts";
import { copyDatabase, engines, silent, useEngine } from "../../engines.ts";

const MIGRATIONS = new URL("../../../src/platform/db/migrations/", import.meta.url);
const ALL = (await readdir(MIGRATIONS)).sort().map((name) => ({ name }));

describe.each(engines)("migrations on %s", (engine) => {
  const database = useEngine(engine);
  let folder: string;
  const put = (name: string, sql: string) => writeFile(join(folder, name), sql);
  const run = () => migrate(database().raw, pathToFileURL(`${folder}/`));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "shiftpact-migrations-"));
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

  it("upgrade a database whose migrations were recorded without that column", async () => {
    await put("901-a.sql", "create table probe (n int);");
    await database().raw.executeSql("alter table shiftpact.migrations drop column works_with");
    await put("902-b.sql", "-- works with: 901\ninsert into probe values (2);");
    expect(await run()).toEqual(["901-a.sql", "902-b.sql"]);
  });
});

it("every migration after 013 says with which older schema it works", async () => {
  for (const { name } of ALL.filter(({ name }) => name > "014")) {
    const [line = ""] = (await readFile(new URL(name, MIGRATIONS), "utf8")).split("\n");
    expect([name, line]).toEqual([name, expect.stringMatching(/^-- works with: \d{3}$/)]);
    expect(line.slice(-3) < name.slice(0, 3), `${name} must work with the version before it`).toBe(true);
  }
});

/** A database as the first release left it, with a few rows and a cancellation that was echoed; closed. */
async function makeFirstRelease(engine: Engine) {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-first-"));
  await copyFile(new URL("001-first-tables.sql", MIGRATIONS), join(folder, "001-first-tables.sql"));
  const dataDir = join(folder, "data");
  const place =
    engine === "pglite"
      ? { where: { dataDir }, remove: async () => undefined }
      : await copyDatabase({ empty: true });
  const database =
    "url" in place.where ? openPostgres(place.where.url, silent) : await openPglite(dataDir, silent);
  await migrate(database.raw, pathToFileURL(`${folder}/`));
  await database.raw.executeSql(`insert into shiftpact.competences (competence_id, name) values (gen_random_uuid(), 'Cook');
    insert into shiftpact.candidates (candidate_id, personal_number, first_name, last_name, email, phone)
      values (gen_random_uuid(), 'none', 'Ada', 'Berg', 'a@example.com', '+46700000000');
    insert into shiftpact.events (event_id, provider_id, event, shift_id, trace_id, payload)
      values (gen_random_uuid(), gen_random_uuid(), 'shift.create', 's', 't', '{}');
    insert into shiftpact.integrations (provider_id, kind, name, base_url, provider_token)
      values ('${PROVIDER}', 'probe', 'Probe', 'https://p.example', 't');
    insert into shiftpact.events (event_id, provider_id, event, shift_id, trace_id, payload, status, processed_at)
      select gen_random_uuid(), '${PROVIDER}', 'shift.delete', 'gone', 't' || day, '{}', 'skipped_echo', day
      from generate_series(timestamptz '2026-01-01Z', '2026-01-03Z', '1 day') as day;
    insert into shiftpact.pending_operations
      (operation_id, provider_id, shift_id, operation, trace_id, expires_at, consumed_at)
      values (gen_random_uuid(), '${PROVIDER}', 'gone', 'delete', 't', '2026-01-03Z', '2026-01-02 00:00:01Z');
    insert into shiftpact.jobs (job_id, provider_id, shift_id, status, variant, start_time, end_time, positions, outlet_id, role_id, trace_id)
      select gen_random_uuid(), '${PROVIDER}', shift_id, 'open', 'a', '2027-01-01Z', '2027-01-02Z', 1, 'o', 'r', 't'
      from unnest(array['${SHIFT}', upper('${SHIFT}'), upper('${OTHER}'), 'Shift-B']) as shift_id`);
  await database.close();
  return {
    where: place.where,
    remove: () => place.remove().then(() => rm(folder, { recursive: true })),
  };
}

const PROVIDER = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
const SHIFT = "1c0de5a7-0d1f-4c3e-8a6e-3f2b7d1e9a10";
const OTHER = "2c0de5a7-0d1f-4c3e-8a6e-3f2b7d1e9a10";

it.each(engines)("an upgrade keeps what the first release stored on %s", async (engine) => {
  const { where, remove } = await makeFirstRelease(engine);
  for (const start of ["first", "second"]) {
    const { kysely, close } = await openDatabase({ ...where, log: silent });
    const applied = await kysely.selectFrom("migrations").select("name").orderBy("name").execute();
    expect([start, applied]).toEqual([start, ALL]);
    expect(await kysely.selectFrom("competences").select("name").execute()).toEqual([{ name: "Cook" }]);
    const people = await kysely.selectFrom("candidates").select(["first_name", "erased_at"]).execute();
    expect(people).toEqual([{ first_name: "Ada", erased_at: null }]);
    const events = kysely.selectFrom("events").select(["shift_id", "status"]);
    expect(await events.where("event", "=", "shift.create").execute()).toEqual([
      { shift_id: "s", status: "queued" },
    ]);
    const echoed = kysely
      .selectFrom("pending_operations")
      .innerJoin("events", "event_id", "consumed_by")
      .select("processed_at");
    expect(await echoed.execute()).toEqual([{ processed_at: new Date("2026-01-02T00:00:00Z") }]);
    const jobs = await kysely.selectFrom("jobs").select("shift_id").execute();
    const shiftIds = [SHIFT, SHIFT.toUpperCase(), OTHER, "Shift-B"];
    expect(jobs.map(({ shift_id }) => shift_id).sort()).toEqual(shiftIds.sort());
    const spelt = kysely
      .selectFrom("shifts")
      .select(["shift_id", "spelling"])
      .where("spelling", "is not", null);
    expect(await spelt.execute()).toEqual([{ shift_id: OTHER, spelling: OTHER.toUpperCase() }]);
    await close();
  }
  await remove();
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
