import { randomBytes } from "node:crypto";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import type { Database, Engine } from "../../src/platform/db/database.ts";
import { type Platform, type PlatformOptions, startPlatform } from "../../src/platform/main.ts";
import { copyDatabase, copyFolder, silent } from "../engines.ts";
import type { Operations } from "./operations.ts";
import { type Onboarding, type Organisation, onboard } from "./organisation.ts";

/** A running platform and the organisations that a test onboards on it. */
export interface Stage {
  platform: Platform;
  operations: Operations;
  /** A sandbox of its own, onboarded and active. It is closed after the test. */
  onboard(onboarding?: Onboarding): Promise<Organisation>;
  /** Closes the sandboxes, once nothing waits for them any more. */
  strike(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing waits seconds; twelve tries, as in operation, unless a test wants more. */
const BRISK = {
  timing: {
    absenceRetriesMs: [5, 5, 5],
    recheckMs: [5, 5, 5, 5],
    onboardingRetriesMs: [1, 1, 1],
    probeMs: 20,
    answerWithinMs: 20_000,
  },
  retries: { baseMs: 5, capMs: 20 },
  providerTimeoutMs: 5_000,
  calls: { perMinute: 0 },
} satisfies PlatformOptions;

export interface StageOptions extends PlatformOptions {
  /** For a database that another platform has used; made up unless given. */
  secretKey?: Buffer;
}

/** `place`: an engine, for a database of its own; or an open database, which stays open. */
export async function startStage(place: Engine | Database, given: StageOptions = {}): Promise<Stage> {
  const { secretKey = randomBytes(32), ...options } = given;
  const isEngine = typeof place === "string";
  const { remove, ...where } = isEngine ? await placeOf(place) : NOWHERE;
  const config = {
    ...where,
    port: 0,
    operationsToken: "operations-token-of-the-stage",
    secretKey,
    allowInsecureProviders: true,
    webhookRateLimit: 0,
    unknownTokenLimit: 0,
    logLevel: "silent",
  };
  const platform = await startPlatform(config, {
    log: silent,
    ...BRISK,
    ...options,
    ...(!isEngine && { database: place }),
    timing: { ...BRISK.timing, ...options.timing },
    retries: { ...BRISK.retries, ...options.retries },
  });
  const headers = { Authorization: `Bearer ${config.operationsToken}` };
  const operations = createClient({ baseUrl: `${platform.url}/operations/v1`, headers });
  const onboarded: Organisation[] = [];
  return {
    platform,
    operations,
    onboard: async (onboarding) => {
      const organisation = await onboard({ platform, operations }, onboarding);
      onboarded.push(organisation);
      return organisation;
    },
    strike: async () => {
      for (const { provider } of onboarded) provider.clearFaults();
      await platform.idle();
      await Promise.all(onboarded.splice(0).map((organisation) => organisation.close()));
    },
    close: async () => {
      await platform.close();
      await remove();
    },
  };
}

/** One platform for the whole `describe` around the call; the organisations of a test leave it after the test. */
export function useStage(engine: Engine, options?: PlatformOptions): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    stage = await startStage(engine, options);
  });
  afterEach(() => stage?.strike());
  afterAll(() => stage?.close());
  return () => {
    if (!stage) throw new Error("the platform is started before the first test, not before");
    return stage;
  };
}

const NOWHERE = { databaseUrl: undefined, dataDir: "", remove: async () => undefined };

/** A migrated, empty database that no process has open. */
async function placeOf(engine: Engine) {
  if (engine === "postgres") {
    const { where, remove } = await copyDatabase();
    return { databaseUrl: where.url, dataDir: "", remove };
  }
  const { where } = await copyFolder();
  const dataDir = await mkdtemp(join(dirname(where.dataDir), "platform-"));
  await rename(where.dataDir, join(dataDir, "database"));
  return { databaseUrl: undefined, dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}
