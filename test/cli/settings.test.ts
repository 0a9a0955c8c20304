import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLATFORM_COMMANDS, type PlatformCommand } from "../../src/cli/platform-commands.ts";
import { terminal } from "../harness/terminal.ts";

let folder: string;
/** An address without a listener. */
const NO_DATABASE = "postgres://127.0.0.1:9/shiftpact";
const secret = (name: string, value: string) => {
  const path = join(folder, name);
  writeFileSync(path, `${value}\n`);
  return path;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-settings-"));
  mkdirSync(join(folder, "database"));
  secret("url", NO_DATABASE);
  secret("key", Buffer.alloc(32, 7).toString("base64"));
  secret("token", "operations-token-of-the-tests");
  secret("monday", "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(command: PlatformCommand, argv: readonly string[], env: Record<string, string>) {
  const { io, out, err } = terminal({ LOG_LEVEL: "silent", SHIFTPACT_DATA: folder, ...env });
  const code = await PLATFORM_COMMANDS[command](
    argv.map((each) => each.replace("FOLDER", folder)),
    io,
  );
  return { code, out, err };
}

/** Each command, with arguments that it accepts. */
const COMMANDS: [command: PlatformCommand, argv: string[]][] = [
  ["platform", []],
  ["migrate", ["--check"]],
  ["after-restore", []],
  ["backup", ["FOLDER/new"]],
  ["restore", ["FOLDER/monday"]],
  ["operators", ["list"]],
  ["distribute", []],
];

describe.each(COMMANDS)("shiftpact %s", (command, argv) => {
  it.each([
    [
      { DATABSE_URL: NO_DATABASE },
      /DATABSE_URL is not a setting of the platform; did you mean DATABASE_URL\?$/,
    ],
    [{ DATABASE_URL: "" }, /DATABASE_URL is empty/],
    [{ DATABASE_URL_FILE: "" }, /DATABASE_URL_FILE is empty/],
    [{ SECRET_KEY_FILE: "/not/there" }, /SECRET_KEY_FILE cannot be read: ENOENT at \/not\/there$/],
  ])("refuses %o in one line", async (env, line) => {
    expect(await run(command, argv, env)).toEqual({ code: 2, out: [], err: [expect.stringMatching(line)] });
  });

  it("refuses a bad sslmode and a misspelt setting in one line each", async () => {
    const env = { DATABASE_URL: `${NO_DATABASE}?sslmode=prefer`, OPERATIONS_TOKN: "x", SECRET_KEY: "" };
    const secrets = { OPERATIONS_TOKEN_FILE: join(folder, "token"), SECRET_KEY_FILE: join(folder, "key") };
    const { code, out, err } = await run(command, argv, { ...env, ...secrets });
    expect([code, out]).toEqual([2, []]);
    expect(err).toEqual([
      expect.stringMatching(`^shiftpact ${command}: OPERATIONS_TOKN is not a setting`),
      expect.stringMatching(`^shiftpact ${command}: DATABASE_URL: sslmode must be one of`),
    ]);
  });
});

describe("a value that is not permitted", () => {
  const READ_LOG_LEVEL = COMMANDS.filter(([command]) => command !== "operators");

  it.each(READ_LOG_LEVEL)("of LOG_LEVEL is refused by shiftpact %s in one line", async (command, argv) => {
    const { code, err } = await run(command, argv, {
      LOG_LEVEL: "loud",
      SECRET_KEY_FILE: join(folder, "key"),
    });
    const line = `shiftpact ${command}: LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent`;
    expect([code, err]).toEqual([2, [line]]);
  });

  it("of PORT is refused by shiftpact backup, which asks the platform there", async () => {
    const { code, err } = await run("backup", ["FOLDER/new"], { PORT: "http" });
    expect([code, err]).toEqual([2, ["shiftpact backup: PORT must be a port from 0 to 65535, or HOST:PORT"]]);
  });
});

describe("HOST, which was a setting, and which shells set too", () => {
  it.each(COMMANDS)("is refused by shiftpact %s where PORT is read", async (command, argv) => {
    const { err } = await run(command, argv, { HOST: "0.0.0.0", LOG_LEVEL: "loud" });
    const refused = `shiftpact ${command}: HOST is no longer a setting: write PORT=HOST:PORT; unset it`;
    expect(err.includes(refused)).toBe(command === "platform" || command === "backup");
  });
});

describe("an empty flag", () => {
  const EMPTY_DATA = "--data is empty: omit it, or give the path of a folder";
  const EMPTY_URL = "--url is empty: omit it, or give the URL of a platform";

  it.each<[PlatformCommand, string[], string]>([
    ["platform", ["--port=0", "--data="], EMPTY_DATA],
    ["migrate", ["--data="], EMPTY_DATA],
    ["migrate", ["--check", "--data="], EMPTY_DATA],
    ["backup", ["new", "--data="], EMPTY_DATA],
    ["backup", ["new", "--url="], EMPTY_URL],
    ["restore", ["FOLDER/monday", "--data="], EMPTY_DATA],
    ["operators", ["list", "--token", "x", "--url="], EMPTY_URL],
  ])("of shiftpact %s %j is refused in one line", async (command, argv, line) => {
    const refusal = { code: 2, out: [], err: [`shiftpact ${command}: ${line}`] };
    expect(await run(command, argv, { SECRET_KEY_FILE: join(folder, "key") })).toEqual(refusal);
    expect(existsSync("database")).toBe(false);
  });
});

describe("a secret in a file", () => {
  it.each(COMMANDS.slice(0, 3))(
    "gives shiftpact %s the database of DATABASE_URL_FILE",
    async (command, argv) => {
      const [url, key, token] = ["url", "key", "token"].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      const env = { DATABASE_URL_FILE: url, SECRET_KEY_FILE: key, OPERATIONS_TOKEN_FILE: token };
      const { code, err } = await run(command, argv, env);
      expect([code, err]).toEqual([1, [expect.stringContaining("ECONNREFUSED 127.0.0.1:9")]]);
    },
  );

  it("is the token of shiftpact operators", async () => {
    const env = { OPERATIONS_TOKEN_FILE: join(folder, "token") };
    const { code, err } = await run("operators", ["list", "--url", "http://127.0.0.1:9"], env);
    expect([code, err]).toEqual([2, [expect.stringContaining("cannot connect to the platform")]]);
  });
});
