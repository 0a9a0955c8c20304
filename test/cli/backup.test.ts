import { execFile } from "node:child_process";
import crypto from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { PLATFORM_COMMANDS, type PlatformCommand } from "../../src/cli/platform-commands.ts";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { addRows, digestsOf } from "../harness/many-rows.ts";
import { copyDataFolder, SECRET_KEY } from "../harness/platform.ts";
import { terminal } from "../harness/terminal.ts";

const COMMAND = fileURLToPath(new URL("../../src/cli/shiftpact.ts", import.meta.url));

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The data folder of a stopped platform, with rows. */
async function makeFilled() {
  const { location, remove } = await copyDataFolder();
  onTestFinished(remove);
  const dataDir = location.dataDir ?? "";
  await withFolder(dataDir, (database) => addRows(database, createVault(SECRET_KEY), 100));
  return dataDir;
}

async function withFolder<T>(dataDir: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ dataDir: join(dataDir, "database"), log: silent });
  return use(database).finally(database.close);
}

async function run(command: PlatformCommand, argv: string[], env: Record<string, string> = {}) {
  const { io, out, err } = terminal({ LOG_LEVEL: "silent", ...env });
  const code = await PLATFORM_COMMANDS[command](argv, io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("shiftpact backup of a stopped platform", () => {
  it("is restored with every row into a new folder, and says that it is plain", async () => {
    const [dataDir, folder] = [await makeFilled(), await makeFolder()];
    const file = join(folder, "file");
    const made = await run("backup", [file, "--data", dataDir]);
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining("it is plain: encrypt it"), err: "" });
    expect(await run("restore", [file, "--data", folder])).toMatchObject({ code: 0, err: "" });
    const [before, after] = [await withFolder(dataDir, digestsOf), await withFolder(folder, digestsOf)];
    // `after-restore` writes an issue, and what is due.
    const same = Object.keys(before).filter((name) => !["issues", "work", "shifts"].includes(name));
    expect(same.map((name) => [name, after[name]])).toEqual(same.map((name) => [name, before[name]]));
    expect(await run("restore", [file, "--data", folder])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/database exists: a backup is restored into a new folder/),
    });
  });

  it("goes through a pipe", async () => {
    const [dataDir, folder] = [await makeFilled(), await makeFolder()];
    const command = `${process.execPath} ${COMMAND}`;
    const { stdout } = await promisify(execFile)(
      "bash",
      [
        "-c",
        `set -o pipefail; ${command} backup - --data ${dataDir} | cat | ${command} restore - --data ${folder}`,
      ],
      { env: { ...process.env, LOG_LEVEL: "silent" } },
    );
    expect(stdout).toMatch(/^restored as of 20\d\d-/);
    expect(existsSync(join(folder, "database", "pg"))).toBe(true);
  });

  it("is a file that only its owner reads, is replaced with --force alone, and follows no link", async () => {
    const [dataDir, folder] = [await makeFilled(), await makeFolder()];
    const [file, victim] = [join(folder, "file"), join(folder, "victim")];
    await writeFile(victim, "theirs");
    await symlink(victim, file);
    expect(await run("backup", [file, "--data", dataDir])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/file exists: .*--force$/),
    });
    expect(await run("backup", [file, "--data", dataDir, "--force"])).toMatchObject({ code: 0 });
    const made = await lstat(file);
    expect([made.isFile(), made.mode & 0o777]).toEqual([true, 0o600]);
    expect([await readFile(victim, "utf8"), (await readdir(folder)).length]).toEqual(["theirs", 2]);
  });

  it("writes into no draft that is there: another user may have guessed its name", async () => {
    const [dataDir, folder] = [await makeFilled(), await makeFolder()];
    const random = vi.spyOn(crypto, "randomBytes").mockImplementation((size: number) => Buffer.alloc(size));
    onTestFinished(() => {
      random.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await writeFile(join(folder, `.file.${"0".repeat(16)}.partial`), "theirs");
    expect(await run("backup", [join(folder, "file"), "--data", dataDir])).toMatchObject({ code: 1 });
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("leaves no file when it fails", async () => {
    const folder = await makeFolder();
    expect(await run("backup", [join(folder, "file"), "--data", folder])).toEqual({
      code: 1,
      out: "",
      err: expect.stringContaining("there is no database in"),
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("shiftpact restore", () => {
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["is cut off", (bytes) => bytes.subarray(0, -9)],
    ["has changed", (bytes) => Buffer.from(bytes.with(bytes.length - 6, (bytes.at(-6) ?? 0) ^ 1))],
    ["is no backup", () => Buffer.from("shiftpact backup 1")],
    ["is empty", () => Buffer.alloc(0)],
  ])("refuses a file that %s, and leaves nothing", async (_, changed) => {
    const [dataDir, folder] = [await makeFilled(), await makeFolder()];
    const file = join(folder, "file");
    expect(await run("backup", [file, "--data", dataDir])).toMatchObject({ code: 0 });
    await writeFile(file, changed(await readFile(file)));
    expect(await run("restore", [file, "--data", folder])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^shiftpact restore: the file is incomplete or damaged, or no backup/),
    });
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it.each(["backup", "restore"] as const)(
    "and backup: %s names PostgreSQL's own tools for PostgreSQL",
    async (command) => {
      const env = { DATABASE_URL: "postgres://127.0.0.1:9/none" };
      expect(await run(command, ["file"], env)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/DATABASE_URL is set: PostgreSQL is .* with its own tools, such as pg_/),
      });
    },
  );
});

describe("an interrupted restore into a folder", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "shiftpact-restore-"));
    await mkdir(join(dataDir, "database.restoring"));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it.each<[PlatformCommand, string[]]>([
    ["platform", ["--port", "0"]],
    ["migrate", []],
    ["migrate", ["--check"]],
    ["backup", ["file"]],
    ["after-restore", []],
  ])("leaves nothing that shiftpact %s %j uses", async (command, argv) => {
    expect(await run(command, argv, { SHIFTPACT_DATA: dataDir })).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /: a restore into .*database is not finished: .* run `shiftpact restore` again;/,
      ),
    });
    expect(existsSync(join(dataDir, "database"))).toBe(false);
  });

  it("is repeated", async () => {
    const file = join(dataDir, "file");
    expect(await run("backup", [file, "--data", await makeFilled()])).toMatchObject({ code: 0 });
    expect(await run("restore", [file, "--data", dataDir])).toMatchObject({ code: 0, err: "" });
    expect(await run("migrate", ["--check", "--data", dataDir])).toMatchObject({ code: 0, err: "" });
  });
});

describe("shiftpact migrate --from", () => {
  it("copies every row into PostgreSQL, once, and the folder is not used any more", async () => {
    const dataDir = await makeFilled();
    const { where, remove } = await copyDatabase({ empty: true });
    onTestFinished(remove);
    const env = { DATABASE_URL: where.url, SECRET_KEY: SECRET_KEY.toString("base64") };
    const before = await withFolder(dataDir, digestsOf);
    expect(await run("migrate", ["--from", dataDir], env)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^copied \d+ rows/),
      err: "",
    });
    const database = await openDatabase({ url: where.url, log: silent });
    expect(await digestsOf(database).finally(database.close)).toEqual(before);
    expect(await run("migrate", ["--from", dataDir], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("the database is not empty"),
    });
    expect(await run("platform", ["--port", "0", "--data", dataDir])).toMatchObject({
      code: 2,
      err: expect.stringContaining("the database is a copy, or was moved"),
    });
  });

  it("leaves the folder and PostgreSQL as they are when it fails", async () => {
    const dataDir = await makeFilled();
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    const url = where.url;
    const database = await openDatabase({ url, log: silent });
    await addRows(database, createVault(SECRET_KEY), 10);
    const before = [await digestsOf(database), await withFolder(dataDir, digestsOf)];
    expect(await run("migrate", ["--from", dataDir], { DATABASE_URL: url })).toMatchObject({ code: 1 });
    expect([await digestsOf(database), await withFolder(dataDir, digestsOf)]).toEqual(before);
    await database.close();
  });

  it("refuses an embedded target", async () => {
    expect(await run("migrate", ["--from", await makeFilled()])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--from copies into PostgreSQL: set DATABASE_URL"),
    });
  });
});
