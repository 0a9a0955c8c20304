import type { Discovery, IntegrationCreated } from "../../../generated/operations/types.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import type { Edge } from "../http/edge.ts";

/** Registers the sandbox's organisation as a draft and tells the sandbox where its webhooks go. */
export async function register(edge: Edge, provider: Sandbox): Promise<string> {
  const { providerId, url: baseUrl, token: providerToken } = provider;
  const order = { providerId, kind: "sandbox", name: "Restauranggruppen", baseUrl, providerToken };
  const { platformToken } = await expectBody<IntegrationCreated>(edge, "POST", "/integrations", order);
  provider.connectPlatform({ url: edge.platform.url, token: platformToken, kind: "sandbox" });
  return platformToken;
}

/** From nothing to an active integration: everything is mapped by its name. */
export async function onboard(edge: Edge, provider: Sandbox): Promise<void> {
  await register(edge, provider);
  for (const { name } of provider.outlets) await expectBody(edge, "POST", "/workplaces", { name });
  for (const { name } of provider.roles) await expectBody(edge, "POST", "/competences", { name });
  await discover(edge, provider);
  await expectBody(edge, "POST", `/integrations/${provider.providerId}/activate`);
}

export function discover(edge: Edge, { providerId }: Sandbox): Promise<Discovery> {
  return expectBody<Discovery>(edge, "POST", `/integrations/${providerId}/discover`);
}

export async function expectBody<T>(edge: Edge, method: string, path: string, sent?: unknown): Promise<T> {
  const { status, body, text } = await edge.operate(method, path, sent);
  if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  return body as T;
}
