import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { backup } from "../../src/cli/backup.ts";
import { PLATFORM_COMMANDS, type PlatformCommand } from "../../src/cli/platform-commands.ts";
import { copyDatabase } from "../harness/engines.ts";
import { terminal } from "../harness/terminal.ts";

describe("shiftpact backup", () => {
  it("of PostgreSQL names no key of a data folder, which belongs to another database", async () => {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-backup-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    await writeFile(join(folder, "secret-key"), Buffer.alloc(32, 1).toString("base64"));
    const { io, out, err } = terminal({
      DATABASE_URL: where.url,
      SHIFTPACT_DATA: folder,
      LOG_LEVEL: "silent",
    });
    expect([await backup([join(folder, "file")], io), err]).toEqual([0, []]);
    expect(out.join("\n")).toContain("keep a copy of the one where you set it");
    expect(out.join("\n")).not.toContain(`${folder}/secret-key`);
  });
});

describe("a backup that fails", () => {
  it("leaves no file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-backup-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { io, err } = terminal({ SHIFTPACT_DATA: folder, LOG_LEVEL: "silent" });
    expect([await backup([join(folder, "file")], io), err]).toEqual([
      1,
      [expect.stringContaining("there is no database in")],
    ]);
    // Whatever was still to be opened is open by then.
    await writeFile(join(folder, "later"), "");
    expect(await readdir(folder)).toEqual(["later"]);
  });
});

describe("an interrupted restore into a folder", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "shiftpact-restore-"));
    await mkdir(join(dataDir, "database.restoring"));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  async function run(command: PlatformCommand, argv: string[], given: Record<string, string> = {}) {
    const env = { SHIFTPACT_DATA: dataDir, SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
    const { io, out, err } = terminal({ LOG_LEVEL: "silent", ...env, ...given });
    const code = await PLATFORM_COMMANDS[command](
      argv.map((each) => each.replace("FOLDER", dataDir)),
      io,
    );
    return { code, out, err };
  }

  it.each<[PlatformCommand, string[]]>([
    ["platform", ["--port", "0"]],
    ["migrate", []],
    ["migrate", ["--check"]],
    ["backup", ["FOLDER/file"]],
  ])("leaves nothing that shiftpact %s %j uses", async (command, argv) => {
    expect(await run(command, argv)).toEqual({
      code: 1,
      out: [],
      err: [
        expect.stringMatching(
          /: a restore into .*database is not finished: .* run `shiftpact restore` again;/,
        ),
      ],
    });
    expect(existsSync(join(dataDir, "database"))).toBe(false);
  });

  it("is repeated", async () => {
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    expect(await run("backup", ["FOLDER/file"], { DATABASE_URL: where.url })).toMatchObject({
      code: 0,
      err: [],
    });
    expect(await run("restore", ["FOLDER/file"])).toMatchObject({ code: 0, err: [] });
    expect(await run("migrate", ["--check"])).toMatchObject({ code: 0, err: [] });
  });
});
