import { cpSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import type { Config } from "../../src/platform/config.ts";
import { type Database, type Engine, openDatabase } from "../../src/platform/db/database.ts";
import { type Platform, type PlatformOptions, startPlatform } from "../../src/platform/main.ts";
import { RETENTION } from "../../src/platform/settings.ts";
import { copyDatabase, silent } from "./engines.ts";
import { type HttpResponse, type RequestOptions, send } from "./http.ts";
import type { Operations } from "./operations.ts";
import { type Onboarding, type Organisation, onboard, PATIENCE_MS } from "./organisation.ts";

export const OPERATIONS_TOKEN = "operations-token-of-the-tests";
export const SECRET_KEY = Buffer.alloc(32, 7);

/** PostgreSQL's URL, or the platform's data folder, whose embedded database is in `database`. */
export interface DatabaseLocation {
  url?: string;
  dataDir?: string;
}

/** A running platform, and the organisations that a test onboards on it. */
export interface Harness {
  platform: Platform;
  /** The location of its database; empty when the test has opened the database itself. */
  location: DatabaseLocation;
  /** The typed client with the operations token. */
  operations: Operations;
  /** Makes an operations call with that token, without the generated client. */
  operate(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  send(path: string, options?: RequestOptions): Promise<HttpResponse>;
  /** Returns the text of `GET /metrics`. */
  metrics(): Promise<string>;
  /** Starts a separate sandbox and makes it an active integration. */
  onboard(onboarding?: Onboarding): Promise<Organisation>;
  /** Closes the sandboxes once the platform has no work left. */
  closeProviders(): Promise<void>;
  /** Closes the platform, then the sandboxes; removes the database unless the test has opened it. */
  close(): Promise<void>;
}

export interface HarnessOptions extends PlatformOptions {
  config?: Partial<Config>;
  /** Runs on the database before the platform starts. */
  seed?: (database: Database) => Promise<unknown>;
}

/** No delay takes seconds; the number of attempts is as in production. */
const FAST = {
  timing: {
    ladderMs: [5, 10, 15, 20],
    onboardingRetriesMs: [1, 1, 1],
    probeMs: 20,
    answerWithinMs: PATIENCE_MS,
  },
  retries: { baseMs: 5, capMs: 20 },
  providerTimeoutMs: PATIENCE_MS,
  calls: { perMinute: 0 },
} satisfies PlatformOptions;

/**
 * Starts a platform through its `main.ts`.
 *
 * @param on An engine, for a new database; an open database, which stays open; or PostgreSQL's URL.
 */
export async function startHarness(
  on: Engine | Database | { url: string },
  { config, seed, ...options }: HarnessOptions = {},
): Promise<Harness> {
  const database = isDatabase(on) ? on : undefined;
  const { location, remove } = await placeFor(on);
  if (seed) await (database ? seed(database) : withDatabase(location, seed));
  const platform = await startPlatform(
    { ...configFor(location), ...config },
    {
      log: silent,
      ...FAST,
      ...options,
      ...(database && { database }),
      timing: { ...FAST.timing, ...options.timing },
      retries: { ...FAST.retries, ...options.retries },
    },
  );
  const organisations: Organisation[] = [];
  const closeAll = () => Promise.all(organisations.splice(0).map((organisation) => organisation.close()));
  const clients = clientsOf(platform);
  return {
    platform,
    location,
    ...clients,
    metrics: async () => (await clients.send("/metrics")).text,
    onboard: async (onboarding) => {
      const organisation = await onboard({ platform, operations: clients.operations }, onboarding);
      organisations.push(organisation);
      return organisation;
    },
    closeProviders: async () => {
      for (const { provider } of organisations) provider.clearFaults();
      await platform.idle();
      await closeAll();
    },
    close: async () => {
      await platform.close();
      await closeAll();
      await remove();
    },
  };
}

const isDatabase = (on: object | string): on is Database => typeof on === "object" && "kysely" in on;

function clientsOf({ url }: Platform): Pick<Harness, "operations" | "operate" | "send"> {
  const authorization = `Bearer ${OPERATIONS_TOKEN}`;
  const headers = { Authorization: authorization };
  const sendHere: Harness["send"] = (path, options) => send(url, path, options);
  return {
    operations: createClient({ baseUrl: `${url}/operations/v1`, headers }),
    operate: (method, path, body) => sendHere(`/operations/v1${path}`, { method, authorization, body }),
    send: sendHere,
  };
}

/** Starts one platform for the whole `describe` around the call; organisations are removed after their test. */
export function useHarness(engine: Engine, options?: HarnessOptions): () => Harness {
  return useStarted(() => startHarness(engine, options));
}

/** Starts before the first test of the `describe` around the call, and closes after the last; `afterTest` runs after each. */
export function useStarted<H extends Harness>(
  start: () => Promise<H>,
  afterTest = (harness: H) => harness.closeProviders(),
): () => H {
  let harness: H | undefined;
  beforeAll(async () => {
    harness = await start();
  });
  afterEach(async () => harness && afterTest(harness));
  afterAll(() => harness?.close());
  return () => {
    if (!harness) throw new Error("the platform starts in beforeAll: call this within a test");
    return harness;
  };
}

/** Returns the configuration of a platform on this database. */
export function configFor({ url, dataDir = "unused" }: DatabaseLocation): Config {
  return {
    host: "127.0.0.1",
    port: 0,
    databaseUrl: url,
    dataDir,
    operationsToken: OPERATIONS_TOKEN,
    secretKey: SECRET_KEY,
    allowInsecureProviders: true,
    webhookRateLimit: 0,
    providerRateLimit: 500,
    unknownTokenLimit: 0,
    drainMs: 0,
    offerMail: { everyMs: 0, perDay: 0 },
    offerWaves: { size: 0, pauseMs: 0 },
    language: "en",
    retention: RETENTION,
    logLevel: "silent",
  };
}

interface Place {
  location: DatabaseLocation;
  remove(): Promise<void>;
}

/** Returns a migrated, empty database that no process has open, unless one is given. */
export async function placeFor(on: Engine | Database | { url: string }): Promise<Place> {
  if (on === "pglite") return copyDataFolder();
  if (on !== "postgres") return { location: "url" in on ? on : {}, remove: async () => undefined };
  const { where, remove } = await copyDatabase();
  return { location: where, remove };
}

/** @param template The folder of an embedded database that no process has open. */
export async function copyDataFolder(template = inject("pgliteTemplate")) {
  // Beside the template: the end of the run removes it even after an interrupted test.
  const dataDir = await mkdtemp(join(dirname(inject("pgliteTemplate")), "platform-"));
  // For a thousand small files, several times faster than the asynchronous cp.
  cpSync(template, join(dataDir, "database"), { recursive: true });
  return { location: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** Uses the database of a platform that is not running, or (PostgreSQL) beside one that is. */
export async function withDatabase<T>(
  { url, dataDir = "" }: DatabaseLocation,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const where = url === undefined ? { dataDir: join(dataDir, "database") } : { url };
  const database = await openDatabase({ ...where, log: silent });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
