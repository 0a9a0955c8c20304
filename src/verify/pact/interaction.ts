import { operationsTable } from "../../../generated/provider/server.ts";
import type { PactInteraction } from "../contracts.ts";
import type { OperationId, Probe } from "../target.ts";

const ROUTES = operationsTable.map(({ operationId, method, path }) => ({
  operation: operationId as OperationId,
  method: method as string,
  pattern: new RegExp(`^(?:/providers/[^/]+)?${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** The request that Pact makes of an interaction, as one of the kit's. Undefined when it is to no operation of the contract. */
export function probeOf(method: string, url: string, body = ""): Probe | undefined {
  const { pathname, searchParams } = new URL(url, "http://provider");
  const routes = ROUTES.filter((route) => route.method === method);
  const route = routes.find(({ pattern }) => pattern.test(pathname));
  if (!route) return undefined;
  const path = Object.entries(route.pattern.exec(pathname)?.groups ?? {});
  return {
    operation: route.operation,
    path: Object.fromEntries(path.map(([name, value]) => [name, decodeURIComponent(value)])),
    ...(searchParams.size > 0 && { query: Object.fromEntries(searchParams) }),
    ...(body !== "" && { json: JSON.parse(body) }),
  };
}

/** The operation that the interaction calls. */
export function operationOf({ request }: PactInteraction): OperationId | "provider" {
  return (request && probeOf(request.method, request.path)?.operation) ?? "provider";
}

/** Names of the values that the request takes from its provider state (test/consumer/README.md). */
export function neededValues({ request }: PactInteraction): string[] {
  const names = JSON.stringify(request?.generators ?? {}).matchAll(/\$\{(\w+)\}/g);
  return [...new Set([...names].map(([, name = ""]) => name))];
}
