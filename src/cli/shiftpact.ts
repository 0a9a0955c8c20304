#!/usr/bin/env node
import { kitVersion } from "../verify/package-files.ts";
import type { Io } from "./io.ts";
import { isMain } from "./is-main.ts";
import type { PlatformCommand } from "./platform-commands.ts";
import { runCommand } from "./run-command.ts";

type Command = (argv: string[], io: Io) => Promise<number>;
type Commands = Readonly<Record<string, { summary: string; load: () => Promise<Command> }>>;

const ofPlatform = (name: PlatformCommand, summary: string) => ({
  [name]: { summary, load: async () => (await import("./platform-commands.ts")).PLATFORM_COMMANDS[name] },
});

/** Loaded only on demand: a provider engineer's command needs no database. */
const COMMANDS: Commands = {
  ...ofPlatform("platform", "run the platform: webhooks in, jobs, bookings, cancellations"),
  ...ofPlatform("migrate", "bring the schema of the platform's database up to date, or check it"),
  ...ofPlatform("distribute", "distribute the platform's tables over the workers of Citus, by organisation"),
  ...ofPlatform("operators", "add, list, rotate and revoke the operators of a running platform"),
  ...ofPlatform("backup", "write the embedded database to one file, while the platform runs"),
  ...ofPlatform("restore", "restore such a file into a new data folder"),
  ...ofPlatform("after-restore", "prepare a restored database, so that nothing is sent twice"),
  sandbox: {
    summary: "run a reference provider in any dialect, with faults on request",
    load: async () => (await import("./sandbox.ts")).sandbox,
  },
  verify: {
    summary: "verify a running provider against the contract",
    load: async () => (await import("./verify.ts")).verify,
  },
  listen: {
    summary: "stand in for the platform and check the webhooks of a provider",
    load: async () => (await import("./listen.ts")).listen,
  },
  trigger: {
    summary: "send one webhook, as a provider does",
    load: async () => (await import("./trigger.ts")).trigger,
  },
  compare: {
    summary: "compare a provider's OpenAPI document with the contracts",
    load: async () => (await import("./compare.ts")).compare,
  },
  contracts: {
    summary: "write the Pact files that fit a provider's forms, for any Pact verifier",
    load: async () => (await import("./contracts.ts")).contracts,
  },
};

const HELP = [
  "shiftpact connects shift-scheduling systems to a staffing platform, contract first.",
  "",
  "  shiftpact COMMAND [OPTIONS]",
  "",
  ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(15)}${summary}`),
  "",
  "shiftpact COMMAND --help shows the options, with examples.",
  "shiftpact --version prints the version.",
];

/** Returns the exit code: the command's own; 2 for an unknown command. */
export async function shiftpact([name, ...argv]: string[], io: Io): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    for (const line of HELP) io.stdout(line);
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    io.stdout(kitVersion());
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    io.stderr(
      `shiftpact: there is no command ${JSON.stringify(name)}; there are ${Object.keys(COMMANDS).join(", ")}`,
    );
    return 2;
  }
  try {
    return await (await command.load())(argv, io);
  } catch (error) {
    if (!isPlatformMissing(error)) throw error;
    io.stderr(
      `shiftpact ${name}: the platform is a separate package: install it beside shiftpact (README, Install)`,
    );
    return 2;
  }
}

const isPlatformMissing = (error: unknown) =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes("'@shiftpact/platform'");

/** npm runs a script of a checkout in its root; paths are meant from the folder in which npm was called. */
function enterCallersFolder({ npm_lifecycle_event, INIT_CWD }: NodeJS.ProcessEnv): void {
  const isScript = import.meta.url.endsWith(".ts") && npm_lifecycle_event === "shiftpact";
  if (isScript && INIT_CWD) process.chdir(INIT_CWD);
}

if (isMain(import.meta)) {
  enterCallersFolder(process.env);
  await runCommand("shiftpact", shiftpact);
}
