import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { createClient } from "../../../generated/operations/client.ts";
import type { CandidateCreate, Job } from "../../../generated/operations/types.ts";
import type { Engine } from "../../../src/platform/db/database.ts";
import { type Platform, type PlatformOptions, startPlatform } from "../../../src/platform/main.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { copyDatabase, copyFolder, silent } from "../../engines.ts";
import { ok } from "../../flows/operations.ts";

export type Operations = ReturnType<typeof createClient>;

/** An organisation that is registered, and its provider; every outlet and every role is mapped. */
export interface Registered {
  provider: Sandbox;
  params: { path: { providerId: string } };
  platformToken: string;
  competenceId: string;
  /** Sends an event as the provider would, with this token; answers the status. */
  tell(shiftId: string, token?: string, event?: string): Promise<number>;
  /** Resolves when no event of the organisation waits to be processed. */
  settled(): Promise<void>;
  /** The job of a shift, once there is one. */
  job(shiftId: string): Promise<Job | undefined>;
  /** Somebody with the competence. */
  addPerson(personalNumber: string, rest?: Partial<CandidateCreate>): Promise<string>;
}

export interface Running {
  platform: Platform;
  operations: Operations;
  register(options?: SandboxOptions & { activate?: boolean }): Promise<Registered>;
}

/** One platform for the whole `describe` around the call; the providers of a test are closed after it. */
export function useRunning(engine: Engine, options: PlatformOptions = {}): () => Running {
  let running: (Running & { strike(): Promise<void>; close(): Promise<void> }) | undefined;
  beforeAll(async () => {
    running = await start(engine, options);
  });
  afterEach(() => running?.strike());
  afterAll(() => running?.close());
  return () => {
    if (!running) throw new Error("the platform is started before the first test, not before");
    return running;
  };
}

/** Nothing waits seconds. Milliseconds. */
const BRISK = {
  onboardingRetriesMs: [],
  absenceRetriesMs: [5, 5, 5],
  recheckMs: [5, 5, 5, 5],
  probeMs: 20,
  hourlyMs: 100,
};

async function start(engine: Engine, options: PlatformOptions) {
  const { remove, ...where } = await placeOf(engine);
  const config = {
    ...where,
    port: 0,
    operationsToken: "operations-token-of-the-tests",
    secretKey: randomBytes(32),
    allowInsecureProviders: true,
    webhookRateLimit: 0,
    logLevel: "silent",
  };
  const platform = await startPlatform(config, {
    log: silent,
    retries: { baseMs: 5, capMs: 20 },
    ...options,
    timing: { ...BRISK, ...options.timing },
  });
  const headers = { Authorization: `Bearer ${config.operationsToken}` };
  const operations = createClient({ baseUrl: `${platform.url}/operations/v1`, headers });
  const providers: Sandbox[] = [];
  return {
    platform,
    operations,
    register: async ({ activate = true, ...options }: SandboxOptions & { activate?: boolean } = {}) => {
      const provider = await startSandbox(options);
      providers.push(provider);
      return register(platform, operations, provider, activate);
    },
    strike: async () => {
      for (const provider of providers) provider.clearFaults();
      await platform.idle();
      await Promise.all(providers.splice(0).map((provider) => provider.close()));
    },
    close: async () => {
      await platform.close();
      await remove();
    },
  };
}

async function register(
  platform: Platform,
  operations: Operations,
  provider: Sandbox,
  activate: boolean,
): Promise<Registered> {
  const { providerId, url: baseUrl, token: providerToken } = provider;
  const params = { path: { providerId } };
  const order = { providerId, kind: "sandbox", name: "Kvarteret", baseUrl, providerToken };
  const { platformToken } = ok(await operations.createIntegration({ body: order }));
  const competenceId = await map(operations, provider);
  if (activate) ok(await operations.activateIntegration({ params }));
  return {
    ...{ provider, params, platformToken, competenceId },
    tell: async (shiftId, token = platformToken, event = "shift.create") => {
      const body = { event, providerId, content: { shiftId }, traceId: randomUUID() };
      const answer = await fetch(`${platform.url}/webhooks/scheduling-provider`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      await answer.text();
      return answer.status;
    },
    settled: async () => {
      const query = { providerId, status: "queued" } as const;
      const waiting = async () => ok(await operations.listEvents({ params: { query } })).items;
      await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
    },
    job: async (shiftId) =>
      ok(await operations.listJobs({ params: { query: { shiftId, providerId } } })).items[0],
    addPerson: async (personalNumber, rest) => {
      const who = {
        firstName: "Robin",
        lastName: "Ek",
        email: "robin.ek@example.com",
        phone: "+46701740605",
      };
      const body = { ...who, personalNumber, competenceIds: [competenceId], ...rest };
      return ok(await operations.createCandidate({ body })).candidateId;
    },
  };
}

/** Every outlet is one workplace, and every role one competence. */
async function map(operations: Operations, { providerId, outlets, roles }: Sandbox): Promise<string> {
  const params = { path: { providerId } };
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: randomUUID() } }));
  const { competenceId } = ok(await operations.createCompetence({ body: { name: randomUUID() } }));
  ok(await operations.discoverIntegration({ params }));
  const body = {
    outlets: outlets.map(({ id }) => ({ outletId: id, workplaceId })),
    roles: roles.map(({ id }) => ({ roleId: id, competenceId })),
  };
  ok(await operations.updateMappings({ params, body }));
  return competenceId;
}

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

export { ok };
