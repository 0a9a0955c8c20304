import type { Request } from "express";
import type { Organisation } from "../organisation.ts";
import type { Call } from "./fault.ts";

const HEADERS = ["x-provider-id", "x-platform-provider-id"];

/** Returns the providerId of the call (contract 4.1), known or unknown. */
export function providerIdOf(request: Request): string | undefined {
  const [, prefix] = /^\/providers\/([^/]+)/.exec(request.path) ?? [];
  const [header] = HEADERS.map((name) => request.get(name)).filter((id) => id !== undefined);
  return (prefix ?? header)?.toLowerCase();
}

/** Returns the organisation that the call named originally. */
export function organisationOf({ organisations, providerId }: Call): Organisation | undefined {
  return organisations.get(providerId ?? "");
}

/** Returns the organisation whose token the call has. */
export function tokenHolderOf({ request, organisations }: Call): Organisation | undefined {
  const authorization = request.get("authorization");
  return [...organisations.values()].find(({ token }) => authorization === `Bearer ${token}`);
}

/** Replaces the providerId everywhere in the call, or adds it in headers if the call has none. */
export function nameOrganisation({ request }: Call, { providerId }: Organisation): void {
  const isPrefixed = /^\/providers\/[^/]+/.test(request.url);
  if (isPrefixed) request.url = request.url.replace(/^\/providers\/[^/]+/, `/providers/${providerId}`);
  for (const name of HEADERS) {
    if (request.headers[name] !== undefined || !isPrefixed) request.headers[name] = providerId;
  }
}
