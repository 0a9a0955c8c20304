import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import { hashToken, makePlatformToken } from "../../src/platform/integrations/tokens.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { silent } from "../engines.ts";

const COMMAND = fileURLToPath(new URL("../../src/cli/shiftpact.ts", import.meta.url));
/** The embedded database's code is not optimised, as in vitest.config.ts. */
const QUICK = "--liftoff-only";

/** A data folder of its own, with what a platform process needs to start on it. */
export interface Home {
  dataDir: string;
  env: NodeJS.ProcessEnv;
  /** The database in it, while no process has it. */
  withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T>;
  /** An active integration, whose provider is at `baseUrl`. */
  addIntegration(baseUrl: string): Promise<Owner>;
  /** Another home that holds the same. While no process has the database. */
  copy(): Promise<Home>;
  remove(): Promise<void>;
}

export interface Owner {
  providerId: string;
  kind: string;
  platformToken: string;
}

export const makeHome = (): Promise<Home> => homeFrom(inject("pgliteTemplate"), randomBytes(32));

async function homeFrom(template: string, secretKey: Buffer): Promise<Home> {
  const dataDir = await mkdtemp(join(dirname(inject("pgliteTemplate")), "home-"));
  const folder = join(dataDir, "database");
  cpSync(template, folder, { recursive: true });
  const withDatabase: Home["withDatabase"] = async (use) => {
    const database = await openDatabase({ dataDir: folder, log: silent });
    return use(database).finally(database.close);
  };
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
    withDatabase,
    addIntegration: (baseUrl) => withDatabase((database) => addIntegration(database, secretKey, baseUrl)),
    copy: () => homeFrom(folder, secretKey),
    remove: () => rm(dataDir, { recursive: true }),
  };
}

async function addIntegration({ kysely }: Database, secretKey: Buffer, baseUrl: string): Promise<Owner> {
  const [providerId, platformToken, kind] = [randomUUID(), makePlatformToken(), "probe"];
  const provider_token = createVault(secretKey).seal("a-provider-token");
  await kysely
    .insertInto("integrations")
    .values({
      provider_id: providerId,
      kind,
      name: "Probe",
      base_url: baseUrl,
      state: "active",
      provider_token,
    })
    .execute();
  await kysely
    .insertInto("platform_tokens")
    .values({ token_hash: hashToken(platformToken), provider_id: providerId, valid_until: null })
    .execute();
  return { providerId, kind, platformToken };
}

export interface PlatformProcess {
  child: ChildProcess;
  /** Resolves with the first line on stdout; rejects if the process ends before it. */
  port: Promise<number>;
  /** Code, signal and the lines on stderr. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string[] }>;
}

const running = new Set<ChildProcess>();

/** `node src/cli/shiftpact.ts platform`; `around`: a module that runs first in the process, as source text. */
export function startProcess({ env }: Pick<Home, "env">, port = 0, around = ""): PlatformProcess {
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

/** For afterEach: a test that failed half way leaves no process behind. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill("SIGKILL");
      await once(child, "close");
    }),
  );
}
