import type { Request, RequestHandler, Response } from "express";
import { operationsTable } from "../../../generated/provider/server.ts";
import type { Organisations } from "../organisation.ts";
import { providerIdOf } from "./answers.ts";
import type { Answer, OperationId, Outcome } from "./fault.ts";
import type { FaultSwitchboard } from "./switchboard.ts";

/** Lets active faults respond in place of the router, or change its responses. */
export function faultMiddleware(switchboard: FaultSwitchboard, organisations: Organisations): RequestHandler {
  return (request, response, next) => {
    const operation = operationOf(request);
    const providerId = providerIdOf(request);
    const outcome = operation && switchboard.intercept({ ...operation, providerId, organisations, request });
    if (outcome === undefined) return next();
    if (typeof outcome !== "function") return send(outcome, response);
    interceptEnd(response, (answer, end) => send(outcome(answer), response, end));
    next();
  };
}

/** The path templates as expressions with an optional organisation prefix, concrete paths first. */
const ROUTES = [...operationsTable]
  .sort((one, other) => one.path.split("{").length - other.path.split("{").length)
  .map(({ operationId, method, path }) => {
    const pattern = path.replaceAll(/\{(\w{1,99})\}/g, "(?<$1>[^/]+)");
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

/** Intercepts the end of a response: the generated router passes the whole body to it. */
function interceptEnd(response: Response, onEnd: (answer: Answer, end: End) => void): void {
  const end = response.end.bind(response);
  const originalEnd: End = (text) => {
    if (text === undefined) end();
    else end(text);
  };
  const intercepted = (text?: unknown) => {
    const body = typeof text === "string" ? parsed(text) : undefined;
    onEnd({ status: response.statusCode, headers: headersOf(response), body }, originalEnd);
    return response;
  };
  response.end = intercepted as Response["end"];
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

function send(outcome: Outcome, response: Response, end: End = (text) => response.end(text)): void {
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
  end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
}
