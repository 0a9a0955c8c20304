import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import type { Database } from "../../src/platform/db/database.ts";
import { makePlatformToken } from "../../src/platform/integrations/tokens.ts";
import { copyDataFolder, withDatabase } from "./platform.ts";
import { insertIntegration } from "./tenants.ts";

const COMMAND = fileURLToPath(new URL("../../src/cli/shiftpact.ts", import.meta.url));
/** The embedded database's code is not optimised, as in vitest.config.ts. */
const QUICK = "--liftoff-only";

/** A separate data folder, with the settings of a platform process. */
export interface DataFolder {
  dataDir: string;
  env: NodeJS.ProcessEnv;
  /** Opens its database, while no process has it open. */
  withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T>;
  /** Adds an active integration, whose provider is at `baseUrl`. */
  addIntegration(baseUrl: string): Promise<Owner>;
  /** Copies the folder, while no process has the database open. */
  copy(): Promise<DataFolder>;
  remove(): Promise<void>;
}

/** The integration that a webhook belongs to. */
export interface Owner {
  providerId: string;
  kind: string;
  platformToken: string;
}

export async function makeDataFolder(secretKey = randomBytes(32), template?: string): Promise<DataFolder> {
  const { location, remove } = await copyDataFolder(template);
  const { dataDir } = location;
  return {
    dataDir,
    env: {
      ...process.env,
      ALLOW_INSECURE_PROVIDERS: "1",
      DRAIN_SECONDS: "0",
      LOG_LEVEL: "warn",
      SECRET_KEY: secretKey.toString("base64"),
      SHIFTPACT_DATA: dataDir,
    },
    withDatabase: (use) => withDatabase(location, use),
    addIntegration: async (baseUrl) => {
      const owner = { providerId: randomUUID(), platformToken: makePlatformToken(), kind: "probe" };
      const rest = { baseUrl, state: "active", secretKey, tokens: [[owner.platformToken, null]] } as const;
      await withDatabase(location, ({ kysely }) => insertIntegration(kysely, { ...owner, ...rest }));
      return owner;
    },
    copy: () => makeDataFolder(secretKey, join(dataDir, "database")),
    remove,
  };
}

export interface PlatformProcess {
  child: ChildProcess;
  /** Resolves with the first line on stdout; rejects if the process ends before it. */
  port: Promise<number>;
  /** Resolves with the code, the signal and the lines on stderr. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string[] }>;
}

const running = new Set<ChildProcess>();

/** `node src/cli/shiftpact.ts platform`; `around`: a module that runs first in the process, as source text. */
export function startProcess({ env }: Pick<DataFolder, "env">, port = 0, around = ""): PlatformProcess {
  const preload = around === "" ? [] : ["--import", `data:text/javascript,${encodeURIComponent(around)}`];
  const child = spawn(process.execPath, [QUICK, ...preload, COMMAND, "platform", "--port", String(port)], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return { code, signal, errors };
  });
  const first = once(createInterface({ input: child.stdout }), "line").then(
    ([line]) => JSON.parse(line).port,
  );
  const early = ended.then(({ errors }) => Promise.reject(new Error(errors.join("\n"))));
  const listening = Promise.race([first, early]);
  listening.catch(() => undefined);
  return { child, port: listening, ended };
}

/** For afterEach: ends the processes of a failed test. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill("SIGKILL");
      await once(child, "close");
    }),
  );
}

const TMPFS = 0x01021994;

export const isInMemory = async (path: string): Promise<boolean> =>
  statfs(path).then(
    ({ type }) => type === TMPFS,
    () => false,
  );

/** Returns a folder on disk: in memory a sync costs nothing, which would falsify figures of durable storage. */
export async function placeOnDisk(): Promise<string> {
  const usual = tmpdir();
  return (await isInMemory(usual)) && !(await isInMemory("/var/tmp")) ? "/var/tmp" : usual;
}

/** The shell has no windows of its own to draw: a test takes half as long as with the whole browser, which works too. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
/** The browser's own requests, and requests of a page to another host, fail immediately. */
const ONLY_THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  ONLY_THIS_MACHINE,
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @throws Error that names what is missing, without Chromium */
export function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `a test needs Chromium here, and ${CHROMIUM} does not exist: install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to its path`,
    );
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Builds the console into a folder. */
export async function buildConsole(outDir: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL("../../src/console", import.meta.url)),
    configFile: fileURLToPath(new URL("../../src/console/vite.config.ts", import.meta.url)),
    logLevel: "warn",
    build: { outDir, emptyOutDir: true },
  });
}
