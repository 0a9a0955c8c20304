import type { Discovery, IntegrationCreated } from "../../generated/operations/types.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { TenantHarness } from "./tenants.ts";

/** Registers the sandbox's organisation as a draft and gives the sandbox the address for its webhooks. */
export async function register(harness: TenantHarness, provider: Sandbox): Promise<string> {
  const { providerId, url: baseUrl, token: providerToken } = provider;
  const order = { providerId, kind: "sandbox", name: "Restauranggruppen", baseUrl, providerToken };
  const { platformToken } = await expectBody<IntegrationCreated>(harness, "POST", "/integrations", order);
  provider.connectPlatform({ url: harness.platform.url, token: platformToken, kind: "sandbox" });
  return platformToken;
}

export function discover(harness: TenantHarness, { providerId }: Sandbox): Promise<Discovery> {
  return expectBody<Discovery>(harness, "POST", `/integrations/${providerId}/discover`);
}

export async function expectBody<T>(
  harness: TenantHarness,
  method: string,
  path: string,
  sent?: unknown,
): Promise<T> {
  const { status, body, text } = await harness.operate(method, path, sent);
  if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  return body as T;
}
