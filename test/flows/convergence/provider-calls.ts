import { afterEach } from "vitest";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { type Provider, type ProviderOptions, startProvider } from "./provider.ts";

export const NUMBER = published.personnummer[0] ?? "";
export const PERSON = {
  personalNumber: NUMBER,
  firstName: "Robin",
  lastName: "Ek",
  email: "r@example.com",
  phone: "1",
};
/** Starts providers, which are closed after the test. */
export function useProviders(): (options?: ProviderOptions) => Promise<Provider> {
  const providers: Provider[] = [];
  afterEach(async () => {
    await Promise.all(providers.splice(0).map((provider) => provider.close()));
  });
  return async (options) => {
    const provider = await startProvider(options);
    providers.push(provider);
    return provider;
  };
}

interface Answer {
  status: number;
  type: string | null;
  retryAfter: string | null;
  body: Record<string, unknown> & { assignedCandidates: unknown[]; length: number };
}

/** Makes a call as the platform does. */
export async function ask(provider: Provider, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${provider.url}/providers/${provider.providerId}${path}`, {
    method,
    headers: { Authorization: `Bearer ${provider.token()}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type");
  const isJson = type?.includes("json") && text !== "";
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, type, retryAfter, body: isJson ? JSON.parse(text) : text };
}

export const create = async (provider: Provider) =>
  String((await ask(provider, "POST", "/candidates", PERSON)).body.id);

/** Creates a shift with one position, and a person who is not on it. */
export async function seat(provider: Provider) {
  const { id: shiftId } = provider.createShift();
  const candidateId = await create(provider);
  const path = `/shifts/${shiftId}/assign/${candidateId}`;
  const assign = () => ask(provider, "PUT", path);
  const unassign = () => ask(provider, "PUT", `/shifts/${shiftId}/unassign/${candidateId}`);
  const get = () => ask(provider, "GET", `/shifts/${shiftId}`);
  return { shiftId, candidateId, path, assign, unassign, get };
}

export const kindsOf = ({ effects }: Provider) => effects.map(({ kind }) => kind);
