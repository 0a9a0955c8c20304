import { randomBytes, randomUUID } from "node:crypto";
import { createClient } from "../../generated/operations/client.ts";
import published from "../../test/testdata/personal-numbers.json" with { type: "json" };
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import type { Resources } from "./machine.ts";

const OPERATIONS_TOKEN = "operations-token-of-the-benchmark";
const SECRET_KEY = randomBytes(32).toString("base64");
/** The number of simultaneous calls of the onboarding. */
const AT_ONCE = 4;

/** A platform process with its operations API. */
export interface Platform {
  child: Child;
  operations: ReturnType<typeof createClient>;
  operationsToken: string;
}

/** The data store of a platform. */
export type Store = { databaseUrl: string } | { dataDir: string };

/** Starts a platform without rate limits, because they would limit the figures. `more`: other settings. */
export async function startPlatform(
  resources: Resources,
  store: Store,
  more: Readonly<Record<string, string>> = {},
): Promise<Platform> {
  const child = await startChild(resources, new URL("./servers/platform.ts", import.meta.url), {
    ...("databaseUrl" in store ? { DATABASE_URL: store.databaseUrl } : { SHIFTPACT_DATA: store.dataDir }),
    OPERATIONS_TOKEN,
    SECRET_KEY,
    PORT: "0",
    ALLOW_INSECURE_PROVIDERS: "1",
    WEBHOOK_RATE_LIMIT: "0",
    PROVIDER_RATE_LIMIT: "0",
    LOG_LEVEL: "fatal",
    ...more,
  });
  const headers = { Authorization: `Bearer ${OPERATIONS_TOKEN}` };
  const operations = createClient({ baseUrl: `${child.url}/operations/v1`, headers });
  return { child, operations, operationsToken: OPERATIONS_TOKEN };
}

/** Creates an empty database on the server that all sections share. */
export async function newDatabase(resources: Resources): Promise<{ databaseUrl: string }> {
  const server = await resources.postgres();
  const name = `bench_${randomUUID().replaceAll("-", "")}`;
  await server.createDatabase(name);
  return { databaseUrl: `${server.url}/${name}` };
}

export const newFolder = async (resources: Resources) => ({ dataDir: await resources.folder("platform") });

/** An organisation that can send webhooks. */
export interface Organisation {
  providerId: string;
  platformToken: string;
}

/** Registers a draft: its events are acknowledged and stored, and wait. */
export async function register({ operations }: Platform, baseUrl: string): Promise<Organisation> {
  const providerId = randomUUID();
  const body = { providerId, kind: "bench", name: "Kvarteret", baseUrl, providerToken: "a-provider-token" };
  const { platformToken } = ok(await operations.createIntegration({ body }));
  return { providerId, platformToken };
}

/** Onboards organisations whose events are processed: outlet and role of servers/provider.ts are mapped by their names. */
export async function onboard(platform: Platform, baseUrls: readonly string[]): Promise<Organisation[]> {
  const organisations: Organisation[] = [];
  const waiting = [...baseUrls];
  const work = async () => {
    for (let baseUrl = waiting.shift(); baseUrl !== undefined; baseUrl = waiting.shift()) {
      const organisation = await register(platform, baseUrl);
      const params = { path: { providerId: organisation.providerId } };
      ok(await platform.operations.discoverIntegration({ params }));
      ok(await platform.operations.activateIntegration({ params }));
      organisations.push(organisation);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return organisations;
}

let numbers = 0;

/** Returns another published personal number each time. @throws RangeError when none is left */
function nextNumber(): string {
  const number = published.personnummer[numbers++];
  if (number === undefined) throw new RangeError("every published personal number is in use");
  return number;
}

/** Creates the workplace and the competence, and candidates for each job. */
export async function settle({ operations }: Platform, people: number): Promise<void> {
  ok(await operations.createWorkplace({ body: { name: "Kajen", address: "Skeppsbron 14, Göteborg" } }));
  const { competenceId } = ok(await operations.createCompetence({ body: { name: "Waiter" } }));
  for (let nth = 0; nth < people; nth += 1) {
    const personalNumber = nextNumber();
    const contact = { email: "robin.ek@example.com", phone: "+46701740605" };
    const body = { personalNumber, firstName: "Robin", lastName: "Ek", ...contact };
    ok(await operations.createCandidate({ body: { ...body, competenceIds: [competenceId] } }));
  }
}

/** @throws Error with the response, if it is not 2xx */
export function ok<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (response.ok && error === undefined) return data as T;
  throw new Error(`${response.url}: status ${response.status}: ${JSON.stringify(error)}`);
}
