import { randomUUID } from "node:crypto";
import { hashToken } from "../../src/platform/access/tokens.ts";
import type { Database, Engine } from "../../src/platform/db/database.ts";
import { makePlatformToken } from "../../src/platform/integrations/tokens.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import type { HttpResponse } from "./http.ts";
import { type Harness, type HarnessOptions, SECRET_KEY, startHarness, useStarted } from "./platform.ts";

export const KIND = "tempo";

/** A suspended integration with a token in each state. */
export interface Tenant {
  providerId: string;
  platformToken: string;
  expiredToken: string;
}

/** A running platform with two tenants, whose events it stores without calling a provider. */
export interface TenantHarness extends Harness {
  tenant: Tenant;
  other: Tenant;
  /** Sends a webhook of `tenant`, on the path that names no kind. */
  sendEvent(body: unknown): Promise<HttpResponse>;
}

/** Starts a platform for the whole `describe` around the call. */
export function useTenants(engine: Engine, options?: HarnessOptions): () => TenantHarness {
  return useStarted(() => startWithTenants(engine, options));
}

/** Starts a platform that makes each attempt once. */
export async function startWithTenants(
  on: Engine | { url: string },
  options: HarnessOptions = {},
): Promise<TenantHarness> {
  const [tenant, other] = [newTenant(), newTenant()];
  const harness = await startHarness(on, {
    timing: { ladderMs: [], onboardingRetriesMs: [] },
    retries: { tries: 1 },
    ...options,
    seed: async ({ kysely }) => {
      for (const each of [tenant, other]) await insertTenant(kysely, each);
    },
  });
  const authorization = `Bearer ${tenant.platformToken}`;
  return {
    ...harness,
    tenant,
    other,
    sendEvent: (body) =>
      harness.send("/webhooks/scheduling-provider", { method: "POST", authorization, body }),
  };
}

const newTenant = (): Tenant => ({
  providerId: randomUUID(),
  platformToken: makePlatformToken(),
  expiredToken: makePlatformToken(),
});

function insertTenant(kysely: Database["kysely"], tenant: Tenant): Promise<void> {
  const { providerId, platformToken, expiredToken } = tenant;
  return insertIntegration(kysely, {
    providerId,
    kind: KIND,
    baseUrl: "http://127.0.0.1:9",
    state: "suspended",
    secretKey: SECRET_KEY,
    tokens: [
      [platformToken, null],
      [expiredToken, new Date(Date.now() - 1)],
    ],
  });
}

interface IntegrationRows {
  providerId: string;
  kind: string;
  baseUrl: string;
  state: "active" | "suspended";
  secretKey: Buffer;
  /** The tokens with the end of their validity. */
  tokens: readonly (readonly [token: string, validUntil: Date | null])[];
}

/** Writes the rows of an integration, for a platform that is not running yet. */
export async function insertIntegration(kysely: Database["kysely"], rows: IntegrationRows): Promise<void> {
  const { providerId, kind, baseUrl, state, secretKey, tokens } = rows;
  const providerToken = createVault(secretKey).seal("provider-token");
  await kysely
    .insertInto("integrations")
    .values({ providerId, kind, name: "Restauranggruppen", baseUrl, providerToken, state })
    .execute();
  await kysely
    .insertInto("platformTokens")
    .values(tokens.map(([token, validUntil]) => ({ providerId, tokenHash: hashToken(token), validUntil })))
    .execute();
}

export function shiftEvent(providerId: string, event = "shift.create") {
  return { event, providerId, content: { shiftId: randomUUID() }, traceId: randomUUID() };
}

/** Returns the stored events, as the operations API lists them. */
export async function storedEvents({
  operate,
}: Pick<Harness, "operate">): Promise<{ traceId: string; event: string }[]> {
  const { body } = await operate("GET", "/events?limit=200");
  return (body as { items: { traceId: string; event: string }[] }).items;
}
