import type { IncomingMessage } from "node:http";
import type { Operation } from "./provider-faults.ts";

/** A call of the platform, as contract 4.2 lists them. */
export interface Call {
  operation: Operation;
  method: string;
  /** Without the prefix and the query, which may hold a personal number. */
  path: string;
  shiftId?: string;
  candidateId?: string;
  query: URLSearchParams;
  body: unknown;
}

interface Route {
  method: string;
  pattern: RegExp;
  operation: Operation;
}

const ROUTES: readonly Route[] = [
  { method: "GET", pattern: /^\/shifts\/(?<shiftId>[^/]+)$/, operation: "getShift" },
  { method: "PUT", pattern: /^\/shifts\/(?<shiftId>[^/]+)$/, operation: "updateShift" },
  { method: "DELETE", pattern: /^\/shifts\/(?<shiftId>[^/]+)$/, operation: "cancelShift" },
  {
    method: "PUT",
    pattern: /^\/shifts\/(?<shiftId>[^/]+)\/assign\/(?<candidateId>[^/]+)$/,
    operation: "assign",
  },
  {
    method: "PUT",
    pattern: /^\/shifts\/(?<shiftId>[^/]+)\/unassign\/(?<candidateId>[^/]+)$/,
    operation: "unassign",
  },
  {
    method: "DELETE",
    pattern: /^\/shifts\/(?<shiftId>[^/]+)\/assign\/(?<candidateId>[^/]+)$/,
    operation: "unassign",
  },
  { method: "GET", pattern: /^\/candidates\/registry$/, operation: "readRegistry" },
  { method: "GET", pattern: /^\/candidates$/, operation: "findCandidates" },
  { method: "POST", pattern: /^\/candidates$/, operation: "createCandidate" },
  { method: "GET", pattern: /^\/outlets$/, operation: "listOutlets" },
  { method: "GET", pattern: /^\/roles$/, operation: "listRoles" },
];

/** Returns the call; undefined for an unknown route. */
export async function readCall(
  request: IncomingMessage,
  { pathname, searchParams: query }: URL,
): Promise<Call | undefined> {
  const { method = "" } = request;
  const route = ROUTES.find((each) => each.method === method && each.pattern.test(pathname));
  const body = await readBody(request);
  if (!route) return undefined;
  const ids = pathname.match(route.pattern)?.groups ?? {};
  const decoded = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, decodeURIComponent(id)]));
  return {
    operation: route.operation,
    method,
    path: pathname,
    query,
    body,
    ...decoded,
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Returns the organisation of the request (contract 5.4), and its path without the prefix. */
export function readTenant({ url = "/" }: IncomingMessage): { providerId: string | undefined; url: URL } {
  const whole = new URL(url, "http://provider.invalid");
  const [, providerId, rest = "/"] = whole.pathname.match(/^\/providers\/([^/]+)(\/.*)?$/) ?? [];
  const inner = new URL(whole);
  inner.pathname = rest;
  return { providerId, url: inner };
}
