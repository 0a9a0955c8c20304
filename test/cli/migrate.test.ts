import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../src/cli/migrate.ts";
import { platform } from "../../src/cli/platform.ts";
import { DAY_MS } from "../../src/contract/timestamp.ts";
import { knownVersion } from "../../src/platform/db/migrate.ts";
import { type Platform, startPlatform } from "../../src/platform/main.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { configFor } from "../harness/platform.ts";
import { shiftEvent, startWithTenants } from "../harness/tenants.ts";
import { terminal } from "../harness/terminal.ts";

type Env = Record<string, string>;

const runCommand = async (command: typeof migrate, argv: string[], env: Env) => {
  const { io, out, err } = terminal({ LOG_LEVEL: "silent", ...env });
  return { code: await command(argv, io), out, err };
};
const run = (argv: string[], env: Env) => runCommand(migrate, argv, env);

const SECRETS = {
  OPERATIONS_TOKEN: "operations-token-of-the-tests",
  SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
};

describe("shiftpact migrate", () => {
  let url: string;
  let admin: pg.Client;
  let removeDatabase: () => Promise<void>;
  beforeEach(async () => {
    const { where, remove } = await copyDatabase({ empty: true });
    [url, removeDatabase] = [where.url, remove];
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
  });
  afterEach(async () => {
    await admin.end();
    await removeDatabase();
  });

  it("applies and reports missing migrations, and has nothing to do afterwards", async () => {
    const known = await knownVersion();
    const before = await run(["--check"], { DATABASE_URL: url });
    expect([before.code, before.out[0]]).toEqual([1, "missing 001-schema"]);
    const done = await run([], { DATABASE_URL: url });
    expect([done.code, done.out[0], done.out.at(-1)]).toEqual([
      0,
      "applied 001-schema",
      `the schema is now at ${known}`,
    ]);
    const upToDate = { code: 0, out: [`up to date: schema ${known}`], err: [] };
    expect(await run([], { DATABASE_URL: url })).toEqual(upToDate);
    expect(await run(["--check"], { DATABASE_URL: url })).toEqual(upToDate);
  });

  it("checks without changing anything", async () => {
    await run(["--check"], { DATABASE_URL: url });
    const { rows } = await admin.query("select to_regnamespace('shiftpact') as found");
    expect(rows).toEqual([{ found: null }]);
  });

  it("refuses a newer schema with one line and exit code 3, and so does the platform", async () => {
    await run([], { DATABASE_URL: url });
    await admin.query("insert into shiftpact.migrations (name, checksum) values ('999-x.sql', '')");
    expect(await run(["--check"], { DATABASE_URL: url })).toMatchObject({
      code: 3,
      out: [/^newer: 999-x/].map((line) => expect.stringMatching(line)),
    });
    const refused = await run([], { DATABASE_URL: url });
    expect(refused).toEqual({
      code: 3,
      out: [],
      err: [expect.stringMatching(/^shiftpact migrate: the schema .* is newer/)],
    });
    const { io, err } = terminal({ DATABASE_URL: url, LOG_LEVEL: "silent", ...SECRETS });
    expect([await platform([], io), err]).toEqual([
      3,
      [expect.stringMatching(/^shiftpact platform: the schema of the database is newer than this version/)],
    ]);
  });

  it("refuses the schema of another commit with one line and exit code 3, and so does the platform", async () => {
    const env = { DATABASE_URL: url, ...SECRETS };
    await run([], env);
    await admin.query("update shiftpact.migrations set checksum = 'of another commit'");
    const refusal = (name: string) => {
      const line = `^shiftpact ${name}: the schema of the database is that of another commit: until the first release`;
      return { code: 3, out: [], err: [expect.stringMatching(line)] };
    };
    expect(await run([], env)).toEqual(refusal("migrate"));
    expect(await run(["--check"], env)).toEqual(refusal("migrate"));
    expect(await runCommand(platform, [], env)).toEqual(refusal("platform"));
  });

  it("leaves the schema to this command with AUTO_MIGRATE=0", async () => {
    const { io, err } = terminal({ DATABASE_URL: url, LOG_LEVEL: "silent", AUTO_MIGRATE: "0", ...SECRETS });
    expect([await platform([], io), err]).toEqual([
      3,
      [
        expect.stringMatching(
          /the schema of the database is missing and AUTO_MIGRATE is 0: run `shiftpact migrate`/,
        ),
      ],
    ]);
  });

  it("runs the platform with the rights that the operator's guide lists, and no others", async () => {
    const [owner, runner] = ["owner", "run"].map((role) => `${role}_${randomUUID().replaceAll("-", "")}`);
    const database = new URL(url).pathname.slice(1);
    const as = (role = "") => Object.assign(new URL(url), { username: role, password: "secret" }).href;
    const [before, after] = (await rightsOfGuide()).map((sql) =>
      sql
        .replaceAll("shiftpact_owner", owner ?? "")
        .replaceAll("shiftpact_run", runner ?? "")
        .replaceAll("'...'", "'secret'")
        .replaceAll("database shiftpact ", `database ${database} `),
    );
    await admin.query(`revoke all on database ${database} from public`);
    await admin.query(before ?? "");
    expect((await run([], { DATABASE_URL: as(owner) })).err).toEqual([]);
    const { io, err } = terminal({
      DATABASE_URL: as(runner),
      AUTO_MIGRATE: "0",
      LOG_LEVEL: "silent",
      ...SECRETS,
    });
    const ungranted =
      /^shiftpact platform: permission denied for schema shiftpact: grant the role of DATABASE_URL the rights/;
    expect([await platform([], io), err]).toEqual([2, [expect.stringMatching(ungranted)]]);
    const asOwner = new pg.Client({ connectionString: as(owner) });
    await asOwner.connect();
    await asOwner.query(after ?? "");
    await asOwner.query("create table shiftpact.later (id uuid)");
    await asOwner.query("select shiftpact.make_day('event_log', '2020-01-01')");
    expect(await daysOf(admin)).toContain("event_log_20200101");
    await asOwner.end();
    const harness = await startWithTenants({ url: as(runner) }, { config: { autoMigrate: false } });
    expect((await harness.send("/health/ready")).status).toBe(200);
    expect((await harness.sendEvent(shiftEvent(harness.tenant.providerId))).status).toBe(200);
    await harness.platform.idle();
    // Retention runs with these rights: its first run creates the coming partitions and drops the expired ones.
    const inAWeek = `trace_steps_${new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;
    await expect.poll(() => daysOf(admin)).toContain(inAWeek);
    await expect.poll(() => daysOf(admin)).not.toContain("event_log_20200101");
    const { rows } = await admin.query("select status from shiftpact.events");
    expect(rows).toEqual([{ status: expect.stringMatching(/failed|dead|queued|processed/) }]);
    const asRunner = new pg.Client({ connectionString: as(runner) });
    await asRunner.connect();
    await asRunner.query("insert into shiftpact.later values (gen_random_uuid())");
    for (const change of ["update shiftpact.audit set address = 'x'", "delete from shiftpact.audit"])
      await expect(asRunner.query(change)).rejects.toThrow("permission denied");
    await expect(asRunner.query("create table shiftpact.not_mine ()")).rejects.toThrow("permission denied");
    await expect(asRunner.query("select shiftpact.make_day('jobs', '2020-01-01')")).rejects.toThrow(
      "the table jobs is not kept by day",
    );
    await asRunner.query("select shiftpact.drop_day('jobs')");
    await asRunner.query("select from shiftpact.jobs");
    await asRunner.end();
    await harness.close();
    await admin.query(
      `drop schema shiftpact cascade; drop owned by ${owner}, ${runner}; drop role ${owner}, ${runner}`,
    );
  });
});

/** Returns the partitions of the tables that are partitioned by day. */
async function daysOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent in ('shiftpact.event_log'::regclass, 'shiftpact.trace_steps'::regclass)",
  );
  return rows.map(({ name }) => name.replace("shiftpact.", ""));
}

/** Returns the two SQL blocks of the chapter: before and after the first migration. */
async function rightsOfGuide(): Promise<string[]> {
  const guide = await readFile(new URL("../../spec/guides/operator.md", import.meta.url), "utf8");
  const blocks = [...guide.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, sql = ""]) => sql);
  expect(blocks).toHaveLength(2);
  return blocks;
}

describe("shiftpact migrate on an embedded database", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "shiftpact-migrate-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("refuses to check a database that does not exist, and creates nothing", async () => {
    const dataDir = join(folder, "missing");
    expect(await run(["--check", "--data", dataDir], {})).toEqual({
      code: 1,
      out: [],
      err: [`shiftpact migrate: there is no database in ${dataDir}: name the folder with --data`],
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  it("works, and reports in one line that a process has it open", async () => {
    expect((await run(["--data", folder], {})).code).toBe(0);
    const running: Platform = await startPlatform(configFor({ dataDir: folder }), { log: silent });
    const refused = await run(["--check", "--data", folder], {});
    await running.close();
    expect(refused).toEqual({
      code: 1,
      out: [],
      err: [expect.stringMatching(/is in use by another process/)],
    });
    expect((await run(["--check", "--data", folder], {})).code).toBe(0);
  });

  it.each([
    [["--chek"], {}, /Unknown option '--chek'/],
    [[], { DATABASE_URL: "mysql://x" }, /DATABASE_URL must start with postgres/],
  ])("refuses %s %o", async (argv, env, line) => {
    expect(await run(argv, env)).toEqual({ code: 2, out: [], err: [expect.stringMatching(line)] });
  });
});
