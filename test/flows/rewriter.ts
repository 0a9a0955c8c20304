import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listening } from "../listening.ts";

/** A call on its way to the provider; the path without `/providers/{providerId}`. */
export interface PassingCall {
  method: string;
  path: string;
  traceparent?: string;
}

/** What happens on the way: the response is sent once it resolves. `pass` calls the provider, and resolves with its response. */
export type OnTheWay = (call: PassingCall, pass: () => Promise<void>) => Promise<void>;

export interface Rewriting {
  /** Makes of each JSON response of the provider what the platform gets. */
  rewrite?: ((body: unknown) => unknown) | undefined;
  onTheWay?: OnTheWay | undefined;
  /** Makes of each response of the provider what is sent. */
  respond?: ((call: PassingCall, response: Passed) => Passed) | undefined;
}

export interface Passed {
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
  { rewrite, onTheWay = (_call, pass) => pass(), respond = rewritten(rewrite) }: Rewriting,
): Promise<void> {
  const { method = "GET", url = "/" } = request;
  let passed: Passed | undefined;
  const path = url.replace(/^\/providers\/[^/]+/, "");
  const { traceparent } = request.headers;
  const call = { method, path, ...(typeof traceparent === "string" && { traceparent }) };
  await onTheWay(call, async () => {
    passed = await forward(request, `${to}${url}`);
  });
  if (!passed) return void response.destroy();
  const { status, headers, text } = respond(call, passed);
  response.writeHead(status, headers);
  response.end(text);
}

function rewritten(rewrite: Rewriting["rewrite"]): NonNullable<Rewriting["respond"]> {
  return (_call, passed) => {
    if (!rewrite || !passed.headers["content-type"]?.startsWith("application/json")) return passed;
    return { ...passed, text: JSON.stringify(rewrite(JSON.parse(passed.text))) };
  };
}

const SENT = [
  ...["authorization", "content-type", "idempotency-key", "x-trace-id"],
  ...["x-provider-id", "x-platform-provider-id"],
];
const RETURNED = ["content-type", "location", "retry-after", "allow", "www-authenticate"];

async function forward(request: IncomingMessage, url: string): Promise<Passed> {
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
