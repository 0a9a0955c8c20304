import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
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
