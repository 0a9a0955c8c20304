import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listening } from "../listening.ts";

/** A call on its way to the provider; the path without `/providers/{providerId}`. */
export interface PassingCall {
  method: string;
  path: string;
}

/** What happens on the way: the response is sent once it resolves. `pass` calls the provider, and resolves with its response. */
export type OnTheWay = (call: PassingCall, pass: () => Promise<void>) => Promise<void>;

export interface Rewriting {
  /** Makes of each JSON response of the provider what the platform gets. */
  rewrite?: ((body: unknown) => unknown) | undefined;
  onTheWay?: OnTheWay | undefined;
}

interface Response {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Stands before a provider: for what no sandbox would say, and for what happens while a call is under way. */
export async function startRewriter(to: string, rewriting: Rewriting) {
  const server = createServer((request, response) => {
    answer(request, response, to, rewriting).catch(() => response.destroy());
  });
  return listening(server);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  to: string,
  { rewrite = (body) => body, onTheWay = (_call, pass) => pass() }: Rewriting,
): Promise<void> {
  const { method = "GET", url = "/" } = request;
  let passed: Response | undefined;
  const path = url.replace(/^\/providers\/[^/]+/, "");
  await onTheWay({ method, path }, async () => {
    passed = await forward(request, `${to}${url}`);
  });
  if (!passed) return void response.destroy();
  const { status, headers, text } = passed;
  const isJson = headers["content-type"]?.startsWith("application/json");
  response.writeHead(status, headers);
  response.end(isJson ? JSON.stringify(rewrite(JSON.parse(text))) : text);
}

const SENT = ["authorization", "content-type", "idempotency-key", "x-trace-id", "x-provider-id"];
const RETURNED = ["content-type", "location", "retry-after"];

async function forward(request: IncomingMessage, url: string): Promise<Response> {
  const { method = "GET" } = request;
  const body = (await request.toArray()).join("");
  const sent = SENT.flatMap((name) => {
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
