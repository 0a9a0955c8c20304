import type { Request } from "express";
import type { Organisation } from "../organisation.ts";
import type { SpoiltCall } from "./fault.ts";

const HEADERS = ["x-provider-id", "x-platform-provider-id"];

/** How the call names its organisation (contract 4.1), before anybody has looked whether there is one. */
export function providerIdOf(request: Request): string | undefined {
  const [, prefix] = /^\/providers\/([^/]+)/.exec(request.path) ?? [];
  const [header] = HEADERS.map((name) => request.get(name)).filter((id) => id !== undefined);
  return (prefix ?? header)?.toLowerCase();
}

/** The one that the call named when it came. */
export function organisationOf({ organisations, providerId }: SpoiltCall): Organisation | undefined {
  return organisations.get(providerId ?? "");
}

/** Whose token the call carries. */
export function tokenHolderOf({ request, organisations }: SpoiltCall): Organisation | undefined {
  const authorization = request.get("authorization");
  return [...organisations.values()].find(({ token }) => authorization === `Bearer ${token}`);
}

/** Makes it a call for the organisation, wherever it names one; with headers when it names none. */
export function nameOrganisation({ request }: SpoiltCall, { providerId }: Organisation): void {
  const isPrefixed = /^\/providers\/[^/]+/.test(request.url);
  if (isPrefixed) request.url = request.url.replace(/^\/providers\/[^/]+/, `/providers/${providerId}`);
  for (const name of HEADERS) {
    if (request.headers[name] !== undefined || !isPrefixed) request.headers[name] = providerId;
  }
}
