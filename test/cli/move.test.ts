import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { migrate } from "../../src/cli/migrate.ts";
import { move } from "../../src/cli/move.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { copyDatabase, silent, startEngine } from "../engines.ts";
import { addRows } from "../platform/backup/rows.ts";
import { terminal } from "./terminal.ts";

const secretKey = Buffer.alloc(32, 7);
const TOKEN = "operations-token-of-the-tests";

/** A data folder with rows of every kind, and an empty PostgreSQL database. */
function useFolder() {
  let dataDir: string;
  let target: Awaited<ReturnType<typeof copyDatabase>>;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(dirname(inject("pgliteTemplate")), "move-"));
    cpSync(inject("pgliteTemplate"), folder(), { recursive: true });
    const source = await openDatabase({ dataDir: folder(), log: silent });
    await addRows(source, createVault(secretKey), 20).finally(source.close);
    target = await copyDatabase({ empty: true });
  });
  afterAll(async () => {
    await target.remove();
    rmSync(dataDir, { recursive: true });
  });
  const folder = () => join(dataDir, "database");

  async function run(url = target.where.url) {
    const env = { LOG_LEVEL: "silent", SECRET_KEY: secretKey.toString("base64"), OPERATIONS_TOKEN: TOKEN };
    const { io, out, err } = terminal(env);
    const code = await move(["--to", url, "--data", dataDir, "--port", "0"], io);
    return { code, out: out.join("\n"), err };
  }

  /** Runs SQL in the target, and returns the rows. */
  async function onTarget(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: target.where.url });
    await client.connect();
    return client
      .query(`set search_path to shiftpact; ${sql}`)
      .then((results) => [results].flat().at(-1)?.rows ?? [])
      .finally(() => client.end());
  }
  return { folder, run, onTarget, url: () => target.where.url };
}

describe("shiftpact move", () => {
  const { folder, run: runTo, onTarget, url } = useFolder();
  const mark = () => join(folder(), "moved");
  /** Nothing listens at the first of the two servers. */
  const run = () => runTo(url().replace("@", "@127.0.0.1:9,"));

  it("moves to the server that responds, of several, and marks the folder without the password", async () => {
    expect(await run()).toMatchObject({
      code: 0,
      err: [],
      out: expect.stringMatching(/rows of \d+ tables are moved/),
    });
    const refusal = await openDatabase({ dataDir: folder(), log: silent }).catch((error: Error) => error);
    const { hostname, port, pathname, password } = new URL(url());
    const { message } = refusal as Error;
    expect(message).toContain(`was moved to PostgreSQL at 127.0.0.1:9,${hostname}:${port}${pathname}:`);
    expect(message).not.toContain(password);
  });

  it("refuses a folder that was moved, to the same server and to another one", async () => {
    const refused = { code: 1, out: "", err: [expect.stringContaining("was moved to PostgreSQL at")] };
    expect(await run()).toEqual(refused);
    expect(await runTo("postgres://127.0.0.1:9/other")).toEqual(refused);
  });

  it.each([[[]], [["--check"]]])("leaves nothing for shiftpact migrate %j to work on", async (argv) => {
    const { io, out, err } = terminal({ SHIFTPACT_DATA: dirname(folder()) });
    expect([await migrate(argv, io), out, err]).toEqual([
      ...[1, [], [expect.stringContaining("was moved to PostgreSQL at")]],
    ]);
  });

  it("marks the folder when its mark is lost, and everything is copied", async () => {
    rmSync(mark());
    expect(await run()).toMatchObject({
      code: 0,
      err: [],
      out: expect.stringContaining("were moved before"),
    });
    await expect(openDatabase({ dataDir: folder(), log: silent })).rejects.toThrow("was moved to PostgreSQL");
  });

  it("refuses a database that differs, names the tables, and leaves the folder unchanged", async () => {
    rmSync(mark());
    // The same number of rows: only the checksum differs. In the other table, only the number of rows.
    await onTarget("update workplaces set name = 'Ward 2' where name = 'Ward 1'");
    await onTarget("insert into competences (competence_id, name) values (gen_random_uuid(), 'Cook')");
    const { code, out, err } = await run();
    expect([code, err]).toEqual([
      1,
      [expect.stringMatching(/is not empty, and differs in competences, workplaces: name an empty one$/)],
    ]);
    expect(out).not.toContain("marked as moved");
    await (await openDatabase({ dataDir: folder(), log: silent })).close();
  });
});

describe("shiftpact move, interrupted at one table", () => {
  const { folder, run, onTarget, url } = useFolder();

  it("fails, and no platform starts on the half-filled database", async () => {
    // From the moment that the table is made, it refuses the row that comes last.
    await onTarget(`
      create function public.fill_disk() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'shiftpact.workplaces') then
          alter table shiftpact.workplaces add constraint disk_full check (address is null);
        end if;
      end $$;
      create event trigger fill_disk on ddl_command_end when tag in ('CREATE TABLE') execute function public.fill_disk()`);
    expect(await run()).toMatchObject({ code: 1, err: [expect.stringContaining("disk_full")] });
    const unfinished = "a move into this database is not finished";
    await expect(openDatabase({ url: url(), log: silent })).rejects.toThrow(unfinished);
    const { io, out } = terminal({ DATABASE_URL: url() });
    expect([await migrate(["--check"], io), out]).toEqual([3, [expect.stringContaining(unfinished)]]);
    expect(await onTarget("select count(*)::int as events from events")).toEqual([{ events: 20 }]);
  });

  it("continues with what is missing and what has changed meanwhile", async () => {
    const source = await openDatabase({ dataDir: folder(), log: silent });
    await source.raw
      .executeSql(`
      insert into shiftpact.competences (competence_id, name) values (gen_random_uuid(), 'Cook');
      create table shiftpact.event_log_later partition of shiftpact.event_log for values from ('2031-01-01') to ('2031-01-02');
      insert into shiftpact.event_log (event_id, provider_id, event, shift_id, trace_id, status, received_at)
        select event_id, provider_id, event, shift_id, trace_id, status, '2031-01-01T12:00:00Z' from shiftpact.events limit 1`)
      .finally(source.close);
    const before = await onTarget("select xmin::text, event_id from events order by 2");
    await onTarget("drop event trigger fill_disk; alter table workplaces drop constraint disk_full");
    expect(await run()).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /rows of \d+ tables are moved, of which \d+ by a move that was interrupted,/,
      ),
    });
    expect(await onTarget("select xmin::text, event_id from events order by 2")).toEqual(before);
    expect(
      await onTarget(`select (select count(*)::int from workplaces) as workplaces, (select count(*)::int from event_log_later) as later,
        (select array_agg(name) from competences where name = 'Cook') as competences`),
    ).toEqual([{ workplaces: 20, later: 1, competences: ["Cook"] }]);
  });

  it("leaves the keys and triggers of a database that was never moved", async () => {
    const ofSchema = `
      select conrelid::regclass::text as name, pg_get_constraintdef(oid) as is from pg_constraint where connamespace = 'shiftpact'::regnamespace
      union all select tgrelid::regclass::text, format('%s %s', tgenabled, tgname) from pg_trigger where not tgisinternal
      union all select 'migrations', name from migrations order by 1, 2`;
    const fresh = await startEngine("postgres");
    const expected = await fresh.raw
      .executeSql(`set search_path to shiftpact; ${ofSchema}`)
      .finally(() => fresh.drop());
    const isOther = ({ name }: { name: unknown }) => !/^event_log_|^trace_steps_/.test(String(name));
    const there = (await onTarget(ofSchema)) as { name: string }[];
    expect(there.filter(isOther)).toEqual(expected.rows.filter(isOther));
    await (await openDatabase({ url: url(), log: silent })).close();
  });
});

describe("shiftpact move, interrupted at its end", () => {
  const { folder, run, onTarget, url } = useFolder();
  const onFolder = () => openDatabase({ dataDir: folder(), log: silent });
  const onPostgres = () => openDatabase({ url: url(), log: silent });
  const moved = "was moved to PostgreSQL at";

  it("leaves neither of the two databases to start on", async () => {
    // The connection is lost when the last transaction commits.
    await onTarget(`
      create function public.disconnect() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid());
        return null;
      end $$;
      create function public.interrupt() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'shiftpact.migrations' and command_tag = 'CREATE TABLE') then
          create constraint trigger interrupt after delete on shiftpact.migrations deferrable initially deferred
            for each row execute function public.disconnect();
        end if;
      end $$;
      create event trigger interrupt on ddl_command_end when tag in ('CREATE TABLE') execute function public.interrupt()`);
    expect(await run()).toMatchObject({ code: 1, err: [expect.stringContaining("terminat")] });
    await expect(onFolder()).rejects.toThrow(moved);
    await expect(onPostgres()).rejects.toThrow("a move into this database is not finished");
  });

  it("is not continued into another database", async () => {
    const { code, err } = await run("postgres://127.0.0.1:9/other");
    expect([code, err]).toEqual([1, [expect.stringContaining(moved)]]);
  });

  it("completes when it is run again, with what PostgreSQL lost meanwhile", async () => {
    await onTarget(
      "drop trigger interrupt on migrations; drop event trigger interrupt; delete from workplaces where name = 'Ward 1'",
    );
    expect(await run()).toMatchObject({
      ...{ code: 0, err: [] },
      out: expect.stringContaining("by a move that was interrupted"),
    });
    expect(await onTarget("select count(*)::int as count from workplaces")).toEqual([{ count: 20 }]);
    await expect(onFolder()).rejects.toThrow(moved);
    await (await onPostgres()).close();
  });
});
