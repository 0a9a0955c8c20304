import { randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import { hashToken } from "../../../src/platform/access/token.ts";
import type { Config } from "../../../src/platform/config.ts";
import { type Database, type Engine, openDatabase } from "../../../src/platform/db/database.ts";
import { makePlatformToken } from "../../../src/platform/integrations/tokens.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { type Platform, type PlatformOptions, startPlatform } from "../../../src/platform/main.ts";
import { copyDatabase, silent } from "../../engines.ts";
import { type Answer, type Sending, send } from "./send.ts";

export const OPERATIONS_TOKEN = "operations-token-of-the-tests";
export const SECRET_KEY = Buffer.alloc(32, 7);
export const KIND = "tempo";

/** An organisation that is active, with tokens in every state. */
export interface Tenant {
  providerId: string;
  platformToken: string;
  expiredToken: string;
}

/** A running platform on a database of its own, and two tenants in it. */
export interface Edge {
  platform: Platform;
  /** PostgreSQL's URL, or the data folder. */
  where: { url?: string; dataDir?: string };
  tenant: Tenant;
  other: Tenant;
  /** An operations call with the right token. */
  operate(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A webhook of `tenant`, on the path that names no kind. */
  tell(body: unknown): Promise<Answer>;
  send(path: string, sending?: Sending): Promise<Answer>;
  stop(): Promise<void>;
}

export interface EdgeOptions extends PlatformOptions {
  config?: Partial<Config>;
}

/** For the whole `describe` around the call. */
export function useEdge(engine: Engine, options: EdgeOptions = {}): () => Edge {
  let edge: Edge | undefined;
  beforeAll(async () => {
    edge = await startEdge(engine, options);
  });
  afterAll(() => edge?.stop());
  return () => {
    if (!edge) throw new Error("the platform is started before the first test, not before");
    return edge;
  };
}

/** On an engine's database of its own; or on one that is there, which is not removed. */
export async function startEdge(
  on: Engine | { url: string },
  { config, ...options }: EdgeOptions = {},
): Promise<Edge> {
  const { where, remove } = await placeFor(on);
  const [tenant, other] = await seed(where);
  const platform = await startPlatform(
    { ...configOf(where), ...config },
    {
      log: silent,
      timing: { absenceRetriesMs: [], onboardingRetriesMs: [] },
      retries: { tries: 1 },
      calls: { perMinute: 0 },
      ...options,
    },
  );
  const authorization = `Bearer ${OPERATIONS_TOKEN}`;
  const sendHere = (path: string, sending?: Sending) => send(platform.url, path, sending);
  return {
    platform,
    where,
    tenant,
    other,
    operate: (method, path, body) => sendHere(`/operations/v1${path}`, { method, authorization, body }),
    tell: (body) =>
      sendHere("/webhooks/scheduling-provider", {
        method: "POST",
        authorization: `Bearer ${tenant.platformToken}`,
        body,
      }),
    send: sendHere,
    stop: async () => {
      await platform.close();
      await remove();
    },
  };
}

export function placeFor(
  on: Engine | { url: string },
): Promise<{ where: Edge["where"]; remove: () => Promise<void> }> {
  if (typeof on === "object") return Promise.resolve({ where: on, remove: async () => undefined });
  return on === "pglite" ? dataFolder() : copyDatabase();
}

/** Of a platform on this database. The folder of an embedded one is `database` inside the data folder. */
export function configOf({ url, dataDir = "unused" }: Edge["where"]): Config {
  return {
    port: 0,
    databaseUrl: url,
    dataDir,
    operationsToken: OPERATIONS_TOKEN,
    secretKey: SECRET_KEY,
    allowInsecureProviders: true,
    webhookRateLimit: 0,
    unknownTokenLimit: 0,
    logLevel: "silent",
  };
}

async function dataFolder() {
  const dataDir = await mkdtemp(join(dirname(inject("pgliteTemplate")), "edge-"));
  cpSync(inject("pgliteTemplate"), join(dataDir, "database"), { recursive: true });
  return { where: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** The database of a platform that is not running, or (PostgreSQL) beside one that is. */
export async function withDatabase<T>(
  where: Edge["where"],
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const { url, dataDir } = where;
  const database = await openDatabase(
    url ? { url, log: silent } : { dataDir: join(dataDir ?? "", "database"), log: silent },
  );
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

function seed(where: Edge["where"]): Promise<[Tenant, Tenant]> {
  return withDatabase(where, async ({ kysely }) => [await addTenant(kysely), await addTenant(kysely)]);
}

async function addTenant(kysely: Database["kysely"]): Promise<Tenant> {
  const tenant = {
    providerId: randomUUID(),
    platformToken: makePlatformToken(),
    expiredToken: makePlatformToken(),
  };
  const { providerId: provider_id, platformToken, expiredToken } = tenant;
  await kysely
    .insertInto("integrations")
    .values({
      provider_id,
      kind: KIND,
      name: "Restauranggruppen",
      base_url: "http://127.0.0.1:9",
      provider_token: createVault(SECRET_KEY).seal("provider-token"),
      // Suspended: the events are stored and nobody is called.
      state: "suspended",
    })
    .execute();
  await kysely
    .insertInto("platform_tokens")
    .values([
      { provider_id, token_hash: hashToken(platformToken), valid_until: null },
      { provider_id, token_hash: hashToken(expiredToken), valid_until: new Date(Date.now() - 1) },
    ])
    .execute();
  return tenant;
}

export function shiftEvent(providerId: string, event = "shift.create") {
  return { event, providerId, content: { shiftId: randomUUID() }, traceId: randomUUID() };
}

/** Every event that the platform has stored, as its operations API tells. */
export async function storedEvents({ operate }: Edge): Promise<{ traceId: string; event: string }[]> {
  const { body } = await operate("GET", "/events?limit=200");
  return (body as { items: { traceId: string; event: string }[] }).items;
}
