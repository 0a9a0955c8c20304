import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listening } from "./http.ts";

/** A call to the provider; the path without `/providers/{providerId}`. */
export interface ProxiedCall {
  method: string;
  path: string;
  traceparent?: string;
  idempotencyKey?: string;
}

interface ProxiedResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Runs while a call is under way. `pass` makes the call; the platform gets the response once the function resolves. */
export type OnTheWay = (call: ProxiedCall, pass: () => Promise<void>) => Promise<void>;

export interface ProxyOptions {
  /** Changes each JSON body of the provider. */
  rewrite?: ((body: unknown) => unknown) | undefined;
  onTheWay?: OnTheWay | undefined;
}

/** A proxy before a provider, for responses that the sandbox never sends, and for changes during a call. */
export async function startProviderProxy(target: string, options: ProxyOptions) {
  const server = createServer((request, response) => {
    proxy(request, response, target, options).catch(() => response.destroy());
  });
  return listening(server);
}

async function proxy(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  { rewrite, onTheWay = (_call, pass) => pass() }: ProxyOptions,
): Promise<void> {
  const { method = "GET", url = "/" } = request;
  const { traceparent, "idempotency-key": idempotencyKey } = request.headers;
  const path = url.replace(/^\/providers\/[^/]+/, "");
  const call = {
    method,
    path,
    ...(typeof traceparent === "string" && { traceparent }),
    ...(typeof idempotencyKey === "string" && { idempotencyKey }),
  };
  let received: ProxiedResponse | undefined;
  await onTheWay(call, async () => {
    received = await forward(request, `${target}${url}`);
  });
  if (!received) return void response.destroy();
  response.writeHead(received.status, received.headers);
  response.end(rewritten(received, rewrite));
}

function rewritten({ headers, text }: ProxiedResponse, rewrite: ProxyOptions["rewrite"]): string {
  if (!rewrite || !headers["content-type"]?.startsWith("application/json")) return text;
  return JSON.stringify(rewrite(JSON.parse(text)));
}

const FORWARDED = [
  "authorization",
  "content-type",
  "idempotency-key",
  "x-trace-id",
  "x-provider-id",
  "x-platform-provider-id",
];
const RETURNED = ["content-type", "location", "retry-after", "allow", "www-authenticate"];

async function forward(request: IncomingMessage, url: string): Promise<ProxiedResponse> {
  const { method = "GET" } = request;
  const body = (await request.toArray()).join("");
  const sent = FORWARDED.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
  const response = await fetch(url, { method, headers: sent, redirect: "manual", ...(body && { body }) });
  const headers = RETURNED.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status: response.status, headers: Object.fromEntries(headers), text: await response.text() };
}
