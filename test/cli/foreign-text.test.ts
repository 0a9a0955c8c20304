import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { compare } from "../../src/cli/compare.ts";
import { type Io, ioOf } from "../../src/cli/io.ts";
import { listen } from "../../src/cli/listen.ts";
import { PLATFORM_COMMANDS } from "../../src/cli/platform-commands.ts";
import { shiftpact } from "../../src/cli/shiftpact.ts";
import { start } from "../../src/cli/start.ts";
import { trigger } from "../../src/cli/trigger.ts";
import { type Reply, startPlatform } from "../harness/platform-stand-in.ts";
import { CREATE, post } from "../harness/webhook-listener.ts";

/** Sets the title of the terminal, clears it, colours what follows, reorders it, and begins a line of its own. */
const HOSTILE = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\r\n✓ forged";
const FORGED = /^✓ forged/m;
const UUID = CREATE.providerId;

const folder = mkdtempSync(join(tmpdir(), "foreign-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Options {
  env?: Record<string, string>;
  isTTY?: boolean;
}

/** Runs a command with the streams of a process; resolves with everything that it wrote. */
async function run(command: (io: Io) => Promise<unknown>, { env = {}, isTTY = false }: Options = {}) {
  const [stdout, stderr] = [Object.assign(new PassThrough(), { isTTY }), new PassThrough()];
  const all = Promise.all([text(stdout), text(stderr)]);
  await command(ioOf({ stdout, stderr, env }));
  stdout.end();
  stderr.end();
  return (await all).join("");
}

/** Returns the arguments of a webhook that the command `listen` gets before it ends. */
async function listened(io: Io, argv: readonly string[] = []) {
  const address = Promise.withResolvers<string>();
  const watch = (write: (line: string) => void) => (line: string) => {
    write(line);
    const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\. )/.exec(line) ?? [];
    if (url) address.resolve(url);
  };
  const watched: Io = {
    ...io,
    stdout: watch(io.stdout),
    stderr: watch(io.stderr),
    ...(io.styled && { styled: watch(io.styled) }),
  };
  const flags = ["--port", "0", "--token", "platform-token", "--expect", "shift.create", ...argv];
  const time = Promise.withResolvers<void>();
  const exit = listen(flags, watched, () => time.promise);
  const url = await address.promise;
  await post(url, { body: { ...CREATE, content: { shiftId: HOSTILE } } });
  await post(url, { body: { ...CREATE, event: HOSTILE } as never });
  time.resolve();
  return exit;
}

/** Runs the command against a server that replies with this. */
async function against(status: number, body: object, command: (url: string) => Promise<unknown>) {
  const reply: Reply = (response) => {
    response.writeHead(status, {
      "Content-Type": status < 400 ? "application/json" : "application/problem+json",
    });
    response.end(JSON.stringify(body));
  };
  const platform = await startPlatform(reply);
  await command(platform.url);
  await platform.close();
}

const PROBLEM = {
  type: "about:blank",
  title: HOSTILE,
  status: 409,
  code: HOSTILE,
  detail: HOSTILE,
  errors: [{ pointer: "/name", message: HOSTILE }],
};
const INVALID = { ...PROBLEM, status: 400, code: "validation_failed" };
const OPERATOR = {
  operatorId: UUID,
  name: HOSTILE,
  role: "viewer",
  createdAt: "2026-01-01T00:00:00Z",
  tokens: [],
};
const ids = ["--provider-id", UUID, "--shift-id", UUID];
const OPERATIONS_TOKEN = "operations-token-of-22-letters";
const { operators, backup, restore } = PLATFORM_COMMANDS;

/** Each source of text that others write, by the command that prints it. */
const FOREIGN: Record<string, (io: Io) => Promise<unknown>> = {
  "listen, of a webhook": (io) => listened(io),
  "listen --json, of a webhook": (io) => listened(io, ["--json"]),
  "trigger, of a platform that refuses": (io) =>
    against(400, INVALID, (url) => trigger(["shift.create", "--url", url, "--token", "t", ...ids], io)),
  "operators, of operators": (io) =>
    against(200, { items: [OPERATOR] }, (url) => operators(["list", "--url", url, "--token", "t"], io)),
  "operators --json, of operators": (io) =>
    against(200, { items: [OPERATOR] }, (url) =>
      operators(["list", "--json", "--url", url, "--token", "t"], io),
    ),
  "operators, of a platform that refuses": (io) =>
    against(409, PROBLEM, (url) => operators(["list", "--url", url, "--token", "t"], io)),
  "backup, of a platform that refuses": (io) =>
    against(409, PROBLEM, (url) =>
      backup([join(folder, "a"), "--url", url], { ...io, env: { ...io.env, OPERATIONS_TOKEN } }),
    ),
  "restore, of the name of a file": (io) => restore([join(folder, HOSTILE), "--data", folder], io),
  "compare, of the name of a file": (io) => compare([join(folder, HOSTILE)], io),
};

describe("text of others cannot control the terminal, nor pass for a line of the command:", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be written.
  const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

  it.each(Object.entries(FOREIGN))("%s", async (_, command) => {
    const written = await run(command);
    expect(written).not.toMatch(CONTROL);
    expect(written).not.toMatch(FORGED);
    expect(written).toContain("evil");
  });

  // With colours, only those of the command itself are left.
  it.each(Object.entries(FOREIGN))("with colours, %s", async (_, command) => {
    const written = await run(command, { isTTY: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: how the command colours, and how it writes a line again.
    const plain = written.replaceAll(/\u001b\[(?:[0-9;]*m|1A|2K)/g, "");
    expect(plain).not.toMatch(CONTROL);
    expect(plain).not.toMatch(FORGED);
    expect(written).not.toContain("\u001b[2J");
  });

  it("a line of JSON keeps its value", async () => {
    const lines = await run(FOREIGN["operators --json, of operators"] ?? (async () => 0));
    expect(JSON.parse(lines)).toEqual(OPERATOR);
  });

  const names = async () => {
    const help = await run((io) => shiftpact(["--help"], io));
    return [...help.matchAll(/^ {2}([\w-]+) {2,}\w/gm)].map(([, name = ""]) => name);
  };

  it("every command escapes its arguments", async () => {
    const commands = await names();
    expect(commands).toContain("listen");
    const flag = `--${HOSTILE}`;
    for (const name of [...commands, HOSTILE]) {
      const written = await run((io) => shiftpact([name, flag], io));
      expect([name, written]).toEqual([name, expect.stringContaining("\\u001b]0;owned")]);
      expect(written).not.toMatch(CONTROL);
      expect(written).not.toMatch(FORGED);
    }
    expect(await run((io) => start([flag], io))).not.toMatch(CONTROL);
  });

  it.each([
    "postgres://shiftpact:secret@localhost/shiftpact",
    "DATABASE_URL=postgresql://shiftpact:secret@localhost/shiftpact",
    "--database-url=postgres://:secret@localhost/shiftpact",
    "postgres://localhost/shiftpact?user=shiftpact&password=secret",
  ])(
    "every command refuses the password of a database among its arguments, and names the remedy: %s",
    async (argument) => {
      for (const name of await names()) {
        for (const argv of [[argument], ["--data", argument], ["--database-url", argument]]) {
          let exit: unknown;
          const written = await run(async (io) => {
            exit = await shiftpact([name, ...argv], io);
          });
          expect([name, exit, written]).toEqual([
            name,
            2,
            expect.stringMatching(/DATABASE_URL, or DATABASE_URL_FILE/),
          ]);
          expect(written).not.toContain("secret");
        }
      }
    },
  );

  it("a URL of a database without a password is an argument like others", async () => {
    const written = await run((io) =>
      shiftpact(["migrate", "postgres://owner@localhost:5432/shiftpact"], io),
    );
    expect(written).toContain("Unexpected argument");
  });
});
