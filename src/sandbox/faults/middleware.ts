import type { Request, RequestHandler, Response } from "express";
import { operationsTable } from "../../../generated/provider/server.ts";
import type { Forms } from "../forms.ts";
import type { Organisations } from "../organisation.ts";
import type { Answer, OperationId, Outcome } from "./fault.ts";
import type { FaultSwitchboard } from "./switchboard.ts";
import { providerIdOf } from "./tenant.ts";

/** Lets the active faults answer before the router does, or spoil what the router sends. */
export function faultMiddleware(
  switchboard: FaultSwitchboard,
  organisations: Organisations,
  forms: Forms,
): RequestHandler {
  return (request, response, next) => {
    const operation = operationOf(request);
    const world = { providerId: providerIdOf(request), organisations, forms };
    const spoilt = operation && switchboard.spoil({ ...operation, ...world, request });
    if (spoilt === undefined) return next();
    if (typeof spoilt !== "function") return carryOut(spoilt, response);
    interceptEnd(response, (answer, send) => carryOut(spoilt(answer), response, send));
    next();
  };
}

/** The templates as expressions, concrete paths first; the organisation's prefix may stand before them. */
const ROUTES = [...operationsTable]
  .sort((one, other) => one.path.split("{").length - other.path.split("{").length)
  .map(({ operationId, method, path }) => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    return { operationId, method, expression: new RegExp(`^(?:/providers/[^/]+)?${pattern}/?$`) };
  });

function operationOf({ method, path }: Request) {
  for (const route of ROUTES) {
    const found = method === route.method ? route.expression.exec(path) : null;
    if (found) return { operationId: route.operationId satisfies OperationId, path: decoded(found.groups) };
  }
  return undefined;
}

function decoded(groups: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodedText(text)]));
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type End = (text?: string) => void;

/** The generated router writes status and headers and then ends with the whole body: that is where it is caught. */
function interceptEnd(response: Response, spoil: (answer: Answer, send: End) => void): void {
  const end = response.end.bind(response);
  const send: End = (text) => {
    if (text === undefined) end();
    else end(text);
  };
  const caught = (text?: unknown) => {
    const body = typeof text === "string" ? parsed(text) : undefined;
    spoil({ status: response.statusCode, headers: headersOf(response), body }, send);
    return response;
  };
  response.end = caught as Response["end"];
}

function headersOf(response: Response): Record<string, string> {
  const entries = Object.entries(response.getHeaders());
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function carryOut(outcome: Outcome, response: Response, send: End = (text) => response.end(text)): void {
  if (outcome === "hang") return;
  if (outcome === "reset") {
    response.socket?.destroy();
    return;
  }
  response.statusCode = outcome.status;
  for (const name of response.getHeaderNames()) {
    if (/^content-/.test(name) && name !== "content-security-policy") response.removeHeader(name);
  }
  for (const [name, value] of Object.entries(outcome.headers)) response.setHeader(name, value);
  const { body } = outcome;
  send(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
}
