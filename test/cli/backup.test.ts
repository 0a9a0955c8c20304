import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { backup } from "../../src/cli/backup.ts";
import { PLATFORM_COMMANDS, type PlatformCommand } from "../../src/cli/platform-commands.ts";
import { restore } from "../../src/cli/restore.ts";
import { makeFile } from "../../src/platform/backup/file.ts";
import { openPersonalNumbers } from "../../src/platform/candidates/personal-numbers.ts";
import { openDatabase } from "../../src/platform/db/database.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { copyDatabase, silent } from "../harness/engines.ts";
import { SECRET_KEY, startHarness } from "../harness/platform.ts";
import { terminal } from "../harness/terminal.ts";

const key = { SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("shiftpact backup", () => {
  it("of PostgreSQL names no key of a data folder, which belongs to another database", async () => {
    const folder = await makeFolder();
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    await writeFile(join(folder, "secret-key"), Buffer.alloc(32, 1).toString("base64"));
    const { io, out, err } = terminal({
      DATABASE_URL: where.url,
      SHIFTPACT_DATA: folder,
      LOG_LEVEL: "silent",
      ...key,
    });
    expect([await backup([join(folder, "file")], io), err]).toEqual([0, []]);
    expect(out.join("\n")).toContain("keep a copy of the one where you set it");
    expect(out.join("\n")).not.toContain(`${folder}/secret-key`);
  });

  it("needs the SECRET_KEY that sealed what the database holds", async () => {
    const folder = await makeFolder();
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    await writeFile(join(folder, "secret-key"), key.SECRET_KEY);
    const database = await openDatabase({ ...where, log: silent });
    const owner = createVault(Buffer.alloc(32, 8));
    await openPersonalNumbers(database, owner).finally(database.close);
    const env = { DATABASE_URL: where.url, SHIFTPACT_DATA: folder, LOG_LEVEL: "silent" };
    const run = async (given: Record<string, string>) => {
      const { io, err } = terminal({ ...env, ...given });
      return { code: await backup([join(folder, "file")], io), text: err.join("\n") };
    };
    expect(await run({})).toEqual({ code: 1, text: expect.stringContaining("SECRET_KEY is required") });
    expect(await run(key)).toEqual({
      code: 1,
      text: expect.stringContaining(`sealed with key ${owner.keyId}, but SECRET_KEY is key`),
    });
    expect(await readdir(folder)).toEqual(["secret-key"]);
  });

  it("of a running platform is encrypted by that, and read back where SECRET_KEY is known", async () => {
    const folder = await makeFolder();
    const harness = await startHarness("pglite");
    onTestFinished(() => harness.close());
    const { url, operationsToken } = harness.platform;
    const file = join(folder, "file");
    const run = async (given: Record<string, string>) => {
      const env = { SHIFTPACT_DATA: folder, OPERATIONS_TOKEN: operationsToken, LOG_LEVEL: "silent" };
      const { io, out, err } = terminal({ ...env, ...given });
      return { code: await backup([file, "--force", "--url", url], io), text: [...out, ...err].join("\n") };
    };
    const unread = await run({});
    expect(unread).toEqual({
      code: 0,
      text: expect.stringContaining("not read back, as SECRET_KEY is not given"),
    });
    expect((await readFile(file, "latin1")).split(" ").slice(0, 4)).toEqual([
      "shiftpact",
      "backup",
      "1",
      createVault(SECRET_KEY).keyId,
    ]);
    // The platform may still remove the copy that it read.
    await expect
      .poll(() => run({ SECRET_KEY: SECRET_KEY.toString("base64") }))
      .toEqual({ code: 0, text: expect.stringContaining("read back and verified") });
  });

  it("opens for an older one of SECRET_KEYS", async () => {
    const folder = await makeFolder();
    const { where, remove } = await copyDatabase();
    const { where: empty, remove: removeEmpty } = await copyDatabase({ empty: true });
    onTestFinished(remove);
    onTestFinished(removeEmpty);
    const file = join(folder, "file");
    const run = async (command: typeof backup, env: Record<string, string>) => {
      const { io, err } = terminal({ LOG_LEVEL: "silent", ...env });
      return [await command([file], io), err];
    };
    expect(await run(backup, { DATABASE_URL: where.url, ...key })).toEqual([0, []]);
    const rotated = `${Buffer.alloc(32, 9).toString("base64")},${key.SECRET_KEY}`;
    expect(await run(restore, { DATABASE_URL: empty.url, SECRET_KEYS: rotated })).toEqual([0, []]);
  });
});

describe("a backup that is being written", () => {
  it("is a file that only its owner reads, under a name that cannot be guessed, and follows no link", async () => {
    const folder = await makeFolder();
    const [file, victim] = [join(folder, "file"), join(folder, "victim")];
    await writeFile(victim, "theirs");
    await symlink(victim, join(folder, ".file.partial"));
    const drafts: string[] = [];
    const write = async (sink: Writable) => {
      const [draft = ""] = (await readdir(folder)).filter((name) =>
        /^\.file\.[0-9a-f]{16}\.partial$/.test(name),
      );
      drafts.push(draft);
      expect((await lstat(join(folder, draft))).mode & 0o777).toBe(0o600);
      await pipeline(["text"], sink);
    };
    for (let nth = 0; nth < 2; nth += 1) await makeFile(file, true, { write, check: async () => undefined });
    expect(new Set(drafts).size).toBe(2);
    expect([await readFile(file, "utf8"), await readFile(victim, "utf8")]).toEqual(["text", "theirs"]);
    expect((await readdir(folder)).toSorted()).toEqual([".file.partial", "file", "victim"]);
  });

  it("is removed when what was written is not accepted", async () => {
    const folder = await makeFolder();
    const made = makeFile(join(folder, "file"), false, {
      write: (sink) => pipeline(["text"], sink),
      check: () => Promise.reject(new Error("not a backup")),
    });
    await expect(made).rejects.toThrow("not a backup");
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a backup that fails", () => {
  it("leaves no file", async () => {
    const folder = await makeFolder();
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

describe("shiftpact restore --erased", () => {
  it.each([
    ["0190aaaa-0000-7000-8000-000000000000\nRobin\n", [], "line 2 of LIST is not a candidateId"],
    ["", ["--organisation"], "--erased is for a whole database"],
  ])("refuses what is no list of candidateIds, and one organisation: %j %j", async (list, more, message) => {
    const folder = await makeFolder();
    const path = join(folder, "LIST");
    await writeFile(path, list);
    const { io, err } = terminal({ SHIFTPACT_DATA: folder, LOG_LEVEL: "silent", ...key });
    const code = await restore([path, "--erased", path, ...more], io);
    expect([code, err.join("\n").replaceAll(path, "LIST")]).toEqual([2, expect.stringContaining(message)]);
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
    const env = { SHIFTPACT_DATA: dataDir, ...key };
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
