import { operationsTable } from "../../../generated/provider/server.ts";
import type { PactInteraction } from "../contracts.ts";
import type { OperationId, Probe } from "../exchange.ts";
import type { StateValues } from "../provider-states.ts";

const ROUTES = operationsTable.map(({ operationId, method, path }) => ({
  operation: operationId as OperationId,
  method: method as string,
  pattern: new RegExp(`^(?:/providers/[^/]+)?${path.replaceAll(/\{(\w{1,99})\}/g, "(?<$1>[^/]+)")}$`),
}));

/** Returns the operation, and its path parameters by name. */
function routeOf(method: string, path: string) {
  for (const { operation, pattern, ...route } of ROUTES) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match) return { operation, parameters: { ...match.groups } };
  }
  return undefined;
}

export function operationOf({ request }: PactInteraction): OperationId | "provider" {
  return (request && routeOf(request.method, request.path)?.operation) ?? "provider";
}

/**
 * Returns the request of the interaction, with the values of its provider state. Token, organisation and trace are those of the run.
 * Returns undefined if it calls no operation of the contract.
 */
export function requestOf({ request }: PactInteraction, values: StateValues): Probe | undefined {
  if (!request) return undefined;
  const { method, generators = {} } = request;
  const route = routeOf(method, generators.path?.expression ?? request.path);
  if (!route) return undefined;
  const fill = (text: string) => filled(text, values);
  const query = Object.entries(request.query ?? {}).map(([name, [value = ""]]) => [
    name,
    fill(generators.query?.[name]?.expression ?? value),
  ]);
  const path = Object.entries(route.parameters).map(([name, value]) => [name, fill(value)]);
  return {
    operation: route.operation,
    path: Object.fromEntries(path),
    ...(query.length > 0 && { query: Object.fromEntries(query) }),
    ...(request.body && { json: withValues(request.body.content, generators.body, fill) }),
  };
}

function filled(text: string, values: StateValues): string {
  return text.replaceAll(/\$\{(\w{1,99})\}/g, (_, name: string) => String(values[name]));
}

function withValues(
  content: unknown,
  generators: Readonly<Record<string, { expression: string }>> = {},
  fill: (text: string) => string,
): unknown {
  const body = structuredClone(content);
  for (const [place, { expression }] of Object.entries(generators)) {
    const names = place.split(".").slice(1);
    const last = names.pop() ?? "";
    const parent = names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body);
    Object.assign(parent as object, { [last]: fill(expression) });
  }
  return body;
}

/** Returns the names of the provider state's values in the request (test/consumer/README.md). */
export function neededValues({ request }: PactInteraction): string[] {
  const names = JSON.stringify(request?.generators ?? {}).matchAll(/\$\{(\w{1,99})\}/g);
  return [...new Set([...names].map(([, name = ""]) => name))];
}
